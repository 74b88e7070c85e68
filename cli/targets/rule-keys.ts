/**
 * Keys of a rule's frontmatter that tools know, read without a YAML parser, whose loading would slow down each install.
 */
import { ruleKeys } from "../../contract/rule-keys.ts";
import type { InstallItem } from "./target.ts";

export type RuleKeys = ReadonlyMap<string, readonly string[]>;

const triggers = ["always_on", "model_decision", "glob", "manual"];

/** The values of each key, without quotes; none for a skill, and for values in other forms of YAML. */
export function ruleKeysOf({ type, head }: Pick<InstallItem, "type" | "head">): RuleKeys {
  const found = new Map<string, string[]>();
  if (type !== "rule" || head === undefined) return found;
  let open: string[] | undefined;
  for (const line of head.split(/\r?\n/)) {
    const item = /^[ \t]*-[ \t]+(.+)$/.exec(line)?.[1];
    if (open !== undefined && item !== undefined) {
      open.push(unquoted(item));
      continue;
    }
    const [, key, value] = /^(\w+):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    open = undefined;
    if (key === undefined || !ruleKeys.includes(key)) continue;
    open = valuesOf(value?.trim() ?? "");
    found.set(key, open);
  }
  return new Map([...found].filter(([, values]) => values.some((value) => value !== "")));
}

function valuesOf(text: string): string[] {
  if (text === "") return [];
  const list = /^\[(.*)\]$/.exec(text)?.[1];
  return list === undefined ? [unquoted(text)] : (list.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? []).map(unquoted);
}

function unquoted(text: string): string {
  const plain = text.trim();
  return /^(["'])(.*)\1$/.exec(plain)?.[2] ?? plain.replace(/[ \t]#.*$/, "").trim();
}

/** Patterns of a key, which may be a list or a text with commas. Commas in braces belong to a pattern. */
export function patternsOf(keys: RuleKeys, key: "globs" | "paths"): string[] {
  return (keys.get(key) ?? [])
    .flatMap((value) => value.match(/(?:\{[^}]*\}|[^,{]|\{)+/g) ?? [])
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");
}

/** Whether the rule applies always; undefined if it does not say so. */
export function appliesAlways(keys: RuleKeys): boolean | undefined {
  const [value] = keys.get("alwaysApply") ?? [];
  return value === "true" ? true : value === "false" ? false : undefined;
}

export function triggerOf(keys: RuleKeys): string | undefined {
  const [value] = keys.get("trigger") ?? [];
  return value !== undefined && triggers.includes(value) ? value : undefined;
}
