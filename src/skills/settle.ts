/**
 * Everything that follows from a skill document: version rows, audit entries, refs, tags and search terms. Skills that changed are
 * settled together a moment later, so that a publish pays for little of it; the reconcile job finds what a stop left.
 * Running any of it twice equals running it once.
 */
import { setTimeout as pause } from "node:timers/promises";
import { RepoError } from "../../repos/errors.ts";
import { LastWord } from "../../repos/store/single-flight.ts";
import type { SkillDoc, SkillToSettle } from "../../storage/skills.ts";
import type { App } from "../app.ts";
import { loadTrees } from "../folders/load.ts";
import { requestSync } from "../orgs/request-sync.ts";
import { termsOfSkill } from "./search-terms.ts";

/** How long changes gather before they are settled together. */
const gatherMs = 30;
/** Tags and search terms are rewritten whole, so they wait for the versions of a burst. */
const tagsMs = 1000;
const retryMs = { first: 500, most: 60_000 };
const batchSkills = 100;
const refsAtOnce = 4;
const refAttempts = 5;
const refPauseMs = 50;

/** What one process has still to settle. */
class Settler {
  readonly #app: App;
  readonly #changed = new Set<string>();
  readonly #untagged = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #tagTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isRunning = false;

  constructor(app: App) {
    this.#app = app;
  }

  add(skillId: string): void {
    this.#changed.add(skillId);
    this.#schedule(gatherMs);
  }

  #schedule(delayMs: number): void {
    if (this.#isRunning) return;
    this.#timer ??= setTimeout(() => this.#round(), delayMs).unref();
  }

  #round(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#changed].slice(0, batchSkills);
    if (this.#isRunning || ids.length === 0) return;
    for (const id of ids) this.#changed.delete(id);
    this.#isRunning = true;
    this.#app.background("settle skills", async () => {
      let delayMs = 0;
      try {
        for (const id of await settleFacts(this.#app, ids)) this.#untagged.add(id);
        this.#failures = 0;
        this.#tagTimer ??= setTimeout(() => this.#tag(), tagsMs).unref();
      } catch (error) {
        for (const id of ids) this.#changed.add(id);
        delayMs = Math.min(retryMs.first * 2 ** this.#failures++, retryMs.most);
        throw error;
      } finally {
        this.#isRunning = false;
        if (this.#changed.size > 0) this.#schedule(delayMs);
      }
    });
  }

  #tag(): void {
    clearTimeout(this.#tagTimer);
    this.#tagTimer = undefined;
    const ids = [...this.#untagged];
    this.#untagged.clear();
    if (ids.length === 0) return;
    this.#app.background("tag skills", () => settleTags(this.#app, ids));
  }

  /** Starts at once what is due; the caller waits for the background. True while anything is left. */
  flush(): boolean {
    if (this.#failures === 0) this.#round();
    if (!this.#isRunning) this.#tag();
    return this.#isRunning || (this.#failures === 0 && this.#changed.size + this.#untagged.size > 0);
  }
}

const settlers = new WeakMap<App, Settler>();

/** Settles a skill soon, together with others that changed meanwhile. */
export function scheduleSettling(app: App, skillId: string): void {
  let settler = settlers.get(app);
  if (!settler) settlers.set(app, (settler = new Settler(app)));
  settler.add(skillId);
}

/** Starts what is due without waiting for its time; true while anything is left. For the end of a process. */
export function flushSettling(app: App): boolean {
  return settlers.get(app)?.flush() ?? false;
}

/** Settles one skill whole: what the reconcile job does with each that was left. */
export async function settleSkill(app: App, skillId: string): Promise<void> {
  await settleTags(app, await settleFacts(app, [skillId]));
}

const forReaders = new WeakMap<App, LastWord<void>>();

/** Brings refs and tags up to date for whoever is about to read the repository itself; many do it as one. */
export async function settleForReaders(app: App, skill: SkillDoc): Promise<void> {
  const refs = await app.repos.readRefs({ tenantId: skill.tenantId, skillId: skill._id });
  const isBehind = refs.main !== skill.current.oid || refs.head !== skill.head.oid;
  if (!isBehind && skill.unsettledAt === undefined) return;
  let settling = forReaders.get(app);
  if (!settling) forReaders.set(app, (settling = new LastWord()));
  await settling.run(skill._id, () => settleSkill(app, skill._id));
}

/** Carries pending versions and events over and advances refs; answers the skills that exist. */
async function settleFacts(app: App, ids: string[]): Promise<string[]> {
  const { skills, versions, auditEvents } = app.storage;
  const found = await skills.listToSettle(ids);
  await Promise.all([
    auditEvents.record(found.flatMap((skill) => skill.outbox ?? [])),
    versions.record(found.flatMap((skill) => skill.pending)),
  ]);
  await eachOf(found, async (skill) => {
    if (!skill.deletedAt) await advance(app, skill);
  });
  await placeAgain(app, found);
  for (const tenantId of new Set(found.map((skill) => skill.tenantId))) await requestSync(app, { tenantId });
  await skills.settle(found);
  return found.map((skill) => skill._id);
}

/** What a skill says of its place was true when it was written; its folders may have changed beside that. */
async function placeAgain(app: App, found: readonly SkillToSettle[]): Promise<void> {
  const filed = found.filter((skill) => skill.folderId !== null && !skill.deletedAt);
  const trees = await loadTrees(app, [...new Set(filed.map((skill) => skill.tenantId))]);
  for (const skill of filed) {
    const governingFolderId = trees.get(skill.tenantId)!.governing(skill.folderId!);
    const listed = skill.visibility === "public" && governingFolderId === null;
    if (governingFolderId !== skill.governingFolderId || listed !== skill.listed)
      await app.storage.skillPlaces.correct(skill._id, skill.folderId, { governingFolderId, listed });
  }
}

/**
 * Refs are written from the document as it is under the lock, so a late writer can't set them back. Whoever holds the
 * lock may have read before our change: a skill is settled only once its refs were written after it.
 */
async function advance(app: App, skill: SkillToSettle): Promise<void> {
  const repo = { tenantId: skill.tenantId, skillId: skill._id };
  for (let attempt = 0; attempt < refAttempts; attempt++) {
    const result = await app.repos.advanceRefs(repo, async () => {
      const oids = await app.storage.skills.findOids(skill._id);
      return { main: oids?.current ?? null, head: oids?.head ?? null };
    });
    if (result !== "contended") return;
    await pause(refPauseMs);
  }
  throw new Error(`the refs of skill ${skill._id} are held by another process`);
}

/** Writes tags and search terms, and marks those skills settled that did not change again. */
async function settleTags(app: App, ids: string[]): Promise<void> {
  const found = await app.storage.skills.listToSettle(ids);
  await eachOf(found, async (skill) => {
    if (skill.deletedAt) return;
    const commits = await app.storage.versions.listCommits(skill._id);
    const tags = commits.map(({ semver, oid }) => ({ name: `v${semver}`, oid }));
    await setTags(app, { tenantId: skill.tenantId, skillId: skill._id }, tags);
  });
  await indexForSearch(app, ids);
  await app.storage.skills.finishSettling(found);
}

/** Waits for another writer of the same tags, who may have read the versions before ours. */
async function setTags(app: App, ...tags: Parameters<App["repos"]["setTags"]>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await app.repos.setTags(...tags);
      return;
    } catch (error) {
      if (!(error instanceof RepoError && error.retryable) || attempt === refAttempts) throw error;
      await pause(refPauseMs);
    }
  }
}

async function indexForSearch(app: App, ids: string[]): Promise<void> {
  const { skills, searchEntries } = app.storage;
  const found = await skills.listToIndex(ids);
  const alive = found.filter((skill) => !skill.deletedAt);
  await searchEntries.remove(ids.filter((id) => !alive.some((skill) => skill._id === id)));
  await searchEntries.put(
    alive.map((skill) => ({
      _id: skill._id,
      tenantId: skill.tenantId,
      revision: skill.revision,
      listed: skill.listed,
      terms: termsOfSkill(skill),
      type: skill.type,
      visibility: skill.visibility,
      tags: skill.tags,
      folderId: skill.folderId,
      governingFolderId: skill.governingFolderId,
      createdAt: skill.createdAt,
      updatedAt: skill.updatedAt,
      downloads: skill.downloads,
    })),
  );
}

async function eachOf<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(refsAtOnce, items.length) }, lane));
}
