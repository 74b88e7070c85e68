/**
 * Entries of the indexes of Agent Skills discovery: 0.2.0 (`/.well-known/agent-skills/`), whose skills are zips, and
 * 0.1.0 (`/.well-known/skills/`), which lists files. What an entry has of a version never changes, so it is kept.
 */
import { LRUCache } from "lru-cache";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { withinTime } from "../../../contract/concurrency/within-time.ts";
import { limits } from "../../../contract/limits.ts";
import { slugPattern } from "../../../contract/names/slug.ts";
import { cutAtWord } from "../../../contract/text/cut-text.ts";
import type { IndexOmission } from "../../../contract/vocabulary.ts";
import type { PublicSkillRow } from "../../../storage/lookups/catalog.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { ZipDigest } from "../../../storage/versions/package-digests.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { filesOf } from "../../skills/read/manifest.ts";
import { findVersion } from "../../skills/versions/versions.ts";
import { listedDescription } from "../listed-description.ts";
import { packageZipDigest } from "../package-zip.ts";

export type IndexForm = "agent-skills" | "skills";

/** A skill in an index, in the version that the index offers. */
export interface IndexEntry {
  slug: string;
  versionId: string;
  semver: string;
  /** That of the version, with the message if it is deprecated. */
  description: string;
  facts: VersionFacts;
}

interface VersionFacts {
  description: string;
  zip: ZipDigest;
  files: readonly string[];
}

/** An identifier that clients compare, and do not fetch. */
const schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const readConcurrency = 10;
/** Clients wait about ten seconds in all. The next request finds the digests that were computed after this time. */
const maxWaitMs = 5000;

const known = new LRUCache<string, VersionFacts>({
  maxSize: 200_000,
  sizeCalculation: ({ files }) => files.length + 5,
});

/** Names that the standard accepts. */
const isStandardName = (slug: string) => slugPattern.test(slug) && slug.length <= 64;

/**
 * The entries of skills, and the skills that no index can have. The order matters where all of them are too large.
 * Throws `unavailable` while the zips of many new versions are made.
 */
export async function entriesOf(
  app: App,
  skills: readonly PublicSkillRow[],
): Promise<{ entries: IndexEntry[]; omitted: { slug: string; reason: IndexOmission }[] }> {
  let bytes = 0;
  const judged = skills.map((skill): { skill: PublicSkillRow; reason?: IndexOmission } => {
    const size = skill.current.totalBytes;
    if (!isStandardName(skill.slug)) return { skill, reason: "name" };
    if (size > limits.indexedSkillBytes || bytes + size > limits.indexedBytes)
      return { skill, reason: "size" };
    bytes += size;
    return { skill };
  });
  const missing = judged.filter(({ skill, reason }) => !reason && !known.has(skill.current.versionId));
  if (missing.length > 0) {
    const reading = mapLimit(missing, readConcurrency, async ({ skill }) => {
      const version = await findVersion(app, skill, skill.current.version);
      if (version) await factsOf(app, version);
    });
    await withinTime(reading, maxWaitMs, () => {
      throw new ServiceError("unavailable", "This index is being prepared: try again in a moment.");
    });
  }
  const entries: IndexEntry[] = [];
  const omitted: { slug: string; reason: IndexOmission }[] = [];
  for (const { skill, reason } of judged) {
    const { slug, current } = skill;
    const facts = reason ? undefined : known.get(current.versionId);
    if (reason) omitted.push({ slug, reason });
    else if (facts?.description === "") omitted.push({ slug, reason: "description" });
    else if (facts) entries.push(makeEntry(skill, { ...current, _id: current.versionId }, facts));
  }
  return { entries, omitted };
}

/** The entry of one version; undefined if no index can have it. */
export async function entryOf(
  app: App,
  skill: Described,
  version: VersionDoc,
): Promise<IndexEntry | undefined> {
  if (!isStandardName(skill.slug) || version.totalBytes > limits.indexedSkillBytes) return undefined;
  const facts = await factsOf(app, version);
  if (facts.description === "") return undefined;
  return makeEntry(skill, version, facts);
}

type Described = Pick<SkillDoc, "slug" | "deprecated" | "marks">;

function makeEntry(
  skill: Described,
  { _id: versionId, version, semver }: Pick<VersionDoc, "_id" | "version" | "semver">,
  facts: VersionFacts,
): IndexEntry {
  const description = listedDescription(skill, version, facts.description, limits.skillDescriptionAdvised);
  return { slug: skill.slug, versionId, semver, description, facts };
}

async function factsOf(app: App, version: VersionDoc): Promise<VersionFacts> {
  const kept = known.get(version._id);
  if (kept) return kept;
  const [zip, files] = await Promise.all([packageZipDigest(app, version), filesOf(app, version)]);
  // A text gets a description when it is stored. Clients refuse a package without one.
  const described = version.description.trim() || (version.format === "markdown" ? version.name : "");
  const description = cutAtWord(described, limits.skillDescriptionAdvised);
  const facts = { description, zip, files: files.map(({ path }) => path) };
  known.set(version._id, facts);
  return facts;
}

/** Addresses of the zips of an index: of many skills, of one in its current version, or of one version. */
export type IndexKind = "list" | "skill" | "version";

function zipAddress(kind: IndexKind, org: string, { slug, semver }: IndexEntry): string {
  if (kind === "list") return `/${org}/.well-known/agent-skills/${slug}/${semver}.zip`;
  if (kind === "skill") return `/${org}/${slug}/.well-known/agent-skills/${semver}.zip`;
  return `/${org}/${slug}/${semver}.zip`;
}

/** The index as JSON. Each entry has its version: OpenCode keeps a skill without one for ever. */
export function writeIndex(
  form: IndexForm,
  kind: IndexKind,
  org: string,
  entries: readonly IndexEntry[],
): string {
  if (form === "skills") {
    const skills = entries.map(({ slug, semver, description, facts }) => ({
      name: slug,
      description,
      files: facts.files,
      version: semver,
    }));
    return JSON.stringify({ skills });
  }
  const skills = entries.map((entry) => ({
    name: entry.slug,
    type: "archive",
    description: entry.description,
    url: zipAddress(kind, org, entry),
    digest: `sha256:${entry.facts.zip.sha256}`,
    version: entry.semver,
  }));
  return JSON.stringify({ $schema: schema, skills });
}
