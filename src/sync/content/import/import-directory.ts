/** Import of one directory: it is adopted, or becomes a skill or a version by the functions that a publish calls. */
import type { RemoteChange, RemoteSkill } from "../../../../repos/mirror/types.ts";
import type { SkillDoc } from "../../../../storage/skills/skills.ts";
import type { SyncBase } from "../../../../storage/sync/bases.ts";
import { slugOfSkill } from "../../../folders/tree/slug.ts";
import { noteConflict } from "../../../skills/following/note-changes.ts";
import type { VersionSource } from "../../../skills/publish/content/text-source.ts";
import type { ImportCommit } from "../../../skills/publish/import/import-commit.ts";
import { importSkill, importVersion } from "../../../skills/publish/import/import-skill.ts";
import { recordMessages, syncActor } from "../../../webhooks/record-messages.ts";
import { reportUndone, tally, type SyncContext } from "../context.ts";
import type { LocatedSkill } from "../export/exported.ts";
import type { ImportAction } from "../plan-types.ts";
import { recordAgreement, recordSecond, removeBases } from "../sync-bases.ts";
import { isHeaderOnly, refuseOtherType, withSource } from "./import-source.ts";
import { findCreatedSkill, findImportedVersion, wasText, type ImportCandidates } from "./recover-import.ts";

export interface ImportFacts {
  /** Tip of the branch. */
  commit: string;
  skills: ReadonlyMap<string, LocatedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
}

export type PlannedImport = Exclude<ImportAction, { kind: "refuse" }>;
type Planned<K extends PlannedImport["kind"]> = Extract<PlannedImport, { kind: K }>;

/** A directory of the branch, and the commit that its content is attributed to. */
interface Edited {
  directory: RemoteSkill;
  commit: ImportCommit;
}

/** `stale`: the skill has changed since the import was planned, so it is planned again. */
type Outcome = "done" | "stale";

/** Path of the directory in the branch that an action is about. */
export const directoryOf = (action: PlannedImport) =>
  (action.kind === "create" ? undefined : action.strayPath) ?? action.path;

export const nameOf = (directory: string) => directory.slice(directory.lastIndexOf("/") + 1);

/** Throws the errors of a publish, for `refusalOf`. */
export async function importDirectory(
  context: SyncContext,
  action: PlannedImport,
  { directory, change }: { directory: RemoteSkill; change: RemoteChange | undefined },
  facts: ImportFacts,
  candidates: ImportCandidates,
): Promise<Outcome> {
  const edited = { directory, commit: importCommitOf(change, facts.commit, context.connection.branch) };
  switch (action.kind) {
    case "adopt":
      return adoptDirectory(context, action, edited, facts);
    case "create":
      return createSkillFrom(context, action, edited, facts, candidates);
    default:
      return appendVersionFrom(context, action, edited, facts);
  }
}

/** Both sides hold the same content: only the merge base is behind. */
async function adoptDirectory(
  context: SyncContext,
  action: Planned<"adopt">,
  edited: Edited,
  { skills, bases }: ImportFacts,
): Promise<Outcome> {
  const { skillId, strayPath, unrecorded, isSecond } = action;
  const base = bases.get(skillId);
  if (unrecorded) await recordConflict(context, skills.get(skillId)!, edited, unrecorded, base);
  // A directory that was only moved does not require another export of the skill.
  const skillRevision = strayPath === undefined ? undefined : base?.skillRevision;
  if (isSecond) await recordSecond(context, action);
  else await recordAgreement(context, action, edited.directory, { version: base?.version, skillRevision });
  return "done";
}

async function createSkillFrom(
  context: SyncContext,
  action: Planned<"create">,
  { directory, commit }: Edited,
  { skills }: ImportFacts,
  candidates: ImportCandidates,
): Promise<Outcome> {
  const type = directory.rootFile === "RULE.md" ? "rule" : "skill";
  const there = action.there === undefined ? undefined : skills.get(action.there);
  const { skillId, version } = await withSource(context, directory, undefined, async (source) => {
    // Imported before, by a sync that was interrupted or a connection that was ended: the branch has the content as it
    // was pushed, which may differ from its export.
    if (there?.type === type && (await source.equals(there.current, there)))
      return { skillId: there.id, version: there.head.version };
    const slug = slugOfSkill(nameOf(directory.path));
    const found = await findCreatedSkill(context, { slug, type }, source, candidates, there);
    if (found !== undefined) return { skillId: found, version: 1 };
    const segments = directory.path.split("/").slice(1);
    const created = await importSkill(context.app, context.actor, source, { segments, type }, commit);
    tally(context, "created", created.skill.folderId);
    return { skillId: created.skill._id, version: 1 };
  });
  candidates.identified.add(skillId);
  await recordAgreement(context, { ...action, skillId }, directory, { version });
  if (action.after !== undefined) await removeBases(context, [action.after]);
  return "done";
}

async function appendVersionFrom(
  context: SyncContext,
  action: Planned<"version">,
  edited: Edited,
  { skills, bases }: ImportFacts,
): Promise<Outcome> {
  const { directory } = edited;
  const planned = skills.get(action.skillId)!;
  const skill = await context.app.storage.skills.find(action.skillId);
  if (!skill || isChanged(skill, planned)) return "stale";
  refuseOtherType(directory, skill);
  const record = (version: number) =>
    action.isSecond
      ? recordSecond(context, action, version)
      : recordAgreement(context, action, directory, { version });
  if (await isHeaderOnly(context, directory, skill)) {
    await record(skill.head.version);
    return "done";
  }
  const imported = await importOnce(context, skill, planned, edited, bases.get(skill._id));
  if (imported === "stale") return "stale";
  if ("alreadyImported" in imported) {
    if (imported.unrecorded)
      await recordConflict(context, planned, edited, imported.unrecorded, bases.get(skill._id));
    await record(imported.alreadyImported);
    return "done";
  }
  if (imported.unchanged) reportUndone(context, directory.path);
  else {
    tally(context, "imported", skill.folderId);
    const versions = { winning: imported.version.version, losing: skill.current.version };
    if (action.conflict) await recordConflict(context, planned, edited, versions, bases.get(skill._id));
  }
  await record(imported.skill.head.version);
  return "done";
}

/** Whether the skill was published since the import was planned: the next round plans it again. */
const isChanged = (skill: SkillDoc, planned: LocatedSkill) =>
  skill.head.version !== planned.head.version || skill.current.version !== planned.current.version;

/** Imports the directory as a version, unless an interrupted sync has done so. */
async function importOnce(
  context: SyncContext,
  skill: SkillDoc,
  planned: LocatedSkill,
  { directory, commit }: Edited,
  base: SyncBase | undefined,
) {
  const findImported = (source: VersionSource) => findImportedVersion(context, planned, source, base);
  const { format } = skill.current;
  if (format === "package" && (await wasText(context, base))) {
    // The import that made the skill a package read a text, without the managed header.
    const found = await withSource(context, directory, "markdown", findImported);
    if (found) return found;
  }
  return withSource(
    context,
    directory,
    format,
    async (source) =>
      (await findImported(source)) ?? importVersion(context.app, context.actor, skill, source, commit),
  );
}

async function recordConflict(
  context: SyncContext,
  { id: skillId, folderId }: LocatedSkill,
  { directory, commit }: Edited,
  versions: { winning: number; losing: number },
  base: SyncBase | undefined,
): Promise<void> {
  const { app, connection } = context;
  tally(context, "conflicts", folderId);
  const authorName = "branch" in commit ? undefined : commit.authorName;
  // Before the record of the conflict: if the sync is interrupted in between, the next one repeats both.
  await noteConflict(app, skillId, versions.winning);
  await recordMessages(app, [
    {
      id: `conflict_${skillId}_${versions.winning}`,
      type: "sync.conflict",
      tenantId: connection.tenantId,
      at: app.now(),
      actor: syncActor,
      resourceType: "skill",
      resourceId: skillId,
      facts: versions,
    },
  ]);
  await app.storage.syncConflicts.record([
    {
      connectionId: connection._id,
      tenantId: connection.tenantId,
      skillId,
      path: directory.path,
      ...versions,
      base: base?.version === undefined ? undefined : base.version,
      commit: commit.oid,
      authorName,
      at: app.now(),
    },
  ]);
}

/** The commit that changed the directory. If the fetched history does not reach it, the tip, without its author. */
function importCommitOf(change: RemoteChange | undefined, tip: string, branch: string): ImportCommit {
  if (!change?.exact) return { oid: tip, branch };
  const { oid, subject, authorName, authorEmail } = change;
  return { oid, subject, authorName, authorEmail };
}
