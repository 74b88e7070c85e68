/** Keys by which tools decide when a rule applies; each reaches the tools that know it (`cli/targets/`). */
export const ruleKeys: readonly string[] = ["globs", "alwaysApply", "paths", "trigger"];

/** Keys of a rule that no tool would get: rules are rendered for each tool, with the keys that it supports. */
export function lostRuleKeys(keys: Iterable<string>): string[] {
  return [...keys].filter((key) => !["name", "description", "tags", ...ruleKeys].includes(key));
}
