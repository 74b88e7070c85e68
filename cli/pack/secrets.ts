/** Finds credentials in the files of a skill before they are uploaded (`contract/checks/secret-rules.ts`). */
import { createReadStream } from "node:fs";
import {
  type SecretFinding,
  lineAt,
  secretInName,
  secretInText,
  secretOverlap,
  sortSecrets,
} from "../../contract/checks/secret-rules.ts";
import type { FlagShape } from "../arguments/command-shape.ts";
import { type CliError, invalidArgument } from "../errors.ts";
import { plainLine } from "../terminal/table.ts";
import type { PackageFile } from "./folder.ts";

export const allowSecretsFlag = {
  value: "none",
  description: "Accept files with passwords, keys and tokens, which are refused otherwise",
} as const satisfies FlagShape;

/** Number of files that a message names. */
const named = 5;

export async function secretsInFiles(files: readonly PackageFile[]): Promise<SecretFinding[]> {
  const found: SecretFinding[] = [];
  for (const { path, source } of files) {
    const finding = secretByName(path) ?? (await secretInFile(path, source));
    if (finding !== undefined) found.push(finding);
  }
  return sortSecrets(found);
}

export function secretsInContent(path: string, text: string): SecretFinding[] {
  const byName = secretByName(path);
  if (byName !== undefined) return [byName];
  const inText = secretInText(text);
  return inText === undefined
    ? []
    : [{ rule: "secret_text", path, what: inText.what, line: lineAt(text, inText.offset) }];
}

function secretByName(path: string): SecretFinding | undefined {
  const what = secretInName(path);
  return what === undefined ? undefined : { rule: "secret_file", path, what };
}

/** Reads a file in parts; one with a NUL in its first part is not a text. */
async function secretInFile(path: string, source: string): Promise<SecretFinding | undefined> {
  let rest = "";
  let lines = 1;
  let isFirst = true;
  for await (const chunk of createReadStream(source, { highWaterMark: 1024 * 1024, encoding: "latin1" })) {
    if (isFirst && (chunk as string).includes("\0")) return undefined;
    isFirst = false;
    const text = rest + (chunk as string);
    const found = secretInText(text);
    if (found !== undefined)
      return { rule: "secret_text", path, what: found.what, line: lines + lineAt(text, found.offset) - 1 };
    const kept = Math.min(text.length, secretOverlap);
    lines += lineAt(text, text.length - kept) - 1;
    rest = text.slice(text.length - kept);
  }
  return undefined;
}

/** The error for a skill with secrets, or undefined. */
export function secretsError(path: string, findings: readonly SecretFinding[]): CliError | undefined {
  const [first] = findings;
  if (first === undefined) return undefined;
  return invalidArgument(
    "--allow-secret-files",
    `${plainLine(path)} contains secrets: ${listed(findings)}. Remove them, or accept them with --allow-secret-files.`,
    {
      kind: "content",
      rule: first.rule,
      ref: first.path,
      secrets: findings.map(({ rule, path: file, line }) => ({
        rule,
        path: file,
        line,
      })),
    },
  );
}

/** The warning about accepted secrets. */
export function acceptedSecrets(findings: readonly SecretFinding[]): string[] {
  return findings.length === 0
    ? []
    : [`--allow-secret-files: the upload includes secrets: ${listed(findings)}.`];
}

function listed(findings: readonly SecretFinding[]): string {
  const texts = findings
    .slice(0, named)
    .map(({ path, what, line }) => `${plainLine(path)}${line === undefined ? "" : `:${line}`} (${what})`);
  const more = findings.length > named ? `, and ${findings.length - named} more files` : "";
  return texts.join(", ") + more;
}
