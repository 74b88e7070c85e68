/**
 * Keys of frontmatter that tools document, with the tools that use them. All other keys are kept as well: they are for
 * people and catalogs. Pure.
 */
import { suggest } from "../text/suggest.ts";
import type { Target } from "../vocabulary.ts";

/** Keys of a SKILL.md. Every tool uses `name` and `description`. */
export const skillKeys: Readonly<Record<string, readonly Target[]>> = {
  "allowed-tools": ["claude", "copilot"],
  "argument-hint": ["claude", "copilot"],
  "disable-model-invocation": ["claude", "cursor", "copilot"],
  "disallowed-tools": ["claude"],
  "user-invocable": ["claude", "copilot"],
  agent: ["claude"],
  arguments: ["claude"],
  color: ["cursor"],
  compatibility: ["opencode"],
  context: ["claude", "copilot"],
  disabled: ["cline"],
  effort: ["claude"],
  hooks: ["claude"],
  icon: ["cursor"],
  license: ["opencode"],
  metadata: ["cursor", "opencode"],
  model: ["claude"],
  paths: ["claude", "cursor"],
  shell: ["claude"],
  when_to_use: ["claude"],
};

/** Keys of the rule files of tools. The first four say when a rule applies, and are rendered for every tool. */
export const ruleKeys: Readonly<Record<string, readonly Target[]>> = {
  alwaysApply: ["cursor"],
  applyTo: ["copilot"],
  globs: ["cursor", "windsurf"],
  paths: ["claude", "cline"],
  trigger: ["windsurf"],
  excludeAgent: ["copilot"],
};

/** Keys of a rule that say when it applies. */
export const scopeKeys: readonly string[] = ["alwaysApply", "applyTo", "globs", "paths", "trigger"];

/** Keys that no tool acts on, and that are common in catalogs. */
const commonKeys = (
  "author authors category content created date dependencies domain examples homepage id inputs " +
  "keywords lang language mode outputs owner platforms priority repository requires role scope source " +
  "status subcategory summary title tools triggers type updated url version when"
).split(" ");

const known: ReadonlySet<string> = new Set([
  "name",
  "description",
  "tags",
  ...Object.keys(skillKeys),
  ...Object.keys(ruleKeys),
  ...commonKeys,
]);

/** Keys that tools or the service act on. */
const usedKeys: readonly string[] = [
  "name",
  "description",
  "tags",
  ...Object.keys(skillKeys),
  ...Object.keys(ruleKeys),
];

export function isKnownKey(key: string): boolean {
  return known.has(key);
}

export function isUsedKey(key: string): boolean {
  return usedKeys.includes(key);
}

/** The known key that an unknown one is most likely a misspelling of. */
export function misspelledKey(key: string): string | undefined {
  if (known.has(key) || key.length < 3) return undefined;
  const plain = (text: string) => text.toLowerCase().replace(/[_\s-]/g, "");
  const same = usedKeys.find((one) => plain(one) === plain(key));
  if (same !== undefined) return same;
  const near = suggest(key, usedKeys);
  // A short form, such as "desc", is no misspelling.
  return near !== undefined && Math.abs(near.length - key.length) <= 2 ? near : undefined;
}
