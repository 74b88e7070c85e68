/**
 * Fingerprints by which ClawHub's client finds the version of installed files. Those of a version are stored once it is
 * downloaded; for other versions, they are computed from the list of files.
 */
import { createHash } from "node:crypto";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { unseenVersions } from "../../skills/marks/marks.ts";
import { filesOf } from "../../skills/read/manifest.ts";
import { findVersion, findVersions } from "../../skills/versions/versions.ts";

/** Latest versions that are compared though no client of ClawHub has downloaded them. */
const comparedVersions = 10;
const readConcurrency = 4;

/** Files that the client's first releases take into account; later ones take all. */
const textEndings = new Set(
  (
    "md mdx txt json json5 yaml yml toml js cjs mjs ts tsx jsx py sh rb go rs swift kt java cs cpp c h hpp sql csv " +
    "ini cfg env xml html css scss sass svg"
  ).split(" "),
);

interface HashedFile {
  path: string;
  sha256: string;
}

/** One fingerprint, or two where releases of the client compute different ones. */
export function fingerprintsOf(files: readonly HashedFile[]): string[] {
  const visible = files.filter(
    ({ path }) => !path.split("/").some((part) => part.startsWith(".") || part === "node_modules"),
  );
  const texts = visible.filter(({ path }) => textEndings.has(path.split(".").at(-1)!.toLowerCase()));
  return [...new Set([fingerprintOf(visible), fingerprintOf(texts)])];
}

function fingerprintOf(files: readonly HashedFile[]): string {
  const lines = files
    .toSorted((a, b) => a.path.localeCompare(b.path, "en"))
    .map(({ path, sha256 }) => `${path}:${sha256}`);
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/** Stores the fingerprints of a version that a client installs, so that it is found however old it is later. */
export async function recordFingerprints(app: App, version: VersionDoc): Promise<string[]> {
  const fingerprints = fingerprintsOf(await filesOf(app, version));
  await app.storage.packageDigests.record(version, { fingerprints });
  return fingerprints;
}

/** The latest version of a skill with a fingerprint; undefined if there is none, as after an edit. */
export async function findByFingerprint(
  app: App,
  skill: SkillDoc,
  fingerprint: string,
): Promise<VersionDoc | undefined> {
  const found = await app.storage.packageDigests.findByFingerprint(skill._id, fingerprint);
  const stored = found && (await findVersion(app, skill, found.version));
  const isSeen = stored && !unseenVersions(skill).includes(stored.version);
  if (isSeen && stored._id === found._id) return stored;
  const latest = await findVersions(app, skill, { prerelease: true, limit: comparedVersions });
  const all = await mapLimit(latest, readConcurrency, async (version) =>
    fingerprintsOf(await filesOf(app, version)),
  );
  return latest.find((_, at) => all[at]!.includes(fingerprint));
}
