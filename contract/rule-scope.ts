/**
 * When a rule applies: keys of its frontmatter, read without a YAML parser, whose loading would slow down each install.
 */
import { scopeKeys } from "./document/known-keys.ts";
import type { SkillType } from "./vocabulary.ts";

/** A text skill or rule. */
export interface SkillText {
  type: SkillType;
  name: string;
  description: string;
  /** Everything before the body, if the text has frontmatter. */
  head?: string;
  body: string;
}

type RuleKeys = ReadonlyMap<string, readonly string[]>;

/** The values of each key, without quotes; none for a skill, and for values in other forms of YAML. */
function ruleKeysOf({ type, head }: Pick<SkillText, "type" | "head">): RuleKeys {
  const found = new Map<string, string[]>();
  if (type !== "rule" || head === undefined) return found;
  let open: string[] | undefined;
  // A list in brackets may go over several lines.
  const lines = head
    .replace(/:[ \t]+\[[^\]]*\]/g, (list) => list.replace(/\s*\r?\n\s*/g, " "))
    .split(/\r?\n/);
  for (const line of lines) {
    const item = /^[ \t]*-[ \t]+(.+)$/.exec(line)?.[1];
    if (open !== undefined && item !== undefined) {
      open.push(unquoted(item));
      continue;
    }
    const next = open?.length === 0 ? /^[ \t]+(?!#)(\S.*)$/.exec(line)?.[1] : undefined;
    if (open !== undefined && next !== undefined) {
      open.push(...valuesOf(next));
      continue;
    }
    const [, , key, value] = /^(["']?)(\w+)\1[ \t]*:(?:[ \t]+(.*))?$/.exec(line) ?? [];
    open = undefined;
    if (key === undefined || !scopeKeys.includes(key)) continue;
    open = valuesOf(value?.trim() ?? "");
    found.set(key, open);
  }
  return new Map([...found].filter(([, values]) => values.some((value) => value !== "")));
}

function valuesOf(text: string): string[] {
  // The value of a block follows on the next line.
  if (/^(?:[>|][-+\d]*)?(?:[ \t]*#.*)?$/.test(text)) return [];
  const list = /^\[(.*)\]$/.exec(text)?.[1];
  return list === undefined ? [unquoted(text)] : (list.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? []).map(unquoted);
}

function unquoted(text: string): string {
  const plain = text.trim();
  return /^(["'])(.*)\1$/.exec(plain)?.[2] ?? plain.replace(/[ \t]#.*$/, "").trim();
}

/** When a rule applies. */
export interface RuleScope {
  /** `files`: to matching files; `relevant`: where its description fits; `asked`: only if the user asks for it. */
  mode: "always" | "files" | "relevant" | "asked";
  patterns: readonly string[];
}

/** Patterns that match every file. */
const allFiles: readonly string[] = ["**", "**/*", "**/**"];

const modes: ReadonlyMap<string, RuleScope["mode"]> = new Map([
  ["always_on", "always"],
  ["model_decision", "relevant"],
  ["glob", "files"],
  ["manual", "asked"],
]);

/**
 * The scope of a rule, whichever tool's keys state it; undefined for a skill. `own`: the key of the tool that it is
 * rendered for, which takes precedence over those of others.
 */
export function scopeOf(
  item: Omit<SkillText, "name" | "body">,
  own?: "globs" | "paths" | "applyTo",
): RuleScope | undefined {
  if (item.type !== "rule") return undefined;
  const keys = ruleKeysOf(item);
  const [given = []] = [own ?? "globs", "globs", "paths", "applyTo"]
    .map((key) => patternsOf(keys, key))
    .filter(isFilled);
  const isForAll = given.some((pattern) => allFiles.includes(pattern));
  const patterns = isForAll ? [] : given;
  const unlimited = item.description.trim() === "" ? "asked" : "relevant";
  const trigger = modes.get(keys.get("trigger")?.[0] ?? "");
  if (trigger === "relevant" || trigger === "asked") return { mode: trigger, patterns };
  const always = keys.get("alwaysApply")?.[0];
  // Keys of Cursor and Windsurf, which have `globs`: they don't widen a Copilot scope for other tools.
  const isLimited = own !== "globs" && isFilled(patternsOf(keys, "applyTo")) && isFilled(patterns);
  if ((trigger === "always" || always === "true") && !isLimited) return { mode: "always", patterns };
  if (patterns.length > 0) return { mode: "files", patterns };
  return {
    mode: always === "false" && !isForAll ? unlimited : "always",
    patterns,
  };
}

const isFilled = (patterns: readonly string[]) => patterns.length > 0;

/** The item for a tool that can't limit a rule this way: its text says when it applies, so that it is never widened. */
export function withScopeInText<T extends SkillText>(
  item: T,
  scope: RuleScope | undefined,
  supported: readonly RuleScope["mode"][] = [],
): T {
  if (scope === undefined || scope.mode === "always" || supported.includes(scope.mode)) return item;
  const described = item.description.replace(/\s+/g, " ").trim();
  const listed = scope.patterns.map((pattern) => `\`${pattern.replaceAll("`", "")}\``).join(", ");
  const sentence =
    scope.mode === "files"
      ? `Applies only to files that match ${listed}.`
      : scope.mode === "relevant" && described !== ""
        ? `Applies only where it is relevant: ${described}`
        : "Applies only when the user asks for it.";
  return {
    ...item,
    body: `${sentence}\n\n${item.body.replace(/^(?:[ \t]*\r?\n)+/, "")}`,
  };
}

/** Patterns of a key, which may be a list or a text with commas. Commas in braces belong to a pattern. */
function patternsOf(keys: RuleKeys, key: string): string[] {
  return (keys.get(key) ?? [])
    .flatMap((value) => value.match(/(?:\{[^}]*\}|[^,{]|\{)+/g) ?? [])
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");
}
