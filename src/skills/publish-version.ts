/**
 * Appends a version to a skill: commit, then the skill document, then everything derived.
 *
 * The compare-and-set on the skill's head is what makes a version exist. Stopped before it, the commit is garbage
 * that nothing shows; stopped after it, `settleSkill` carries the rest over.
 */
import { isUnavailable, retryIdempotent, untilKnownMs } from "../../storage/database.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { FrontmatterDefaults } from "../../contract/skill-rules.ts";
import type { CommitDraft, RepoId, WrittenCommit } from "../../repos/store/index.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { authorOf, commitIdentity } from "./author.ts";
import { loadSkill } from "./load.ts";
import { recordManifestOf } from "./manifest.ts";
import type { PublishVersion } from "./schema.ts";
import { isPrerelease, nextSemver, type SemverRequest } from "./semver.ts";
import { scheduleSettling } from "./settle.ts";
import { withVersionSource } from "./source.ts";
import type { VersionSource } from "./text-source.ts";

/** How often a publish that lost the race for the next number tries the one after. */
const raceAttempts = 20;

export interface Appended {
  skill: SkillDoc;
  version: VersionDoc;
  /** The bytes equal the current version, so nothing was written. */
  unchanged: boolean;
  warnings: string[];
}

export interface AppendRequest extends SemverRequest {
  message?: string | undefined;
  description?: string | undefined;
  tags?: string[] | undefined;
  /**
   * A version made of a push to the connected repository; the caller decided on what `expectedHead` shows. Of what the
   * frontmatter says, only `edited` reaches the skill.
   */
  imported?: (ImportedFrom & { expectedHead: number; edited: FrontmatterDefaults }) | undefined;
}

/** The commit of a connected repository that a version was made of. One line each. */
export interface ImportedFrom {
  commit: string;
  /** `Name <address>`, as the commit has it; absent where it is not known whose edit it is. */
  author?: string;
}

/** A new version of an existing skill, for whoever may update it. */
export async function publishVersion(
  app: App,
  actor: Actor,
  ref: string,
  input: PublishVersion,
): Promise<Appended> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  // A number that can't be published fails before any byte is looked at.
  nextSemver(skill.highestSemver, input);
  return withVersionSource(app, actor, input, skill.type, (source) =>
    appendVersion(app, actor, skill, source, input),
  );
}

/** Writes the commit and appends it, however many other writers there are. The caller has checked access. */
export async function appendVersion(
  app: App,
  actor: Actor,
  loaded: SkillDoc,
  source: VersionSource,
  request: AppendRequest,
): Promise<Appended> {
  const repo: RepoId = { tenantId: loaded.tenantId, skillId: loaded._id };
  let skill = loaded;
  let written: WrittenCommit | undefined;
  const versionId = app.newId();
  const now = app.now();

  for (let attempt = 0; attempt < raceAttempts; attempt++) {
    const { imported } = request;
    if (imported && imported.expectedHead !== skill.head.version) throw movedOn(skill);
    if (await source.equals(skill.current)) return unchanged(app, skill, source);
    const semver = nextSemver(skill.highestSemver, request);
    const number = skill.head.version + 1;
    const defaults = imported ? imported.edited : source.defaults;
    const described = request.description ?? defaults.description;
    const description = described ?? skill.description;
    // What was pushed stays as it is, so that the next push is compared with that.
    const inFile = (imported && source.defaults.description) ?? description;
    const draft = commitDraft(app, actor, {
      repo,
      number,
      semver,
      versionId,
      now,
      message: request.message,
      parent: skill.head.oid,
      imported,
    });
    written = written
      ? await app.repos.recommit(repo, written, draft)
      : await app.repos.writeCommit(repo, { ...draft, source: source.tree(skill, inFile) });
    if (source.format === "package" && written.digest === skill.current.digest)
      return unchanged(app, skill, source);

    const row = versionRow(actor, {
      skill,
      source,
      written,
      number,
      semver,
      versionId,
      now,
      description,
      message: draft.message,
    });
    const tags = request.tags ?? defaults.tags;
    const current = row.prerelease
      ? {}
      : {
          current: summaryOf(row),
          excerpt: source.excerpt,
          // Said by nobody, it stays as it is, whoever sets it meanwhile.
          ...(described === undefined ? {} : { description: described }),
          ...(tags ? { tags } : {}),
        };
    const event = makeEvent(app, actor, imported ? "skill.version_imported" : "skill.version_created", {
      tenantId: skill.tenantId,
      resourceType: "skill",
      resourceId: skill._id,
      metadata: {
        slug: skill.slug,
        version: number,
        semver,
        commit: written.oid,
        source: actor.origin.source,
        ...importedMetadata(imported),
      },
    });
    await recordManifestOf(app, row, written);
    const change = { fields: { updatedAt: now, ...current }, highestSemver: semver, events: [event] };
    const updated = await appendOnce(app, skill, row, change);
    if (updated) {
      scheduleSettling(app, updated._id);
      return { skill: updated, version: row, unchanged: false, warnings: source.warnings };
    }
    const reloaded = await retryIdempotent(() => app.storage.skills.find(skill._id));
    if (!reloaded) throw notFound("skill", skill.slug);
    skill = reloaded;
  }
  throw new ServiceError("conflict", `"${skill.slug}" is being published by many at once: try again.`, {
    kind: "skill",
    ref: skill.slug,
  });
}

/** The compare-and-set; after an answer that got lost, the document itself tells whether it took place. */
async function appendOnce(
  app: App,
  skill: SkillDoc,
  row: VersionDoc,
  change: Parameters<App["storage"]["skills"]["append"]>[3],
): Promise<SkillDoc | null> {
  try {
    return await app.storage.skills.append(skill._id, skill.head.version, row, change);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const isThere = await retryIdempotent(
      () => app.storage.skills.holdsVersion(skill._id, row.version, row._id),
      untilKnownMs,
    );
    if (!isThere) throw error;
    return retryIdempotent(() => app.storage.skills.find(skill._id), untilKnownMs);
  }
}

async function unchanged(app: App, skill: SkillDoc, source: VersionSource): Promise<Appended> {
  const version =
    skill.pending.find((row) => row.version === skill.current.version) ??
    (await app.storage.versions.find(skill._id, skill.current.version));
  if (!version) throw new Error(`version ${skill.current.version} of skill ${skill._id} has no row`);
  const warning = `The content equals version ${version.semver}, the current one: no new version was made.`;
  return { skill, version, unchanged: true, warnings: [...source.warnings, warning] };
}

export interface CommitFacts {
  repo: RepoId;
  number: number;
  semver: string;
  versionId: string;
  now: Date;
  message: string | undefined;
  parent?: string;
  imported?: ImportedFrom | undefined;
}

/** What the commit of a version says: enough to make its row again (`docs/git-store.md`). */
export function commitDraft(app: App, actor: Actor, facts: CommitFacts): CommitDraft {
  return {
    ...(facts.parent === undefined ? {} : { parent: facts.parent }),
    author: commitIdentity(app, actor),
    at: facts.now,
    message: facts.message?.trim() || (facts.number === 1 ? "Initial version" : `Version ${facts.semver}`),
    trailers: {
      "Svc-Skill": facts.repo.skillId,
      "Svc-Version": String(facts.number),
      "Svc-Semver": facts.semver,
      "Svc-Version-Id": facts.versionId,
      "Svc-Source": actor.origin.source,
      ...(facts.imported ? { "Svc-Import-Commit": facts.imported.commit } : {}),
      ...(facts.imported?.author === undefined ? {} : { "Svc-Import-Author": facts.imported.author }),
    },
  };
}

/** What the audit entry of an import tells beyond that of a publish. */
export function importedMetadata(imported: ImportedFrom | undefined): Record<string, unknown> {
  if (!imported) return {};
  const { commit, author } = imported;
  return { remoteCommit: commit, ...(author === undefined ? {} : { author }) };
}

function movedOn(skill: SkillDoc): ServiceError {
  return new ServiceError("conflict", `"${skill.slug}" has a new version meanwhile: decide again.`, {
    kind: "skill",
    ref: skill._id,
    head: skill.head.version,
  });
}

export interface RowFacts {
  skill: Pick<SkillDoc, "_id" | "tenantId" | "name">;
  source: VersionSource;
  written: WrittenCommit;
  number: number;
  semver: string;
  versionId: string;
  now: Date;
  description: string;
  message: string;
}

export function versionRow(actor: Actor, facts: RowFacts): VersionDoc {
  const { skill, source, written } = facts;
  return {
    _id: facts.versionId,
    skillId: skill._id,
    tenantId: skill.tenantId,
    version: facts.number,
    semver: facts.semver,
    prerelease: isPrerelease(facts.semver),
    message: facts.message,
    format: source.format,
    fileCount: written.fileCount,
    totalBytes: written.totalBytes,
    oid: written.oid,
    treeOid: written.treeOid,
    digest: written.digest,
    hash: source.hash ?? written.digest,
    ...(source.frontmatterHash === undefined ? {} : { frontmatterHash: source.frontmatterHash }),
    name: skill.name,
    description: facts.description,
    author: authorOf(actor),
    source: actor.origin.source,
    createdAt: facts.now,
  };
}

export function summaryOf(row: VersionDoc): SkillDoc["current"] {
  return {
    versionId: row._id,
    version: row.version,
    semver: row.semver,
    oid: row.oid,
    digest: row.digest,
    hash: row.hash,
    ...(row.frontmatterHash === undefined ? {} : { frontmatterHash: row.frontmatterHash }),
    format: row.format,
    fileCount: row.fileCount,
    totalBytes: row.totalBytes,
  };
}
