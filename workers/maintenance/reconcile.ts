/**
 * Completes what a crash between two steps left behind: unpublished events and versions, refs that lag behind,
 * unfinished deletions, orphaned repositories. Every part may run twice, and concurrently with writers.
 */
import type { SweepReport } from "../../repos/store/types.ts";
import { finishAdministratorChange } from "../../src/accounts/administration/administrators.ts";
import { finishDeletion } from "../../src/accounts/delete-account.ts";
import { finishEndingTokens } from "../../src/accounts/end-tokens.ts";
import { countDownloads } from "../../src/analytics/count.ts";
import type { App } from "../../src/app.ts";
import { advanceEpoch, mayErase } from "../../src/epoch/epoch.ts";
import { finishTakedown } from "../../src/skills/moderation/takedown.ts";
import { projectSkill } from "../../src/skills/projection.ts";
import { renewEarlierEntries } from "../../src/skills/search/earlier.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { reconcilePathReservations, reconcileFolders } from "../folders/reconcile-folders.ts";
import { reconcileMails } from "../mail/reconcile-mails.ts";
import { reconcileOrganizations } from "../orgs/reconcile-organizations.ts";
import { reconcileScans } from "../skills/reconcile-scans.ts";
import { reconcileShares } from "../skills/reconcile-skills.ts";
import { signVersions } from "../skills/sign-versions.ts";
import { reconcileWorkspaces } from "../workspaces/reconcile-workspaces.ts";
import { flushOutboxes } from "./flush-outboxes.ts";
import { repairEach } from "./repair-each.ts";
import { walkRepos } from "./walk.ts";

/** Documents younger than this are still being projected by the process that wrote them. */
const pendingAfterMs = 5000;
const batch = 100;
/** A repository without a skill may belong to a publish in progress; after a day it is orphaned. */
const orphanAfterMs = 24 * 3_600_000;

export async function reconcile(app: App): Promise<void> {
  await projectPendingSkills(app);
  await finishTakedowns(app);
  await completePendingAccounts(app);
  await countDownloads(app);
  await renewEarlierEntries(app);
  await app.storage.searchTerms.removeUnused();
  await reconcileFolders(app, new Date(app.now().getTime() - pendingAfterMs));
  await reconcilePathReservations(app);
  await reconcileShares(app);
  await attempt(app, "statements", () => signVersions(app));
  await reconcileScans(app);
  for (const skill of await app.storage.skills.listDeleted(batch)) {
    await attempt(app, skill._id, () => eraseSkill(app, { tenantId: skill.tenantId, skillId: skill._id }));
  }
  await advanceEpoch(app);
  const isErasing = await mayErase(app);
  const swept = await sweepRepos(app);
  const orphans = isErasing ? await eraseOrphans(app) : 0;
  app.log.info({ ...swept, ...(await app.repos.sweepShared(!isErasing)), orphans }, "reconciled");
}

async function projectPendingSkills(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - pendingAfterMs);
  await repairEach(
    app,
    batch,
    (limit) => app.storage.skills.listUnflushed(before, limit),
    (skill) => projectSkill(app, skill._id),
  );
}

/** Completes takedowns whose process ended before it sent mails, closed reports and recorded the refused content. */
async function finishTakedowns(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - pendingAfterMs);
  for (const skillId of await app.storage.takedowns.listFollowUps(before, batch))
    await attempt(app, skillId, () => finishTakedown(app, skillId));
}

/** A document that can't be reconciled must not block the others; the next run retries it. */
async function attempt(app: App, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    app.log.error({ error, id }, "a document could not be reconciled");
  }
}

async function completePendingAccounts(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - pendingAfterMs);
  await attempt(app, "administrators", () => finishAdministratorChange(app));
  await flushOutboxes(app, before);
  await reconcileOrganizations(app, before);
  await reconcileWorkspaces(app, before);
  await attempt(app, "tokens", () => finishEndingTokens(app));
  await reconcileMails(app);
  for (const userId of await app.storage.users.listDeleted(before, batch))
    await attempt(app, userId, () => finishDeletion(app, { userId }));
}

/** Removes what killed processes left in repositories. One that can't be swept does not block the others. */
async function sweepRepos(app: App): Promise<SweepReport> {
  const report: SweepReport = { locks: 0, temporary: 0, packs: 0 };
  await walkRepos(
    app,
    "sweep",
    (after) => app.repos.listReposToSweep(after),
    async (repos) => {
      for (const repo of repos)
        await attempt(app, repo.skillId, async () => {
          const { locks, temporary, packs } = await app.repos.sweep(repo);
          report.locks += locks;
          report.temporary += temporary;
          report.packs += packs;
        });
    },
  );
  return report;
}

/**
 * The age of a repository is in its name: an id begins with its creation time. If the database contains fewer of the
 * old repositories than it lacks, it is probably the wrong database or not yet restored, and nothing is erased.
 */
async function eraseOrphans(app: App): Promise<number> {
  let erased = 0;
  /** Old repositories in this run, with and without a skill. */
  const seen = { known: 0, orphans: 0 };
  await walkRepos(
    app,
    "orphans",
    (after) => app.repos.listRepos(after),
    async (repos, { sums }) => {
      const old = repos.filter(({ skillId }) => app.now().getTime() - madeAt(skillId) >= orphanAfterMs);
      const ids = old.map(({ skillId }) => skillId);
      const { skills, marketplaces } = app.storage;
      const existing = new Set([
        ...(await skills.listExisting(ids)),
        ...(await marketplaces.listRepositories(ids)),
      ]);
      const orphans = old.filter(({ skillId }) => !existing.has(skillId));
      const added = { known: existing.size, orphans: orphans.length };
      seen.known += added.known;
      seen.orphans += added.orphans;
      const found = {
        orphans: seen.orphans + (sums["orphans"] ?? 0),
        known: seen.known + (sums["known"] ?? 0),
      };
      if (orphans.length > 0 && found.orphans > found.known)
        app.log.error(
          found,
          "most repositories have no record in this database, so none is erased: check that MONGODB_URL is right",
        );
      else
        for (const repo of orphans) {
          await app.repos.erase(repo);
          await app.storage.versions.removeOfSkill(repo.skillId);
          erased++;
        }
      return { sums: added };
    },
  );
  return erased;
}

const madeAt = (id: string) => Number.parseInt(id.slice(0, 8), 16) * 1000;
