/** Keeps repositories small and sound: nightly what joins packs, weekly a look at a sample. */
import { type NativeGit, gitVersion } from "../../repos/native-git.ts";
import type { RepoId } from "../../repos/store/index.ts";
import type { App } from "../../src/app.ts";
import { type VerifyReport, verifySkill } from "../../src/operations/verify.ts";
import { settleSkill } from "../../src/skills/settle.ts";
import { sweepConnections } from "./connections.ts";

/** A publish merges when 16 packs of a size class have gathered; with so many in all, one was stopped before it did. */
const manyPacks = 16;
/** With fewer there is too little to win. */
const packsToRepack = 3;
/** What is worked on gets new packs again soon. */
const idleMs = 24 * 3_600_000;
/** Of one night: those left are found in the next one, since what was packed anew is not. */
const mostRepacks = 500;
const sampleSize = 50;

const gitOf = (app: App): NativeGit => ({
  program: app.config.gitProgram,
  searchPath: app.config.searchPath,
});

/** Removes what no connection has any more; queues a merge for every repository of many packs, and, where there is a git program, a repack for idle ones. */
export async function tidyRepos(app: App): Promise<void> {
  await sweepConnections(app);
  const hasGit = (await gitVersion(gitOf(app))) !== undefined;
  let merges = 0;
  let repacks = 0;
  for await (const repo of app.repos.listRepos()) {
    const packs = await app.repos.countPacks(repo);
    if (packs >= packsToRepack && hasGit && repacks < mostRepacks && (await isIdle(app, repo))) {
      await app.queue.enqueue("upkeep.repack", idsOf(repo), { jobId: repo.skillId });
      repacks++;
    } else if (packs >= manyPacks) {
      await app.queue.enqueue("upkeep.merge-packs", idsOf(repo), { jobId: repo.skillId });
      merges++;
    }
  }
  app.log.info({ merges, repacks, hasGit }, "looked for repositories to tidy");
}

/** Packs an idle skill's repository anew. What git packs is what refs reach, so they are brought up to date first. */
export async function repackSkill(app: App, repo: RepoId): Promise<void> {
  if (!(await isIdle(app, repo))) return;
  await settleSkill(app, repo.skillId);
  const report = await app.repos.repack(repo, gitOf(app));
  if (report.written > 0) app.log.info({ ...report, skillId: repo.skillId }, "packed a repository anew");
}

const idsOf = ({ tenantId, skillId }: RepoId) => ({ tenantId, skillId });

/** A repository of no skill is none of ours to pack: it may be one that is being made, or erased. */
async function isIdle(app: App, { skillId }: RepoId): Promise<boolean> {
  const skill = await app.storage.skills.find(skillId);
  return skill !== null && app.now().getTime() - skill.updatedAt.getTime() > idleMs;
}

/**
 * Reads every version of some skills taken by chance, and lets git look at their repositories. Throws with what is
 * wrong, for good: the job then stands among the failed ones until somebody has seen it.
 */
export async function checkRepos(app: App): Promise<void> {
  const git = gitOf(app);
  const hasGit = (await gitVersion(git)) !== undefined;
  const report: VerifyReport = { skills: 0, versions: 0, faults: [] };
  for (const repo of await sampleOf(app.repos.listRepos())) {
    const skill = await app.storage.skills.find(repo.skillId);
    if (!skill) continue;
    await verifySkill(app, skill, report);
    const problems = hasGit ? await app.repos.findFaults(repo, git) : [];
    const { skillId } = repo;
    report.faults.push(
      ...problems.map((problem) => ({ skillId, version: skill.head.version, problem: `git: ${problem}` })),
    );
  }
  const { skills, versions, faults } = report;
  app.log.info({ skills, versions, faults: faults.length }, "looked at a sample of repositories");
  if (faults.length === 0) return;
  const told = faults.slice(0, 10).map((fault) => `skill ${fault.skillId}: ${fault.problem}`);
  const message = `${faults.length} faults in ${skills} skills: ${told.join("; ")}`;
  throw Object.assign(new Error(message), { retryable: false });
}

/** So many of a list whose length nobody knows, each as likely as any other. */
async function sampleOf(repos: AsyncIterable<RepoId>): Promise<RepoId[]> {
  const sample: RepoId[] = [];
  let seen = 0;
  for await (const repo of repos) {
    seen++;
    if (sample.length < sampleSize) sample.push(repo);
    else {
      const place = Math.floor(Math.random() * seen);
      if (place < sampleSize) sample[place] = repo;
    }
  }
  return sample;
}
