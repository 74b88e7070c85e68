/**
 * Everything that follows from a skill document: version rows, audit entries, refs and tags. Run after each change
 * and by the reconcile job; running it twice equals running it once.
 */
import { setTimeout } from "node:timers/promises";
import type { App } from "../app.ts";

const refAttempts = 5;
const refPauseMs = 50;

/** Skills being settled by this process, and whether each changed again meanwhile. */
const running = new WeakMap<App, Map<string, { again: boolean }>>();

/** Settles a skill soon. Changes that come while it is being settled are taken together in one more round. */
export function scheduleSettling(app: App, skillId: string): void {
  let rounds = running.get(app);
  if (!rounds) running.set(app, (rounds = new Map()));
  const round = rounds.get(skillId);
  if (round) {
    round.again = true;
    return;
  }
  const started = { again: false };
  rounds.set(skillId, started);
  app.background("settle a skill", async () => {
    try {
      do {
        started.again = false;
        await settleSkill(app, skillId);
      } while (started.again);
    } finally {
      rounds.delete(skillId);
    }
  });
}

/** Carries pending versions and events over, then derives refs and tags from what MongoDB says now. */
export async function settleSkill(app: App, skillId: string): Promise<void> {
  const { skills, versions, auditEvents } = app.storage;
  const skill = await skills.collection.findOne({ _id: skillId });
  if (!skill) return;
  const repo = { tenantId: skill.tenantId, skillId };
  const events = skill.outbox ?? [];
  const hasVersions = skill.pending.length > 0;
  await Promise.all([
    auditEvents.record(events),
    ...skill.pending.map((row) => versions.record(row)),
    ...(skill.deletedAt ? [] : [advance(app, repo)]),
  ]);
  if (hasVersions && !skill.deletedAt) await writeTags(app, repo);
  await skills.settle(
    skillId,
    events.map((event) => event._id),
    skill.pending.map((row) => row._id),
  );
}

/**
 * Refs are written from the document as it is under the lock, so a late writer can't set them back. Whoever holds the
 * lock may have read before our change: a skill is settled only once its refs were written after it.
 */
async function advance(app: App, repo: { tenantId: string; skillId: string }): Promise<void> {
  for (let attempt = 0; attempt < refAttempts; attempt++) {
    const result = await app.repos.advanceRefs(repo, async () => {
      const skill = await app.storage.skills.find(repo.skillId);
      return { main: skill?.current.oid ?? null, head: skill?.head.oid ?? null };
    });
    if (result !== "contended") return;
    await setTimeout(refPauseMs);
  }
  throw new Error(`the refs of skill ${repo.skillId} are held by another process`);
}

async function writeTags(app: App, repo: { tenantId: string; skillId: string }): Promise<void> {
  const commits = await app.storage.versions.listCommits(repo.skillId);
  await app.repos.setTags(
    repo,
    commits.map(({ semver, oid }) => ({ name: `v${semver}`, oid })),
  );
}
