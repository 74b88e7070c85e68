/**
 * Versions of skills: rows carried here from the skill document, whose atomic write is what makes a version exist
 * (`skills.ts`). They can all be made again from the commits' trailers.
 */
import type { Filter, IndexDescription } from "mongodb";
import type { ContentFormat, VersionSource } from "../contract/vocabulary.ts";
import { retryIdempotent, type Database } from "./database.ts";
import { insertOnce } from "./outbox.ts";

export interface VersionDoc {
  _id: string;
  skillId: string;
  tenantId: string;
  version: number;
  semver: string;
  prerelease: boolean;
  message: string;
  format: ContentFormat;
  fileCount: number;
  totalBytes: number;
  /** Commit. */
  oid: string;
  treeOid: string;
  /** Canonical SHA-256 of the tree, as in the commit's `Svc-Content`. */
  digest: string;
  /** What clients compare: SHA-256 of the stripped text, or the digest of a package. */
  hash: string;
  /** What the text's frontmatter said beyond name and description; absent for packages. */
  frontmatterHash?: string;
  name: string;
  description: string;
  author: { id: string; name: string; username: string } | null;
  source: VersionSource;
  createdAt: Date;
}

/** What a version is made of, and how it came. */
export type VersionContent = Pick<VersionDoc, "version" | "oid" | "format" | "prerelease" | "source">;

/** The files of a package version; written before the version exists, so that it never lacks them. */
export interface ManifestDoc {
  /** The version's id. */
  _id: string;
  skillId: string;
  files: { path: string; mode: "100644" | "100755"; size: number; sha256: string }[];
}

export const versionIndexes: IndexDescription[] = [
  { key: { skillId: 1, version: -1 }, unique: true, name: "version_once" },
  { key: { skillId: 1, semver: 1 }, unique: true, name: "semver_once" },
];

export const manifestIndexes: IndexDescription[] = [{ key: { skillId: 1 } }];

export type Versions = ReturnType<typeof openVersions>;

export function openVersions(database: Database) {
  const versions = database.collection<VersionDoc>("versions");
  const manifests = database.collection<ManifestDoc>("manifests");
  return {
    /** Carries rows here; one that is there already is left as it is. */
    record: (rows: VersionDoc[]) => insertOnce(versions, rows),
    recordManifest: (manifest: ManifestDoc) => retryIdempotent(() => insertOnce(manifests, [manifest])),

    find: (skillId: string, version: number) => versions.findOne({ skillId, version }),
    findBySemver: (skillId: string, semver: string) => versions.findOne({ skillId, semver }),
    findManifest: (versionId: string) => manifests.findOne({ _id: versionId }),

    /** Newest first, below a version number where one is given. */
    list(skillId: string, options: { below?: number | undefined; prerelease: boolean; limit: number }) {
      const filter: Filter<VersionDoc> = { skillId };
      if (options.below !== undefined) filter.version = { $lt: options.below };
      if (!options.prerelease) filter.prerelease = false;
      return versions.find(filter).sort({ version: -1 }).limit(options.limit).toArray();
    },
    /** All version numbers with their semver, newest first: what ranges are resolved over. */
    listSemvers: (skillId: string) =>
      versions
        .find({ skillId }, { projection: { _id: 0, version: 1, semver: 1 } })
        .sort({ version: -1 })
        .toArray() as Promise<{ version: number; semver: string }[]>,
    /** Commits of all versions, for tags. */
    listCommits: (skillId: string) =>
      versions.find({ skillId }, { projection: { _id: 0, semver: 1, oid: 1 } }).toArray() as Promise<
        { semver: string; oid: string }[]
      >,
    /** What each of a skill's versions was made of, for telling our own former exports from edits. */
    listContents: (skillId: string, above: number) =>
      versions
        .find(
          { skillId, version: { $gt: above } },
          { projection: { _id: 0, version: 1, oid: 1, format: 1, prerelease: 1, source: 1 } },
        )
        .sort({ version: -1 })
        .toArray() as Promise<VersionContent[]>,
    async removeOfSkill(skillId: string): Promise<void> {
      await Promise.all([versions.deleteMany({ skillId }), manifests.deleteMany({ skillId })]);
    },
  };
}
