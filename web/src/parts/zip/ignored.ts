/** Names that are never part of a skill, as for `svc publish`; and those that zips of macOS contain. */
const ignoredNames = new Set([".git", "node_modules", ".DS_Store", "__MACOSX"]);

export function isIgnoredPath(path: string): boolean {
  return path.split("/").some((name) => ignoredNames.has(name));
}
