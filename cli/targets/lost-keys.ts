/** Parts of a skill's frontmatter that a tool would use and does not get. */
import { ruleKeys, scopeKeys, skillKeys } from "../../contract/document/known-keys.ts";
import { readLine } from "../../contract/faults/yaml-lines.ts";
import type { Target } from "../../contract/vocabulary.ts";
import type { InstallItem, Placement } from "./target.ts";

/** The warning about what the tool does not get or load; undefined if it gets everything that it would use. */
export function lossOf(item: InstallItem, target: Target, placement: Placement): string | undefined {
  if (item.format === "package") return unloadedPackage(item, target, placement);
  // A skill folder has the whole frontmatter.
  if (placement.shape === "folder") return undefined;
  const used = item.type === "rule" ? ruleKeys : skillKeys;
  const lost = keysIn(item.head ?? "").filter(
    (key) => used[key]?.includes(target) === true && !(item.type === "rule" && scopeKeys.includes(key)),
  );
  if (lost.length === 0) return undefined;
  const form = placement.shape === "section" ? "a section of a file" : "a rule";
  const remedy = item.type === "rule" ? "" : ": publish a folder with this SKILL.md to keep it";
  return `${target} uses ${lost.join(", ")} of a ${item.type}, but gets this one as ${form}, without it${remedy}`;
}

/** Only Claude Code loads a package whose SKILL.md has not both fields. */
function unloadedPackage(
  { missing = [] }: InstallItem,
  target: Target,
  placement: Placement,
): string | undefined {
  if (missing.length === 0 || target === "claude" || placement.shape !== "folder") return undefined;
  return `${target} does not load a package without ${missing.join(" and ")} in its SKILL.md: ask its publisher to add ${missing.length === 1 ? "it" : "them"}`;
}

/** The keys at the top of a frontmatter that have a value. */
function keysIn(head: string): string[] {
  const lines = head.split("\n");
  return lines.flatMap((line, i) => {
    const { key, value, indent } = readLine(line);
    const hasValue = value !== undefined || /^[ \t]+\S|^- /.test(lines[i + 1] ?? "");
    return key !== undefined && indent === "" && hasValue ? [key] : [];
  });
}
