/** Keeps repositories small and sound: merges and repacks every night, checks a sample every week. */
import { type NativeGit, gitVersion } from "../../repos/native-git.ts";
import type { RepoId } from "../../repos/store/index.ts";
import type { App } from "../../src/app.ts";
import { type VerifyReport, verifySkill } from "../../src/operations/verify.ts";
import { projectSkill } from "../../src/skills/projection.ts";
import { reconcileConnections } from "./reconcile-connections.ts";

/** A publish merges when 16 packs of a size class have gathered; with so many in all, one was stopped before it did. */
const manyPacks = 16;
/** With fewer packs, a repack saves too little. */
const packsToRepack = 3;
/** Repositories in active use soon get new packs again. */
const idleMs = 24 * 3_600_000;
/** Limit for one night; the next night finds the rest, since repacked repositories no longer qualify. */
const maxRepacks = 500;
const sampleSize = 50;

const gitOf = (app: App): NativeGit => ({
  program: app.config.gitProgram,
  searchPath: app.config.searchPath,
});

/**
 * Removes data of ended connections; queues a merge for every repository with many packs and, if a git program is
 * available, a repack for idle ones.
 */
export async function maintainRepos(app: App): Promise<void> {
  await reconcileConnections(app);
  const hasGit = (await gitVersion(gitOf(app))) !== undefined;
  let merges = 0;
  let repacks = 0;
  for await (const repo of app.repos.listRepos()) {
    const packs = await app.repos.countPacks(repo);
    if (packs >= packsToRepack && hasGit && repacks < maxRepacks && (await isIdle(app, repo))) {
      await app.queue.enqueue("maintenance.repack", idsOf(repo), { jobId: repo.skillId });
      repacks++;
    } else if (packs >= manyPacks) {
      await app.queue.enqueue("maintenance.merge-packs", idsOf(repo), { jobId: repo.skillId });
      merges++;
    }
  }
  app.log.info({ merges, repacks, hasGit }, "queued repository maintenance");
}

/** Repacks an idle skill's repository. Git packs only what refs reach, so the refs are brought up to date first. */
export async function repackSkill(app: App, repo: RepoId): Promise<void> {
  if (!(await isIdle(app, repo))) return;
  await projectSkill(app, repo.skillId);
  const report = await app.repos.repack(repo, gitOf(app));
  if (report.written > 0) app.log.info({ ...report, skillId: repo.skillId }, "repacked a repository");
}

const idsOf = ({ tenantId, skillId }: RepoId) => ({ tenantId, skillId });

/** Only repositories of existing skills are repacked: any other may be in creation or erasure. */
async function isIdle(app: App, { skillId }: RepoId): Promise<boolean> {
  const skill = await app.storage.skills.find(skillId);
  return skill !== null && app.now().getTime() - skill.updatedAt.getTime() > idleMs;
}

/**
 * Reads every version of a random sample of skills and runs `git fsck` on their repositories. Throws a permanent error
 * with the faults found: the job stays in the list of failed jobs until an administrator removes it.
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
      ...problems.map((problem) => ({
        kind: "content" as const,
        skillId,
        version: skill.head.version,
        problem: `git: ${problem}`,
      })),
    );
  }
  const { skills, versions, faults } = report;
  app.log.info({ skills, versions, faults: faults.length }, "checked a sample of repositories");
  if (faults.length === 0) return;
  const listed = faults.slice(0, 10).map((fault) => `skill ${fault.skillId}: ${fault.problem}`);
  const message = `${faults.length} faults in ${skills} skills: ${listed.join("; ")}`;
  throw Object.assign(new Error(message), { retryable: false });
}

/** A uniform sample of a stream of unknown length (reservoir sampling). */
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
