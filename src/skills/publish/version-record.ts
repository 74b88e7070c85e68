/** Contents of a version's commit, row and audit entry, the same for a first and for a later version. */
import type { CiOrigin } from "../../../contract/payloads/accounts/ci.ts";
import type { CommitDraft, WrittenCommit } from "../../../repos/store/index.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc, VersionMark, VersionSummary } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeSkillEvent } from "../annotate.ts";
import type { Hold } from "../review/holds.ts";
import { isPrerelease } from "../versions/semver.ts";
import { authorOf, commitIdentity } from "./author.ts";
import type { VersionSource } from "./content/text-source.ts";

/** Commit of a connected repository from which a version was imported. Each text is one line. */
export interface ImportedFrom {
  commit: string;
  /** Name of the author without an address, since it becomes part of the commit. Absent if the author is unknown. */
  author?: string;
  /** `Name <address>`, for the audit log only. */
  authorAddress?: string;
}

/** Facts about a version that are decided before its commit is written. */
export interface VersionFacts {
  skill: Pick<SkillDoc, "_id" | "tenantId" | "name" | "slug">;
  source: VersionSource;
  number: number;
  semver: string;
  versionId: string;
  now: Date;
  description: string;
  message: string;
  /** Absent for a first version. */
  parent?: string;
  imported: ImportedFrom | undefined;
  contentLocation: string | undefined;
}

/** The given message, or a default one. */
export function messageOrDefault(message: string | undefined, number: number, semver: string): string {
  return message?.trim() || (number === 1 ? "Initial version" : `Version ${semver}`);
}

/**
 * Commit of a version. Its trailers suffice to restore the row (`docs/concepts/versions.md`) but for the content
 * location: anyone who may read a skill can clone its commits.
 */
export function commitDraft(app: App, actor: Actor, facts: VersionFacts): CommitDraft {
  const { parent, imported } = facts;
  return {
    parent,
    author: commitIdentity(app, actor),
    at: facts.now,
    message: facts.message,
    trailers: {
      "Svc-Skill": facts.skill._id,
      "Svc-Version": String(facts.number),
      "Svc-Semver": facts.semver,
      "Svc-Version-Id": facts.versionId,
      "Svc-Source": actor.origin.source,
      ...(imported ? { "Svc-Import-Commit": imported.commit } : {}),
      ...(imported?.author === undefined ? {} : { "Svc-Import-Author": imported.author }),
      ...runTrailers(runOf(actor)),
    },
  };
}

const runOf = (actor: Actor) => (actor.kind === "organization" ? actor.run : undefined);

function originOf(actor: Actor): Pick<VersionDoc, "run" | "trust" | "byToken"> {
  if (actor.kind !== "organization") return {};
  return { byToken: true, run: actor.run, trust: actor.trust };
}

function runTrailers(run: CiOrigin | undefined): Record<string, string> {
  if (!run) return {};
  const { repository, ref, commit, workflow, runUrl } = run;
  return {
    "Svc-Ci-Repository": repository,
    "Svc-Ci-Ref": ref,
    ...(commit === undefined ? {} : { "Svc-Ci-Commit": commit }),
    ...(workflow === undefined ? {} : { "Svc-Ci-Workflow": workflow }),
    ...(runUrl === undefined ? {} : { "Svc-Ci-Run": runUrl }),
  };
}

export function versionRow(
  actor: Actor,
  facts: VersionFacts,
  written: WrittenCommit,
  { frontmatter, findings }: Pick<VersionDoc, "frontmatter" | "findings">,
): VersionDoc {
  const { skill, source } = facts;
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
    frontmatter,
    findings,
    name: skill.name,
    description: facts.description,
    author: authorOf(actor),
    source: actor.origin.source,
    ...(facts.imported && { importedCommit: facts.imported.commit }),
    ...originOf(actor),
    ...(facts.contentLocation !== undefined && { contentLocation: facts.contentLocation }),
    createdAt: facts.now,
  };
}

export function summaryOf(row: VersionDoc): VersionSummary {
  return {
    versionId: row._id,
    version: row.version,
    semver: row.semver,
    oid: row.oid,
    digest: row.digest,
    hash: row.hash,
    frontmatter: row.frontmatter,
    format: row.format,
    fileCount: row.fileCount,
    totalBytes: row.totalBytes,
    ...(row.findings && { findings: row.findings }),
    ...(row.contentLocation !== undefined && { contentLocation: row.contentLocation }),
  };
}

/** State of a version that is held from the start. */
export const heldMark = ({ version, semver }: VersionDoc, hold: Hold): VersionMark => ({
  version,
  semver,
  ...hold,
});

/** Audit entry of a version that is held from the start; followers are not told of it. */
export function heldEvent(
  app: App,
  actor: Actor,
  { skill, semver }: VersionFacts,
  { held: reasons }: Hold,
): EventRow {
  return makeSkillEvent(app, actor, "skill.version_held", skill, { semver, reasons, unseen: true });
}

/** Audit entry of a version; `metadata` is specific to the event. */
export function versionEvent(
  app: App,
  actor: Actor,
  name: "skill.created" | "skill.created_via_import" | "skill.version_created" | "skill.version_imported",
  { skill, semver, imported }: VersionFacts,
  metadata: Record<string, unknown>,
  { oid: commit }: WrittenCommit,
): EventRow {
  return makeSkillEvent(app, actor, name, skill, {
    ...metadata,
    semver,
    commit,
    source: actor.origin.source,
    ...(imported && { remoteCommit: imported.commit, author: imported.authorAddress }),
  });
}
