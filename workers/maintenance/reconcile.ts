/**
 * Completes what a crash between two steps left behind: unpublished events and versions, refs that lag behind,
 * unfinished deletions, orphaned repositories. Every part may run twice, and concurrently with writers.
 */
import type { RepoId } from "../../repos/store/index.ts";
import type { App } from "../../src/app.ts";
import { countDownloads } from "../../src/analytics/count.ts";
import { publishEvents } from "../../src/audit/events.ts";
import { finishAdministratorChange } from "../../src/accounts/administrators.ts";
import { finishDeletion } from "../../src/accounts/delete-account.ts";
import { finishEndingTokens } from "../../src/accounts/end-tokens.ts";
import { eraseSkill } from "../../src/skills/erase.ts";
import { projectSkill } from "../../src/skills/projection.ts";
import { finishTakedown } from "../../src/skills/moderation/takedown.ts";
import { propagateUser } from "../../src/users/member-names.ts";
import { reconcilePathReservations, reconcileFolders } from "../folders/reconcile-folders.ts";
import { reconcileMails } from "../mail/reconcile-mails.ts";
import { reconcileOrganizations } from "../orgs/reconcile-organizations.ts";
import { reconcileShares } from "../skills/reconcile-skills.ts";
import { reconcileWorkspaces } from "../workspaces/reconcile-workspaces.ts";

/** Documents younger than this are still being projected by the process that wrote them. */
const settleAfterMs = 5000;
const batch = 100;
/** A repository without a skill may belong to a publish in progress; after a day it is orphaned. */
const orphanAfterMs = 24 * 3_600_000;

export async function reconcile(app: App): Promise<void> {
  await settleSkills(app);
  await finishTakedowns(app);
  await settleAccounts(app);
  await countDownloads(app);
  await reconcileFolders(app, new Date(app.now().getTime() - settleAfterMs));
  await reconcilePathReservations(app);
  await reconcileShares(app);
  for (const skill of await app.storage.skills.listDeleted(batch)) {
    await attempt(app, skill._id, () => eraseSkill(app, { tenantId: skill.tenantId, skillId: skill._id }));
  }
  const swept = await app.repos.sweep();
  const orphans = await eraseOrphans(app);
  app.log.info({ ...swept, orphans }, "reconciled");
}

async function settleSkills(app: App): Promise<void> {
  for (;;) {
    const before = new Date(app.now().getTime() - settleAfterMs);
    const unsettled = await app.storage.skills.listUnflushed(before, batch);
    let settled = 0;
    for (const skill of unsettled) {
      if (await attempt(app, skill._id, () => projectSkill(app, skill._id))) settled++;
    }
    if (unsettled.length < batch || settled === 0) return;
  }
}

/** Completes takedowns whose process ended before it sent mails, closed reports and recorded the refused content. */
async function finishTakedowns(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - settleAfterMs);
  for (const skillId of await app.storage.takedowns.listFollowUps(before, batch))
    await attempt(app, skillId, () => finishTakedown(app, skillId));
}

/** A document that can't be reconciled must not block the others; the next run retries it. */
async function attempt(app: App, id: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    app.log.error({ error, id }, "a document could not be reconciled");
    return false;
  }
}

async function settleAccounts(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - settleAfterMs);
  const { users, tokens, oauth, sessions, anonymousIdentities, serviceSettings } = app.storage;
  await attempt(app, "administrators", () => finishAdministratorChange(app));
  await reconcileOrganizations(app, before);
  await reconcileWorkspaces(app, before);
  for (const user of await users.listUnflushed(before, batch)) {
    await propagateUser(app, user);
    await publishEvents(app, users, user._id, user.outbox ?? []);
  }
  for (const settings of await serviceSettings.listUnflushed(before, batch))
    await publishEvents(app, serviceSettings, settings._id, settings.outbox ?? []);
  for (const token of await tokens.listUnflushed(before, batch))
    await publishEvents(app, tokens, token._id, token.outbox ?? []);
  for (const grant of await oauth.grants.listUnflushed(before, batch))
    await publishEvents(app, oauth.grants, grant._id, grant.outbox ?? []);
  for (const session of await sessions.listUnflushed(before, batch))
    await publishEvents(app, sessions, session._id, session.outbox ?? []);
  for (const identity of await anonymousIdentities.listUnflushed(before, batch))
    await publishEvents(app, anonymousIdentities, identity._id, identity.outbox ?? []);
  for (const connection of await app.storage.connections.listUnflushed(before, batch))
    await publishEvents(app, app.storage.connections, connection._id, connection.outbox ?? []);
  await attempt(app, "tokens", () => finishEndingTokens(app));
  await reconcileMails(app);
  for (const userId of await users.listDeleted(before, batch))
    await attempt(app, userId, () => finishDeletion(app, { userId }));
}

/**
 * The age of a repository is in its name: an id begins with its creation time. If the database contains fewer of the
 * old repositories than it lacks, it is probably the wrong database or not yet restored, and nothing is erased.
 */
async function eraseOrphans(app: App): Promise<number> {
  const orphans: RepoId[] = [];
  let known = 0;
  for await (const repo of app.repos.listRepos()) {
    const madeAt = Number.parseInt(repo.skillId.slice(0, 8), 16) * 1000;
    if (app.now().getTime() - madeAt < orphanAfterMs) continue;
    if (await app.storage.skills.exists(repo.skillId)) known++;
    else orphans.push(repo);
  }
  if (orphans.length > known) {
    const found = { orphans: orphans.length, known };
    app.log.error(
      found,
      "most repositories have no record in this database, so none is erased: check that MONGODB_URL is right",
    );
    return 0;
  }
  for (const repo of orphans) {
    await app.repos.erase(repo);
    await app.storage.versions.removeOfSkill(repo.skillId);
  }
  return orphans.length;
}
