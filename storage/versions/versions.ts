/**
 * Versions of skills: rows copied from the skill document, whose atomic write makes a version exist (`skills.ts`). All
 * of them can be restored from the trailers of the commits, but for the content location and the trust in a CI run.
 */
import type { Collection, Filter } from "mongodb";
import type { CiOrigin } from "../../contract/payloads/accounts/ci.ts";
import type { ContentFormat, VersionSource } from "../../contract/vocabulary.ts";
import type { CiTrust } from "../ci/trust.ts";
import { defineCollection } from "../collection.ts";
import { retryIdempotent, type Database } from "../database.ts";
import { batchedLookup, oneOf } from "../lookups/batched-lookup.ts";
import { insertOnce } from "../outbox.ts";

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
  /** Object id of the commit. */
  oid: string;
  treeOid: string;
  /** Canonical SHA-256 of the tree, as in the commit's `Svc-Content`. */
  digest: string;
  /** Hash that clients compare: SHA-256 of the stripped text, or the digest of a package. */
  hash: string;
  /** Absent for packages, and for texts that earlier versions of the service stored. */
  frontmatter?: FrontmatterDigests;
  name: string;
  description: string;
  author: { id: string; name: string; username: string } | null;
  source: VersionSource;
  /** Absent for versions that earlier versions of the service stored. */
  findings?: VersionFindings;
  /** Commit of the connected repository from which it was imported. */
  importedCommit?: string;
  /** Run of a CI pipeline that published it by its identity token, and why the service trusted that. */
  run?: CiOrigin;
  trust?: CiTrust;
  /** Set if an organization's token published it; the author is that token. */
  byToken?: true;
  /** Repository or folder from which a client published it (`contract/package/content-location.ts`). */
  contentLocation?: string;
  createdAt: Date;
}

/** Numbers of the findings about a version, and their ids (`src/skills/findings/`). */
export interface VersionFindings {
  errors: number;
  warnings: number;
  ids: string[];
}

/** SHA-256 of everything before a text's body. */
export interface FrontmatterDigests {
  /** Digest for the published text. */
  published: string;
  /** Digest for the version's tree, with the values that the service has set. */
  stored: string;
}

/** Content of a version, and the way in which it was published. */
export type VersionContent = Pick<VersionDoc, "version" | "oid" | "format" | "prerelease" | "source">;

/** Files of a package version; written before the version exists, so that every version has them. */
export interface ManifestDoc {
  /** The version's id. */
  _id: string;
  skillId: string;
  files: { path: string; mode: "100644" | "100755"; size: number; sha256: string }[];
}

export const versionsCollection = defineCollection({
  name: "versions",
  indexes: [
    { key: { skillId: 1, version: -1 }, unique: true, name: "version_once" },
    { key: { skillId: 1, semver: 1 }, unique: true, name: "semver_once" },
  ],
  others: { manifests: [{ key: { skillId: 1 } }] },
  open: openVersions,
});

function openVersions(versions: Collection<VersionDoc>, database: Database) {
  const manifests = database.collection<ManifestDoc>("manifests");
  return {
    /** Inserts rows; existing ones stay unchanged. */
    record: (rows: VersionDoc[]) => insertOnce(versions, rows),
    recordManifest: (manifest: ManifestDoc) => retryIdempotent(() => insertOnce(manifests, [manifest])),

    find: (skillId: string, version: number) => versions.findOne({ skillId, version }),
    listFacts: (ids: readonly VersionNumber[]) => listFacts(versions, ids),
    findBySemver: (skillId: string, semver: string) => versions.findOne({ skillId, semver }),
    findById: (skillId: string, id: string) => versions.findOne({ _id: id, skillId }),
    listByIds: (skillId: string, ids: string[]) =>
      ids.length === 0 ? [] : versions.find({ _id: { $in: ids }, skillId }).toArray(),
    findOfTenant: (tenantId: string, id: string) => versions.findOne({ _id: id, tenantId }),
    findManifest: (versionId: string) => manifests.findOne({ _id: versionId }),

    /** Versions of any skills, in order of their ids. */
    listAfter: (after: string | undefined, limit: number) =>
      versions
        .find(after === undefined ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Newest first; with `below`, only lower version numbers, and none of `except`. */
    list(
      skillId: string,
      options: { below?: number; except?: readonly number[]; prerelease: boolean; limit: number },
    ) {
      const { below, except = [] } = options;
      const filter: Filter<VersionDoc> = { skillId };
      if (below !== undefined || except.length > 0)
        filter.version = {
          ...(below !== undefined && { $lt: below }),
          ...(except.length > 0 && { $nin: [...except] }),
        };
      if (!options.prerelease) filter.prerelease = false;
      return versions.find(filter).sort({ version: -1 }).limit(options.limit).toArray();
    },
    /** All version numbers with their semver, newest first, for resolving ranges. */
    listSemvers: (skillId: string) =>
      versions
        .find({ skillId }, { projection: { _id: 0, version: 1, semver: 1 } })
        .sort({ version: -1 })
        .toArray() as Promise<{ version: number; semver: string }[]>,
    /** Commits of all versions of a skill, for tags; undefined if there are none. */
    findCommits: commitLookup(versions),
    /** Distinct content hashes of the newest versions of a skill. */
    async listHashes(skillId: string, limit: number): Promise<string[]> {
      const rows = await versions
        .find({ skillId }, { projection: { _id: 0, hash: 1 } })
        .sort({ version: -1 })
        .limit(limit)
        .toArray();
      return [...new Set(rows.map((row) => row.hash))];
    },
    /** Content of each version above a number, for distinguishing previous exports from edits. */
    listContents: (skillId: string, above: number) =>
      versions
        .find(
          { skillId, version: { $gt: above } },
          { projection: { _id: 0, version: 1, oid: 1, format: 1, prerelease: 1, source: 1 } },
        )
        .sort({ version: -1 })
        .toArray() as Promise<VersionContent[]>,
    findFirstWith: (skillId: string, upTo: number, ids: readonly string[]) =>
      firstWithFindings(versions, skillId, upTo, ids),
    ...repairOperations(versions, manifests),
    async removeOfSkill(skillId: string): Promise<void> {
      await Promise.all([versions.deleteMany({ skillId }), manifests.deleteMany({ skillId })]);
    },
  };
}

function repairOperations(versions: Collection<VersionDoc>, manifests: Collection<ManifestDoc>) {
  return {
    /** Rows above a number, and rows with the number or semver of other ones. */
    listSuspects(
      skillId: string,
      above: number,
      others: readonly Pick<VersionDoc, "version" | "semver">[],
    ): Promise<VersionDoc[]> {
      const filters: Filter<VersionDoc>[] = [{ version: { $gt: above } }];
      if (others.length > 0)
        filters.push(
          { version: { $in: others.map(({ version }) => version) } },
          { semver: { $in: others.map(({ semver }) => semver) } },
        );
      return versions.find({ skillId, $or: filters }).toArray();
    },
    async remove(skillId: string, rows: readonly Pick<VersionDoc, "_id">[]): Promise<void> {
      const ids = rows.map(({ _id }) => _id);
      await versions.deleteMany({ _id: { $in: ids }, skillId });
      await manifests.deleteMany({ _id: { $in: ids }, skillId });
    },
  };
}

interface VersionNumber {
  skillId: string;
  version: number;
}

/** Author and time of versions, in no particular order. */
async function listFacts(
  versions: Collection<VersionDoc>,
  ids: readonly VersionNumber[],
): Promise<Pick<VersionDoc, "skillId" | "version" | "semver" | "author" | "createdAt">[]> {
  if (ids.length === 0) return [];
  const projection = { skillId: 1, version: 1, semver: 1, author: 1, createdAt: 1 };
  return versions.find({ $or: ids.map((id) => ({ ...id })) }, { projection }).toArray();
}

function commitLookup(versions: Collection<VersionDoc>) {
  return batchedLookup(async (skillIds) => {
    const projection = { _id: 0, skillId: 1, semver: 1, oid: 1 };
    const commits = new Map<string, { semver: string; oid: string }[]>();
    for await (const row of versions.find({ skillId: oneOf(skillIds) }, { projection })) {
      const ofSkill = commits.get(row.skillId);
      if (ofSkill) ofSkill.push(row);
      else commits.set(row.skillId, [row]);
    }
    return commits;
  });
}

/** The lowest version with each finding, among those up to a number. */
async function firstWithFindings(
  versions: Collection<VersionDoc>,
  skillId: string,
  upTo: number,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await versions
    .aggregate<{ _id: string; version: number }>([
      { $match: { skillId, version: { $lte: upTo }, "findings.ids": { $in: [...ids] } } },
      { $project: { version: 1, id: { $setIntersection: ["$findings.ids", [...ids]] } } },
      { $unwind: "$id" },
      { $group: { _id: "$id", version: { $min: "$version" } } },
    ])
    .toArray();
  return new Map(rows.map(({ _id, version }) => [_id, version]));
}
