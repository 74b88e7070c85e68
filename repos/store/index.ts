/**
 * The Git store: one bare repository per skill, one pack per version, refs derived from MongoDB.
 *
 * The caller keeps the order that makes it safe (`docs/concepts/versions.md`): `writeCommit`, then the one MongoDB
 * write that makes the version exist, then `advanceRefs`. A stop in between leaves an invisible object or a late ref.
 * On a lost compare-and-set, `recommit` the same tree on the new head and try again.
 */
export { allRepositories, copyRepository } from "./copy-packs.ts";
export type { PackStore } from "./driver.ts";
export { openPacks } from "./open-driver.ts";
export { openSkillStore } from "./store.ts";
export { parseTrailers } from "./message.ts";
export type * from "./types.ts";
