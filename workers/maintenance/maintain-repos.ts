/** Keeps repositories small and sound: merges, repacks and checks a part of them every night. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { type NativeGit, gitVersion } from "../../repos/native-git.ts";
import type { RepoId } from "../../repos/store/index.ts";
import type { App } from "../../src/app.ts";
import { type VerifyReport, verifySkill } from "../../src/operations/verify.ts";
import { countStorageSoon } from "../../src/orgs/storage/usage.ts";
import { removeEndedMarketplaces } from "../../src/reach/marketplaces/remove.ts";
import { projectSkill } from "../../src/skills/projection.ts";
import { reconcileConnections } from "./reconcile-connections.ts";
import { walk } from "./walk.ts";

/** A publish merges when 16 packs of a size class have gathered; with so many in all, one was stopped before it did. */
const manyPacks = 16;
/** With fewer packs, a repack saves too little. */
const packsToRepack = 3;
/** Repositories in active use soon get new packs again. */
const idleMs = 24 * 3_600_000;
/** Nights in which all skills are visited: by the repack if all of them change, and by the check of their versions. */
const nights = { repack: 50, check: 90 };
/** Skills of one night, of an installation of any size. */
const least = { repack: 500, check: 50 };
const packConcurrency = 8;

const gitOf = (app: App): NativeGit => ({
  program: app.config.gitProgram,
  searchPath: app.config.searchPath,
});

/** Part of the skills for one night. */
const shareOf = async (app: App, kind: "repack" | "check"): Promise<number> =>
  Math.max(least[kind], Math.ceil((await app.storage.skills.estimateCount()) / nights[kind]));

/**
 * Removes data of ended connections; queues a merge for every repository with many packs and, if a git program is
 * available, a repack for idle ones. Packs are counted for skills that have changed since the last pass only. The next
 * night continues where the number of repacks has ended this one.
 */
export async function maintainRepos(app: App): Promise<void> {
  await reconcileConnections(app);
  const hasGit = (await gitVersion(gitOf(app))) !== undefined;
  const upkeep = { hasGit, maxRepacks: await shareOf(app, "repack"), merges: 0, repacks: 0 };
  await walk(app, {
    name: "compact",
    limit: Infinity,
    batch: 500,
    list: (after, limit) => app.storage.skills.listAfter(after, limit),
    positionOf: ({ _id }) => _id,
    async visit(skills, { previousAt }) {
      const since = previousAt === undefined ? 0 : previousAt.getTime() - 2 * idleMs;
      const changed = skills.filter(({ updatedAt }) => updatedAt.getTime() >= since);
      await measure(app, [...changed, ...skills.filter(({ storedBytes }) => storedBytes === undefined)]);
      const next = await queueUpkeep(app, changed, upkeep);
      return next === undefined ? {} : { ended: skills.indexOf(next) };
    },
  });
  await walk(app, {
    name: "compact-marketplaces",
    limit: Infinity,
    batch: 500,
    list: (after, limit) => app.storage.marketplaces.listAfter(after, limit),
    positionOf: ({ _id }) => _id,
    async visit(marketplaces) {
      const kept = await removeEndedMarketplaces(app, marketplaces);
      const repositories = kept.map(({ repoId, ...rest }) => ({ ...rest, _id: repoId }));
      await queueUpkeep(app, repositories, { ...upkeep, maxRepacks: Infinity });
    },
  });
  app.log.info({ ...upkeep }, "queued repository maintenance");
}

type ListedSkill = Awaited<ReturnType<App["storage"]["skills"]["listAfter"]>>[number];

/** Corrects the sizes of repositories, of which merges and repacks leave less than their versions have added. */
async function measure(app: App, skills: readonly ListedSkill[]): Promise<void> {
  await mapLimit([...new Set(skills)], packConcurrency, async (skill) => {
    const bytes = await app.repos.measure({ tenantId: skill.tenantId, skillId: skill._id });
    if (bytes !== skill.storedBytes) await app.storage.skills.noteStoredBytes(skill, bytes);
  });
  for (const tenantId of new Set(skills.map((skill) => skill.tenantId))) countStorageSoon(app, tenantId);
}

interface Upkeep {
  hasGit: boolean;
  maxRepacks: number;
  /** Numbers of queued jobs. */
  merges: number;
  repacks: number;
}

/** Queues merges and repacks. Returns the skill that is one repack too many. A marketplace stands for a skill. */
async function queueUpkeep<T extends Pick<ListedSkill, "_id" | "tenantId" | "updatedAt">>(
  app: App,
  skills: T[],
  upkeep: Upkeep,
): Promise<T | undefined> {
  const packs = await mapLimit(skills, packConcurrency, ({ _id: skillId, tenantId }) =>
    app.repos.countPacks({ tenantId, skillId }),
  );
  for (const [at, skill] of skills.entries()) {
    const repo = { tenantId: skill.tenantId, skillId: skill._id };
    if (packs[at]! >= packsToRepack && upkeep.hasGit && isIdle(app, skill.updatedAt)) {
      if (upkeep.repacks >= upkeep.maxRepacks) return skill;
      await app.queue.enqueue("maintenance.repack", repo, { jobId: skill._id });
      upkeep.repacks++;
    } else if (packs[at]! >= manyPacks) {
      await app.queue.enqueue("maintenance.merge-packs", repo, { jobId: skill._id });
      upkeep.merges++;
    }
  }
  return undefined;
}

/** Repacks an idle repository. Git packs only what refs reach, so the refs are brought up to date first. */
export async function repackRepository(app: App, repo: RepoId): Promise<void> {
  const skill = await app.storage.skills.find(repo.skillId);
  const owner = skill ?? (await app.storage.marketplaces.findByRepository(repo.skillId));
  // Any other repository may be in creation or erasure.
  if (!owner || !isIdle(app, owner.updatedAt)) return;
  if (skill) await projectSkill(app, repo.skillId);
  const report = await app.repos.repack(repo, gitOf(app));
  if (report.written > 0) app.log.info({ ...report, skillId: repo.skillId }, "repacked a repository");
}

const isIdle = (app: App, updatedAt: Date) => app.now().getTime() - updatedAt.getTime() > idleMs;

/**
 * Reads every version of the next skills, and runs `git fsck` on their repositories, so that all are checked within 90
 * nights. Queues their merges and repacks again, whose jobs may have been lost since the skills last changed. Throws a
 * permanent error with the faults found: the job stays in the list of failed jobs until an administrator removes it.
 */
export async function checkRepos(app: App): Promise<void> {
  const git = gitOf(app);
  const hasGit = (await gitVersion(git)) !== undefined;
  const upkeep = { hasGit, maxRepacks: Infinity, merges: 0, repacks: 0 };
  const report: VerifyReport = { skills: 0, versions: 0, faults: [] };
  const checkSkill = async ({ _id: skillId, tenantId }: { _id: string; tenantId: string }) => {
    const skill = await app.storage.skills.find(skillId);
    if (!skill) return;
    const before = report.faults.length;
    await verifySkill(app, skill, report);
    // Without a repository, there is nothing that git could read.
    if (!hasGit || report.faults.length > before) return;
    for (const problem of await app.repos.findFaults({ tenantId, skillId }, git))
      report.faults.push({
        kind: "content",
        skillId,
        version: skill.head.version,
        problem: `git: ${problem}`,
      });
  };
  await walk(app, {
    name: "check",
    limit: await shareOf(app, "check"),
    batch: 10,
    list: (after, limit) => app.storage.skills.listAfter(after, limit),
    positionOf: ({ _id }) => _id,
    async visit(skills) {
      const before = report.faults.length;
      for (const skill of skills) await checkSkill(skill);
      // The report of a process that is killed would be lost, and its cursor is behind these skills.
      for (const { skillId, version, problem } of report.faults.slice(before))
        app.log.error({ skillId, version, problem }, "a version is damaged");
      await queueUpkeep(app, skills, upkeep);
    },
  });
  const { skills, versions, faults } = report;
  app.log.info({ skills, versions, faults: faults.length }, "checked a part of the repositories");
  if (faults.length === 0) return;
  const listed = faults.slice(0, 10).map((fault) => `skill ${fault.skillId}: ${fault.problem}`);
  const message = `${faults.length} faults in ${skills} skills: ${listed.join("; ")}`;
  throw Object.assign(new Error(message), { retryable: false });
}
