/**
 * Appends a version to a skill: commit, then the skill document, then everything derived.
 *
 * The compare-and-set on the skill's head is what makes a version exist. A crash before it leaves an unreferenced
 * commit for garbage collection; after a crash behind it, `projectSkill` does the rest.
 */
import type { FrontmatterDefaults } from "../../../contract/checks/skill-rules.ts";
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { measured } from "../../../contract/observation.ts";
import { modesOnlySentence } from "../../../contract/package/modes.ts";
import type { RepoId, WrittenCommit } from "../../../repos/store/index.ts";
import { isUnavailable, retryIdempotent, untilKnownMs } from "../../../storage/database.ts";
import type { AppendedFields, SkillDoc, VersionSummary } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { findStorageRefusal } from "../../orgs/storage/usage.ts";
import { isInCatalog } from "../load.ts";
import { requireRoom, requireRoomForVersion } from "../marks/change-state.ts";
import { hiddenVersions } from "../marks/marks.ts";
import { scheduleProjection } from "../projection-queue.ts";
import { recordManifestOf } from "../read/manifest.ts";
import { findHold, heldWarning } from "../review/holds.ts";
import { skillRetries } from "../skill-retries.ts";
import { findVersionById } from "../versions/versions.ts";
import { requireBase, type Base } from "./base.ts";
import { predecessorOf, unchangedVersion } from "./content/equal-content.ts";
import { checkVersionContent } from "./content/refused-content.ts";
import type { StoredTree, VersionSource } from "./content/text-source.ts";
import { loadPublishedSemvers, nextSemver, type SemverRequest } from "./next-semver.ts";
import {
  commitDraft,
  heldEvent,
  heldMark,
  messageOrDefault,
  summaryOf,
  versionEvent,
  versionRow,
  type ImportedFrom,
  type VersionFacts,
} from "./version-record.ts";
import { writeCommit } from "./write-commit.ts";

export interface Appended {
  skill: SkillDoc;
  version: VersionDoc;
  /** Nothing was written, because `ifChanged` was set and the content equals that of `version`. */
  unchanged: boolean;
  warnings: string[];
  /** Content location of the version that was current, if the new version came from elsewhere. */
  previousContentLocation?: string;
}

export interface AppendRequest extends SemverRequest {
  message?: string;
  description?: string;
  tags?: string[];
  /** Write nothing if the content equals that of the version to be followed (`predecessorOf`). */
  ifChanged?: boolean;
  /** The version that the content is an edit of. Throws `conflict` when another one became current. */
  base?: Base;
  contentLocation?: string;
  /** Id of the version row; a new one by default. */
  versionId?: string;
  /** No earlier attempt of the call can have written a row of that id. */
  isFirstAttempt?: boolean;
  /** Whether the organization has no space, if the caller has begun to find out. */
  refused?: Promise<ServiceError | undefined>;
  /**
   * Set for a version that is imported from the connected repository. The caller's decision is based on `expectedHead`.
   * Only the `edited` fields of the frontmatter change the skill.
   */
  imported?: ImportedFrom & { expectedHead: number; edited: FrontmatterDefaults };
}

/** Repeats the attempt as long as other writers win the race for the next number. The caller has checked access. */
export async function appendVersion(
  app: App,
  actor: Actor,
  loaded: SkillDoc,
  source: VersionSource,
  request: AppendRequest,
): Promise<Appended> {
  const { imported } = request;
  const identity = { versionId: request.versionId ?? app.newId(), now: app.now() };
  let skill = loaded;
  let prepared: Prepared | undefined;
  const refused = request.refused ?? findStorageRefusal(app, loaded.tenantId);

  return retryLost(skillRetries(loaded.slug, "published by many"), async (attempt) => {
    const earlier = attempt === 0 && request.isFirstAttempt ? null : await findEarlier(app, skill, request);
    if (earlier) return { skill, version: earlier, unchanged: false, warnings: source.warnings };
    requireExpectedHead(skill, imported);
    const published = await loadPublishedSemvers(app, skill, request);
    const before = await predecessorOf(app, skill, published, request);
    requireBase(skill, before, request.base);
    if ((imported || request.ifChanged) && (await source.equals(before, skill))) {
      const { version, warning } = await unchangedVersion(app, skill, before, request);
      return { skill, version, unchanged: true, warnings: [...source.warnings, warning] };
    }

    const [refusal, hold] = await Promise.all([refused, findHold(app, actor, skill, { imported })]);
    if (refusal) throw refusal;
    const facts = factsOf(skill, source, request, { ...identity, semver: nextSemver(published, request) });
    prepared = await prepareCommit(app, actor, skill, facts, prepared);
    const { written, tree, findings } = prepared;
    const row = versionRow(actor, facts, written, { ...tree, findings });
    await checkVersionContent(app, skill, row.hash);
    await recordManifestOf(app, row, written);
    const event = versionEvent(
      app,
      actor,
      imported ? "skill.version_imported" : "skill.version_created",
      facts,
      { version: facts.number, unseen: hold && true },
      written,
    );
    requireRoomForVersion(skill);
    if (hold)
      requireRoom(skill, [...(skill.marks ?? []), { version: row.version, semver: row.semver, ...hold }]);
    const fields = changedFields(row, source, request);
    const updated = await appendOnce(app, skill, row, {
      fields: hold ? { waitingSince: skill.waitingSince ?? row.createdAt } : withListing(skill, fields),
      mark: hold && { ...heldMark(row, hold), fields: row.prerelease ? undefined : releasedFields(fields) },
      folderId: skill.folderId,
      visibility: skill.visibility,
      highestRelease: row.prerelease ? published.highestRelease : facts.semver,
      events: hold ? [event, heldEvent(app, actor, facts, hold)] : [event],
      packBytes: written.packBytes,
      // A revert changes the current version, and not the head.
      expectedCurrent: request.base && skill.current.version,
    });
    if (updated) {
      scheduleProjection(app, updated._id);
      const warnings = [
        ...source.warnings,
        ...(hold ? [heldWarning(row)] : []),
        ...(await changeWarnings(app, row, written, before)),
      ];
      const previousContentLocation = otherLocation(skill, request.contentLocation);
      return { skill: updated, version: row, unchanged: false, warnings, previousContentLocation };
    }
    const reloaded = await retryIdempotent(() => app.storage.skills.find(loaded._id));
    if (!reloaded) throw notFound("skill", skill.slug);
    skill = reloaded;
    return undefined;
  });
}

/** Warnings about a version that changes no file's content. */
async function changeWarnings(
  app: App,
  row: VersionDoc,
  { files }: WrittenCommit,
  before: VersionSummary,
): Promise<string[]> {
  if (row.digest === before.digest)
    return [`The content equals that of version ${before.semver}: only the number changed.`];
  const isSameSize = row.fileCount === before.fileCount && row.totalBytes === before.totalBytes;
  if (row.format !== "package" || before.format !== "package" || !isSameSize) return [];
  const repo = { tenantId: row.tenantId, skillId: row.skillId };
  const sentence = modesOnlySentence(await app.repos.listFiles(repo, before.oid), files);
  return sentence === undefined ? [] : [sentence];
}

/** A retried call finds the version of its first attempt in the head that it would replace: one id, one row. */
async function findEarlier(
  app: App,
  skill: SkillDoc,
  { versionId }: AppendRequest,
): Promise<VersionDoc | null> {
  return versionId === undefined ? null : findVersionById(app, skill, versionId);
}

function factsOf(
  skill: SkillDoc,
  source: VersionSource,
  request: AppendRequest,
  own: Pick<VersionFacts, "versionId" | "now" | "semver">,
): VersionFacts {
  const number = skill.head.version + 1;
  return {
    ...own,
    skill,
    source,
    number,
    description: descriptionIn(source, request) ?? skill.description,
    message: messageOrDefault(request.message, number, own.semver),
    parent: parentOf(skill),
    imported: request.imported,
    contentLocation: request.contentLocation,
  };
}

/**
 * The commit that a new one follows: the newest version, or the current one while the newest is held or rejected, so
 * that no commit that readers get has content behind it that they must not get. Undefined if no version was released.
 */
function parentOf(skill: SkillDoc): string | undefined {
  if (!hiddenVersions(skill).includes(skill.head.version)) return skill.head.oid;
  return skill.withheld === "unreleased" ? undefined : skill.current.oid;
}

/** Content location of a skill's current version, if it and the given one are known and differ. */
export function otherLocation(
  { current }: Pick<SkillDoc, "current">,
  given: string | undefined,
): string | undefined {
  return given === undefined || current.contentLocation === given ? undefined : current.contentLocation;
}

/** The description that the caller sent or the frontmatter contains; undefined leaves the skill's own. */
function descriptionIn({ defaults }: VersionSource, { description, imported }: AppendRequest) {
  return description ?? (imported ? imported.edited : defaults).description;
}

interface Prepared {
  written: WrittenCommit;
  tree: StoredTree;
  findings: VersionDoc["findings"];
}

/** Writes the commit; after a lost race, the tree of the earlier attempt is committed again with the new number. */
async function prepareCommit(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  facts: VersionFacts,
  earlier: Prepared | undefined,
): Promise<Prepared> {
  const repo: RepoId = { tenantId: skill.tenantId, skillId: skill._id };
  const draft = commitDraft(app, actor, facts);
  if (earlier) {
    const written = await app.repos.recommit(repo, earlier.written, draft);
    return { ...earlier, written };
  }
  // Imported text is stored unchanged, so that the next import is compared with it.
  const inFile = (facts.imported && facts.source.defaults.description) ?? facts.description;
  const tree = await facts.source.tree(skill, inFile);
  const kind = { format: facts.source.format, type: skill.type };
  return { tree, ...(await writeCommit(app, actor, repo, draft, tree, kind)) };
}

/** Fields of the skill that a version changes. A value that the version does not set may change concurrently. */
function changedFields(row: VersionDoc, source: VersionSource, request: AppendRequest): AppendedFields {
  const updatedAt = row.createdAt;
  if (row.prerelease) return { updatedAt };
  const defaults = request.imported ? request.imported.edited : source.defaults;
  return {
    updatedAt,
    current: summaryOf(row),
    excerpt: source.excerpt,
    description: descriptionIn(source, request),
    tags: request.tags ?? defaults.tags,
  };
}

/** The fields that a release of the version changes. */
const releasedFields = ({ description, tags }: AppendedFields) => ({ description, tags });

/** A published version ends the state in which none can be installed. */
function withListing(skill: SkillDoc, fields: AppendedFields): AppendedFields {
  if (!skill.withheld || !fields.current) return fields;
  return { ...fields, listed: isInCatalog({ ...skill, withheld: undefined }) };
}

/** The compare-and-set. If its response was lost, the document itself shows whether it was applied. */
async function appendOnce(
  app: App,
  skill: SkillDoc,
  row: VersionDoc,
  change: Parameters<App["storage"]["skills"]["append"]>[3],
): Promise<SkillDoc | null> {
  try {
    return await measured("publish", { stage: "record" }, () =>
      app.storage.skills.append(skill._id, skill.head.version, row, change),
    );
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const isApplied = await retryIdempotent(
      () => app.storage.skills.hasVersion(skill._id, row.version, row._id),
      untilKnownMs,
    );
    if (!isApplied) throw error;
    return retryIdempotent(() => app.storage.skills.find(skill._id), untilKnownMs);
  }
}

/** An import is decided for one newest version. Throws `conflict` when there is a later one. */
function requireExpectedHead(skill: SkillDoc, imported: AppendRequest["imported"]): void {
  if (imported === undefined || imported.expectedHead === skill.head.version) return;
  throw new ServiceError("conflict", `"${skill.slug}" has a new version: decide again.`, {
    kind: "skill",
    ref: skill._id,
    head: skill.head.version,
  });
}
