/**
 * Projection of a skill document: version rows, audit entries, refs, tags and search terms are derived from it. Every
 * step is idempotent.
 */
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { Coalescer } from "../../contract/concurrency/coalescer.ts";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { retryLost } from "../../contract/concurrency/retry-lost.ts";
import { measured } from "../../contract/observation.ts";
import type { SkillDoc, SkillToIndex, SkillToProject } from "../../storage/skills/skills.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import type { App } from "../app.ts";
import { recordEvents } from "../audit/fan-out.ts";
import { loadTrees } from "../folders/tree/trees.ts";
import { countStorageSoon } from "../orgs/storage/usage.ts";
import { perApp } from "../per-app.ts";
import { requestSync } from "../queue/request-sync.ts";
import { reportNewFindings } from "./findings/new-findings.ts";
import { noteChanges } from "./following/note-changes.ts";
import { isInCatalog } from "./load.ts";
import { hiddenVersions, isHidden } from "./marks/marks.ts";
import { signPending } from "./provenance/sign.ts";
import { recordDecisions } from "./review/entries.ts";
import { requestScans } from "./scan/request-scans.ts";
import { entryOf, readContentOf } from "./search/entry.ts";

const refConcurrency = 16;
const refPauseMs = 50;
/** Maximum number of skills that a search indexes. While more are pending, the earliest changes are found later. */
const maxIndexedForSearch = 500;

/** Projects one skill completely. The reconcile job does this with each pending one. */
export async function projectSkill(app: App, skillId: string): Promise<void> {
  await projectRefs(app, await projectRecords(app, [skillId]));
}

const forReaders = perApp(() => new Coalescer<void>());

/** Updates refs and tags for a caller that reads the repository itself. Concurrent calls share one projection. */
export async function projectForReaders(app: App, skill: SkillDoc): Promise<void> {
  const refs = await app.repos.readRefs({ tenantId: skill.tenantId, skillId: skill._id });
  const hasNewestTag = refs.tags.some((tag) => tag.oid === skill.head.oid);
  const isNewestSeen = !hiddenVersions(skill).includes(skill.head.version);
  const main = skill.withheld ? null : skill.current.oid;
  // Where each machine has refs of its own, the tags may be behind although nothing is pending.
  const isBehind = refs.main !== main || refs.head !== skill.head.oid || hasNewestTag !== isNewestSeen;
  if (!isBehind && skill.pendingSince === undefined) return;
  await forReaders(app).run(skill._id, () => projectSkill(app, skill._id));
}

/**
 * Notes changes for followers, copies pending versions, publishes events and requests syncs. Returns the ids of skills
 * that exist.
 */
export const projectRecords = (app: App, ids: string[]): Promise<string[]> =>
  measured("publish", { stage: "project" }, () => projectAll(app, ids));

async function projectAll(app: App, ids: string[]): Promise<string[]> {
  const { skills, versions } = app.storage;
  const found = await skills.listToProject(ids);
  // Before the events are in the log: open pages then read the changes again.
  await noteChanges(app, found);
  await reportNewFindings(app, found);
  await recordDecisions(app, found);
  await requestScans(app, found);
  await Promise.all([
    recordEvents(
      app,
      found.flatMap((skill) => skill.outbox ?? []),
    ),
    versions.record(found.flatMap((skill) => skill.pending)),
    signPending(app, found),
    correctAccess(app, found),
  ]);
  const tenantIds = new Set(found.map((skill) => skill.tenantId));
  for (const tenantId of tenantIds) countStorageSoon(app, tenantId);
  await Promise.all([
    ...Array.from(tenantIds, (tenantId) => requestSync(app, { tenantId })),
    skills.clearProjected(found),
  ]);
  return found.map((skill) => skill._id);
}

/** Effective access was correct when the skill was written; its folders may have changed concurrently. */
async function correctAccess(app: App, found: readonly SkillToProject[]): Promise<void> {
  const alive = found.filter((skill) => !skill.deletedAt && !skill.suspended);
  const inFolders = alive.filter((skill) => skill.folderId !== null);
  const trees = await loadTrees(app, [...new Set(inFolders.map((skill) => skill.tenantId))]);
  for (const skill of alive) {
    const { folderId } = skill;
    const effectiveRestrictionId =
      folderId === null ? null : trees.get(skill.tenantId)!.effectiveRestriction(folderId);
    const listed = isInCatalog({ ...skill, effectiveRestrictionId });
    if (effectiveRestrictionId !== skill.effectiveRestrictionId || listed !== skill.listed)
      await app.storage.skillLocations.correctAccess(skill, { effectiveRestrictionId, listed });
  }
}

/**
 * Writes refs and tags. They are derived from the document as read under the lock, so a late writer never writes
 * outdated ones. Another holder of the lock may have read the document before our change: a skill is projected only
 * once its refs are written after it.
 *
 * False if the newest version is not copied to the collection yet: its tag is written after that, and the skill must
 * stay marked until then, although the copying may end before the mark would be removed.
 */
async function advance(app: App, skill: SkillToIndex): Promise<boolean> {
  const repo = { tenantId: skill.tenantId, skillId: skill._id };
  const exhausted = () => new Error(`the refs of skill ${skill._id} are locked by another process`);
  const { isComplete } = await retryLost({ attempts: 5, exhausted }, async () => {
    let commits: TaggedCommit[] | undefined;
    const result = await app.repos.advanceRefs(repo, async () => {
      const oids = await app.storage.skills.findOids(skill._id);
      commits = await commitsOf(app, skill, oids?.head);
      const hidden = new Set((oids?.marks ?? []).filter(isHidden).map(({ semver }) => semver));
      const named = commits.map(({ semver, oid }) => ({ semver, name: `v${semver}`, oid }));
      return {
        main: oids?.main ?? null,
        head: oids?.head ?? null,
        tags: named.filter(({ semver }) => !hidden.has(semver)),
        hidden: named.filter(({ semver }) => hidden.has(semver)),
      };
    });
    // A call that shared another one's write has read nothing, and repeats it.
    if (result !== "contended")
      return commits && { isComplete: commits.some((commit) => commit.oid === skill.head.oid) };
    await pause(refPauseMs);
    return undefined;
  });
  return isComplete;
}

type TaggedCommit = Pick<VersionDoc, "semver" | "oid">;

/** Commits of the versions that are copied to the collection. `head`: the newest commit now. */
async function commitsOf(
  app: App,
  { _id, head, current }: SkillToIndex,
  newest: string | undefined,
): Promise<TaggedCommit[]> {
  if (head.version === 1 && head.oid === newest) return [{ semver: current.semver, oid: current.oid }];
  return (await app.storage.versions.findCommits(_id)) ?? [];
}

/**
 * Writes refs, tags and search terms, and marks skills as projected that have not changed since. Throws the first
 * failure once all other skills are projected.
 */
export async function projectRefs(app: App, ids: string[]): Promise<void> {
  const found = await app.storage.skills.listToIndex(ids);
  const failures: unknown[] = [];
  const complete: SkillToIndex[] = [];
  await mapLimit(found, refConcurrency, async (skill) => {
    try {
      if (skill.deletedAt || (await advance(app, skill))) complete.push(skill);
    } catch (error) {
      failures.push(error);
    }
  });
  await indexForSearch(app, ids, found);
  await app.storage.skills.markProjected(complete);
  if (failures.length > 0) throw failures[0];
}

async function indexForSearch(app: App, ids: string[], found: readonly SkillToIndex[]): Promise<void> {
  const alive = found.filter((skill) => !skill.deletedAt && skill.withheld !== "unreleased");
  const aliveIds = new Set(alive.map((skill) => skill._id));
  await app.storage.searchEntries.remove(ids.filter((id) => !aliveIds.has(id)));
  await putSearchEntries(app, alive, { isWhole: true });
}

const forSearches = perApp(() => new Coalescer<void>());

/**
 * Writes the search entries that are behind the skills of these organizations, so that a search finds every change that
 * was acknowledged before it, by whichever process. One query if there are none. Concurrent searches share the work.
 */
export async function indexPending(app: App, tenantIds: string[]): Promise<void> {
  if (tenantIds.length === 0) return;
  await forSearches(app).run([...tenantIds].sort().join(), async () =>
    putSearchEntries(app, await app.storage.skills.listUnindexed(tenantIds, maxIndexedForSearch), {
      isWhole: false,
    }),
  );
}

/**
 * Writes search entries. `isWhole`: with the whole texts, which takes longer. Terms of a long text take milliseconds,
 * so other requests continue after each skill.
 */
export async function putSearchEntries(
  app: App,
  alive: readonly SkillToIndex[],
  { isWhole }: { isWhole: boolean },
): Promise<void> {
  const entries = await mapLimit(alive, refConcurrency, async (skill) => {
    const content = isWhole ? await readContentOf(app, skill) : undefined;
    await nextTurn();
    return entryOf(skill, content);
  });
  await app.storage.searchEntries.put(entries);
}
