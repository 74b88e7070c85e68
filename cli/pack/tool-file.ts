/** Rule files of tools, as those tools write them. */
import path from "node:path";
import { scopeKeys } from "../../contract/document/known-keys.ts";
import { quoted, quotedIfNeeded, readLine } from "../../contract/faults/yaml-lines.ts";
import { machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import { splitFence } from "./frontmatter.ts";
import { rootFile } from "./skill-folders.ts";

/** File names that only rules of tools have, which apply on request unless their keys say otherwise. */
const ruleName = /\.mdc$|\.instructions\.md$/;
/** Keys that only rules have, with the values that tools write. */
const ruleLine =
  /^(?:alwaysApply:[ \t]*(?:true|false)|trigger:[ \t]*(?:always_on|model_decision|glob|manual)|(?:globs|applyTo):.*)[ \t\r]*$/m;

/** Whether a text is a rule of a tool: it is in a tool's folder of rules, or its name or keys are those of rules. */
export function isToolRule(file: string, text: string): boolean {
  if (path.basename(file) === rootFile) return false;
  if (ruleName.test(file)) return true;
  if (ruleLine.test(splitFence(text)?.yaml ?? "")) return true;
  const machine = machineOf({ home: path.sep, env: {}, platform: process.platform });
  return targetDefinitions
    .flatMap(({ sources }) => sources({ ...machine, scope: "project", projectDir: path.sep }).files)
    .some(({ folder, type }) => type === "rule" && file.includes(folder + path.sep));
}

/**
 * A rule as YAML that every tool can read, line by line: unchanged, or with the values in quotation marks. Tools write
 * patterns such as `*.py` without them.
 */
export async function readableRule(text: string): Promise<string> {
  const split = splitFence(text);
  if (split === undefined) return text;
  const { FrontmatterError, splitFrontmatter } = await import("../../contract/document/frontmatter.ts");
  const reads = (one: string) => {
    try {
      splitFrontmatter(one);
      return true;
    } catch (error) {
      if (error instanceof FrontmatterError) return false;
      throw error;
    }
  };
  if (reads(text)) return text;
  const lines = split.yaml.split("\n").map((line) => {
    const { indent, dash, key, value } = readLine(line);
    const item = /^\s*-[ \t]+(\*.*)$/.exec(line.trimEnd())?.[1];
    const end = line.endsWith("\r") ? "\r" : "";
    if (item !== undefined) return `${indent}- ${quoted(item)}${end}`;
    return key === undefined || value === undefined
      ? line
      : `${indent}${dash}${key}: ${quotedIfNeeded(value)}${end}`;
  });
  const changed = split.opening + lines.join("\n") + text.slice(split.opening.length + split.yaml.length);
  return reads(changed) ? changed : text;
}

/**
 * The rule with its scope stated, if its tool applies it on request and no key says so: other tools would apply it
 * always.
 */
export function withStatedScope(file: string, text: string): string {
  if (!ruleName.test(file)) return text;
  const split = splitFence(text);
  const isStated = split?.yaml.split("\n").some((line, i, lines) => {
    const { key, value } = readLine(line);
    const isList = /^\s*-[ \t]/.test(lines[i + 1] ?? "");
    return key !== undefined && scopeKeys.includes(key) && (value !== undefined || isList);
  });
  if (isStated) return text;
  const key = "alwaysApply: false";
  if (split === undefined) return `---\n${key}\n---\n\n${text.replace(/^\uFEFF/, "")}`;
  const eol = split.opening.endsWith("\r\n") ? "\r\n" : "\n";
  return `${split.opening}${split.yaml}${key}${eol}${text.slice(split.opening.length + split.yaml.length)}`;
}
