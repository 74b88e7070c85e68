/**
 * Reads the labelled cases of `corpus/`. A case begins with `=== <label> [rule] [~rule …] | <title>`: the label is the
 * verdict, the rule has to apply, and those with `~` must not. Text before the first `@ <path> [options]` is the body
 * of the SKILL.md. `¦` is removed, so that no other scanner takes a case for what it describes, and `{{name:argument}}`
 * is replaced by what can't be written down.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, inflateRawSync, gunzipSync } from "node:zlib";
import type { Inflate } from "../../contract/scan/archive.ts";
import type { FileToScan } from "../../contract/scan/scan.ts";
import { root } from "../support/root.ts";
import { makeZip } from "../support/zip.ts";
import { binaryOf, tarOf } from "./binaries.ts";

export const corpusLabels = ["harmless", "note", "suspicious", "malicious"] as const;
export type CorpusLabel = (typeof corpusLabels)[number];

export interface CorpusCase {
  name: string;
  label: CorpusLabel;
  rule?: string;
  without: string[];
  files: FileToScan[];
}

export const inflate: Inflate = (data, form, maxBytes) => {
  try {
    return (form === "raw" ? inflateRawSync : gunzipSync)(data, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
};

export function readCorpus(): CorpusCase[] {
  const folder = join(root, "test/scan/corpus");
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return text
        .split(/^=== /m)
        .slice(1)
        .map((part) => readCase(file, part));
    });
}

function readCase(file: string, part: string): CorpusCase {
  const [head = "", ...lines] = part.split("\n");
  const [left = "", title = ""] = head.split(" | ");
  const [label, ...rules] = left.trim().split(" ");
  const body = lines.join("\n").trimEnd();
  const [text = "", ...files] = `\n${body}`.split(/^@ /m);
  const listed = files.map(readFile);
  const hasRoot = listed.some(({ path }) => path === "SKILL.md");
  const skill = `---\nname: kit\ndescription: Helps with a task.\n---\n${expand(text.trim())}\n`;
  return {
    name: `${file}: ${label} ${rules.join(" ")}: ${title}`,
    label: corpusLabels.find((one) => one === label)!,
    rule: rules.find((rule) => !rule.startsWith("~")),
    without: rules.filter((rule) => rule.startsWith("~")).map((rule) => rule.slice(1)),
    files: hasRoot ? listed : [{ path: "SKILL.md", data: Buffer.from(skill) }, ...listed],
  };
}

function readFile(part: string): FileToScan {
  const [head = "", ...lines] = part.split("\n");
  const [path = "", ...options] = head.trim().split(" ");
  const text = `${expand(lines.join("\n").trimEnd())}\n`;
  let data: Buffer = Buffer.from(lines.length === 0 || text === "\n" ? "" : text);
  let isExecutable = false;
  for (const option of options.toReversed()) {
    const [name, value = ""] = option.split("=");
    if (name === "encoding") data = encode(text, value);
    else if (name === "zip") data = makeZip([{ name: value, data }]);
    else if (name === "tar") data = gzipSync(tarOf(value, data));
    else if (name === "gzip") data = gzipSync(data);
    else if (name === "kind") data = binaryOf(value);
    else if (name === "mode") isExecutable = true;
    else throw new Error(`Unknown option ${option}`);
  }
  return { path, data, isExecutable };
}

function encode(text: string, encoding: string): Buffer {
  if (encoding === "latin1") return Buffer.from(text, "latin1");
  if (encoding === "nul-prefix")
    return Buffer.concat([Buffer.from([0, 1, 2, 0, 200, 255, 0, 10]), Buffer.from(text)]);
  if (encoding === "utf16le") return Buffer.from(`\uFEFF${text}`, "utf16le");
  return Buffer.from(text, "utf16le").swap16();
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
/** Characters that are the same in each run and look random. */
function randomText(seed: string, length: number, alphabet: string): string {
  let text = "";
  for (let block = 0; text.length < length; block++)
    for (const byte of createHash("sha256").update(`${seed}${block}`).digest())
      text += alphabet[byte % alphabet.length];
  return text.slice(0, length);
}
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Values with the form of secrets, which are made here since nothing that looks like one may be in a file. */
const secrets: Record<string, () => string> = {
  github: () => `ghp_${randomText("github", 36, letters)}`,
  aws: () => `AKIA${randomText("aws", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
  anthropic: () => `sk-ant-${randomText("anthropic", 90, letters)}`,
  pem: () => {
    const body = randomText("pem", 640, letters).replace(/.{64}/g, "$&\n");
    const kind = ["PRIVATE", "KEY"].join(" ");
    return `-----BEGIN ${kind}-----\n${body}-----END ${kind}-----`;
  },
};

const inserts: Record<string, (argument: string) => string> = {
  u: (code) => String.fromCodePoint(Number.parseInt(code, 16)),
  lb: () => "{{",
  rb: () => "}}",
  repeat: (argument) => {
    const at = argument.lastIndexOf(":");
    const text = argument.slice(0, at).replaceAll("\\n", "\n");
    return (text.startsWith("//") ? `${text}\n` : text).repeat(Number(argument.slice(at + 1)));
  },
  tags: (text) => Array.from(text, (one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join(""),
  wide: (text) => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  selectors: (count) =>
    Array.from({ length: Number(count) }, (_, i) => String.fromCodePoint(0xe0100 + i)).join(""),
  zero: (count) => "\u200b\u200c\u200b\u200b".repeat(Number(count) / 4),
  b64: base64,
  b64b64: (text) => base64(base64(text)),
  "b64-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
  b64lines: (text) => base64(text).replace(/.{40}/g, "$&\n"),
  hex: (text) => Array.from(text, (one) => `\\x${one.charCodeAt(0).toString(16)}`).join(""),
  codes: (text) => Array.from(text, (one) => one.charCodeAt(0)).join(", "),
  binary64: (length) => randomText("binary", Number(length), `${letters}+/`),
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
  secret: (kind) => secrets[kind]!(),
};

function expand(text: string): string {
  return text
    .replaceAll("¦", "")
    .replace(/\{\{([a-z0-9-]+):((?:[^}]|\}(?!\}))*)\}\}/g, (_, name: string, argument: string) => {
      const insert = inserts[name];
      if (insert === undefined) throw new Error(`Unknown insert ${name}`);
      return insert(argument);
    });
}
