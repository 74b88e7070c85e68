/**
 * Carries a branch's edits over: each becomes a version, or a new skill, through the services that a publish calls. The
 * base is written after each one: a stop in between leaves content that both sides hold, which the next sync sees.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PackageError } from "../../contract/package-rules.ts";
import type { ContentFormat } from "../../contract/vocabulary.ts";
import { planImport as planSource, textOf, withoutManagedHeader } from "../../repos/mirror/layout.ts";
import type { DirectoryListing, RemoteChange, RemoteSkill } from "../../repos/mirror/types.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { SyncBase } from "../../storage/sync-bases.ts";
import { ServiceError } from "../errors.ts";
import { slugOfSkill } from "../folders/slug.ts";
import { inLanes } from "../lanes.ts";
import { importSkill, importVersion, type ImportCommit } from "../skills/import.ts";
import { readPackageSource } from "../skills/package-source.ts";
import { readTextSource, type VersionSource } from "../skills/text-source.ts";
import type { ImportAction } from "./decide.ts";
import type { PlacedSkill } from "./exported.ts";
import { madeBefore, takenBefore, wasTextAt, type Made } from "./taken.ts";
import { refuse, type SyncWork } from "./work.ts";

/** No revision is this: the skill is looked at again before the next export. */
const unseenRevision = -1;

export interface ImportFacts {
  commit: string;
  directories: readonly RemoteSkill[];
  skills: ReadonlyMap<string, PlacedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
}

export interface Imported {
  /** Something was written here: skills and bases have to be read again. */
  isChanged: boolean;
  /** A skill was published meanwhile: decide again before anything is exported. */
  hasMoved: boolean;
  /** Directories that were refused, and the skills that they are: not to be overwritten there. */
  refused: Set<string>;
  held: Set<string>;
}

export async function applyImport(
  work: SyncWork,
  actions: readonly ImportAction[],
  facts: ImportFacts,
): Promise<Imported> {
  const imported: Imported = { isChanged: false, hasMoved: false, refused: new Set(), held: new Set() };
  const at = new Map(facts.directories.map((directory) => [directory.path, directory]));
  const placeOf = (action: ImportAction) =>
    (action.kind === "create" ? undefined : action.strayPath) ?? action.path;
  const changes = await work.mirror.lastChanges(
    facts.commit,
    actions.filter((action) => action.kind !== "adopt" || action.unnoted).map(placeOf),
  );
  const orphans = Array.from(facts.skills.values()).filter(({ id }) => !facts.bases.has(id));
  const known = actions.map((action) => (action.kind === "create" ? action.there : action.skillId));
  const made: Made = { orphans, known: new Set(known.filter((id) => id !== undefined)) };
  await inLanes(groupsOf(actions), importsAtOnce, async (group) => {
    for (const action of group) await attempt(action);
  });
  return imported;

  async function attempt(action: ImportAction): Promise<void> {
    work.signal.throwIfAborted();
    const directory = at.get(placeOf(action))!;
    try {
      const done = await carryOut(work, action, directory, changes.get(directory.path), facts, made);
      if (done === "moved") imported.hasMoved = true;
      else imported.isChanged = true;
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      refuse(work, directory.path, refusal.code, refusal.message);
      imported.refused.add(directory.path);
      if (action.kind === "create") return;
      imported.held.add(action.skillId);
      const base = facts.bases.get(action.skillId);
      if (base) await noteProblem(work, base, refusal);
    }
  }
}

/** Most of an import is waiting for the disk and the database. */
const importsAtOnce = 8;

/** New skills that want the same slug come one after the other, in the order of their paths. */
function groupsOf(actions: readonly ImportAction[]): ImportAction[][] {
  const groups = new Map<string, ImportAction[]>();
  for (const action of actions) {
    const key =
      action.kind === "create" ? `slug ${slugOfSkill(nameOf(action.path))}` : `skill ${action.skillId}`;
    const group = groups.get(key);
    if (group) group.push(action);
    else groups.set(key, [action]);
  }
  return [...groups.values()];
}

const nameOf = (directory: string) => directory.slice(directory.lastIndexOf("/") + 1);

async function carryOut(
  work: SyncWork,
  action: ImportAction,
  directory: RemoteSkill,
  change: RemoteChange | undefined,
  facts: ImportFacts,
  made: Made,
): Promise<"done" | "moved"> {
  const { app, counts } = work;
  const commit = importCommitOf(change, facts.commit, work.connection.branch);
  if (action.kind === "adopt") {
    const { skillId, strayPath, unnoted } = action;
    if (unnoted) await noteConflict(work, skillId, directory, unnoted, commit);
    const base = facts.bases.get(skillId);
    // Where a directory was moved to is no reason to write the skill again.
    const seen = strayPath === undefined ? undefined : base?.skillRevision;
    await writeBase(work, action, directory, base?.version, seen);
    return "done";
  }
  if (action.kind === "create") {
    const type = directory.rootFile === "RULE.md" ? "rule" : "skill";
    const there = action.there === undefined ? undefined : facts.skills.get(action.there);
    const { skillId, version } = await withSource(work, directory, undefined, async (source) => {
      // Taken in before, by a sync that was stopped then or a connection that was ended: as it was written, not as we write it.
      if (there?.type === type && (await source.equals(there.current)))
        return { skillId: there.id, version: there.head.version };
      const before = await madeBefore(
        work,
        { slug: slugOfSkill(nameOf(directory.path)), type },
        source,
        made,
        there,
      );
      if (before !== undefined) return { skillId: before, version: 1 };
      const segments = directory.path.split("/").slice(1);
      const created = await importSkill(app, work.actor, source, { segments, type }, commit);
      counts.created++;
      return { skillId: created.skill._id, version: 1 };
    });
    made.known.add(skillId);
    await writeBase(work, { ...action, skillId }, directory, version);
    if (action.after !== undefined)
      await app.storage.syncBases.removeMany(work.connection._id, fenceOf(work), [action.after]);
    return "done";
  }

  const decidedOn = facts.skills.get(action.skillId)!;
  const skill = await app.storage.skills.find(action.skillId);
  // Deleted or published since: the next round decides on what is there now.
  if (
    !skill ||
    skill.head.version !== decidedOn.head.version ||
    skill.current.version !== decidedOn.current.version
  )
    return "moved";
  if ((directory.rootFile === "RULE.md") !== (skill.type === "rule"))
    throw new ServiceError(
      "refused",
      `${directory.path} holds a ${directory.rootFile}, but the skill is a ${skill.type}: a skill keeps its type.`,
    );
  if (await isHeaderOnly(work, directory, skill)) {
    await writeBase(work, action, directory, skill.head.version);
    return "done";
  }
  const base = facts.bases.get(skill._id);
  const isTaken = (source: VersionSource) => takenBefore(work, decidedOn, source, base);
  const wasText = skill.current.format === "package" && (await wasTextAt(work, base));
  // What became a package by it was a text when it was read, and its header no part of it.
  const asText = wasText ? await withSource(work, directory, "markdown", isTaken) : undefined;
  const appended =
    asText ??
    (await withSource(
      work,
      directory,
      skill.current.format,
      async (source) => (await isTaken(source)) ?? importVersion(app, work.actor, skill, source, commit),
    ));
  if (appended === "moved") return "moved";
  if ("taken" in appended) {
    if (appended.unnoted) await noteConflict(work, skill._id, directory, appended.unnoted, commit);
    await writeBase(work, action, directory, appended.taken);
    return "done";
  }
  if (!appended.unchanged) {
    counts.imported++;
    if (action.conflict) {
      const sides = { winning: appended.version.version, losing: skill.current.version };
      await noteConflict(work, skill._id, directory, sides, commit);
    }
  }
  await writeBase(work, action, directory, appended.skill.head.version);
  return "done";
}

async function noteConflict(
  { app, connection, counts }: SyncWork,
  skillId: string,
  { path: place }: RemoteSkill,
  sides: { winning: number; losing: number },
  commit: ImportCommit,
): Promise<void> {
  counts.conflicts++;
  const { authorName, authorEmail } = "branch" in commit ? {} : commit;
  await app.storage.syncConflicts.record([
    {
      connectionId: connection._id,
      tenantId: connection.tenantId,
      skillId,
      path: place,
      ...sides,
      commit: commit.oid,
      ...(authorName === undefined ? {} : { authorName }),
      ...(authorEmail === undefined ? {} : { authorEmail }),
      at: app.now(),
    },
  ]);
}

/** Opens a directory as what a publish brings. Throws `PackageError` or `ServiceError` for what can't be one. */
async function withSource<T>(
  { mirror }: SyncWork,
  directory: RemoteSkill,
  format: ContentFormat | undefined,
  use: (source: VersionSource) => Promise<T>,
): Promise<T> {
  const listing = await mirror.list(directory);
  refuseListed(directory, listing);
  const plan = planSource(listing.files, directory.rootFile, format);
  if (plan.kind === "text") {
    const text = textOf(await mirror.read(plan.file.oid));
    if (text === undefined)
      throw new ServiceError("content_invalid", `${directory.rootFile} is not UTF-8 text.`);
    return use(readTextSource(withoutManagedHeader(text), plan.type));
  }
  const folder = await mkdtemp(path.join(tmpdir(), "svc-import-"));
  try {
    const zip = path.join(folder, "package.zip");
    const replaced = new Map<string, Buffer>();
    const root = plan.stripHeader ? textOf(await mirror.read(plan.rootFile.oid)) : undefined;
    if (root !== undefined) replaced.set(plan.rootFile.path, Buffer.from(withoutManagedHeader(root)));
    await mirror.writeZip(listing.files, zip, replaced);
    return await use(await readPackageSource(zip));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether all that differs from the current version is the managed header, which is no part of it. */
async function isHeaderOnly(
  { app, mirror }: SyncWork,
  directory: RemoteSkill,
  skill: SkillDoc,
): Promise<boolean> {
  if (skill.current.format !== "markdown") return false;
  const { files, refused } = await mirror.list(directory);
  const [only, ...others] = files;
  if (!only || others.length > 0 || refused.length > 0) return false;
  const repo = { tenantId: skill.tenantId, skillId: skill._id };
  const [there, here] = await Promise.all([
    mirror.read(only.oid),
    app.repos.readFile(repo, skill.current.oid, directory.rootFile),
  ]);
  const text = textOf(there);
  return (
    text !== undefined && here !== undefined && withoutManagedHeader(text) === here.data.toString("utf8")
  );
}

function refuseListed(directory: RemoteSkill, { refused }: DirectoryListing): void {
  const [first] = refused;
  if (!first) return;
  const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : "";
  throw new ServiceError(
    "content_invalid",
    `${directory.path}/${first.path}: ${first.message}${more}`.slice(0, 1000),
  );
}

/** The tip's author need not have had to do with it. */
function importCommitOf(change: RemoteChange | undefined, tip: string, branch: string): ImportCommit {
  if (!change?.exact) return { oid: tip, branch };
  const { oid, subject, authorName, authorEmail } = change;
  return { oid, subject, authorName, authorEmail };
}

/** Failures of ours, which say nothing of a directory. */
const ownFailures: readonly string[] = ["internal", "unavailable", "rate_limited"];

/** What the service will not have stays out, and says why; anything else is a failure of the sync. */
function refusalOf(error: unknown): { code: string; message: string } | undefined {
  if (error instanceof PackageError) return { code: error.rule, message: error.message };
  if (!(error instanceof ServiceError) || ownFailures.includes(error.code)) return undefined;
  return { code: error.code, message: error.message };
}

const fenceOf = ({ connection }: SyncWork) => connection.lease!.fence;

async function writeBase(
  work: SyncWork,
  agreed: { skillId: string; path: string; contentTree: string; strayPath?: string },
  directory: RemoteSkill,
  version: number | undefined,
  skillRevision = unseenRevision,
): Promise<void> {
  const { skillId, contentTree, strayPath } = agreed;
  const row: SyncBase = {
    skillId,
    path: agreed.path,
    contentTree,
    skillRevision,
    ...(version === undefined ? {} : { version }),
    ...(directory.svcBlob === null ? {} : { svcBlob: directory.svcBlob }),
    ...(strayPath === undefined ? {} : { strayPath }),
  };
  await work.app.storage.syncBases.putMany(work.connection, fenceOf(work), [row]);
}

/** Tells at the skill why it is not in step, without touching what was agreed on. */
export async function noteProblem(
  work: SyncWork,
  base: SyncBase,
  problem: { code: string; message: string },
): Promise<void> {
  const { skillId, path: place, contentTree, svcBlob, skillRevision, version, strayPath } = base;
  const row: SyncBase = {
    skillId,
    path: place,
    contentTree,
    skillRevision,
    ...(version === undefined ? {} : { version }),
    ...(svcBlob === undefined ? {} : { svcBlob }),
    ...(strayPath === undefined ? {} : { strayPath }),
    problem: { ...problem, at: work.app.now() },
  };
  await work.app.storage.syncBases.putMany(work.connection, fenceOf(work), [row]);
}
