/**
 * Mends what a stop between two steps left behind: events and versions that were not carried over, refs that lag,
 * deletions that were not finished, repositories that belong to nothing. Every part may run twice, and beside writers.
 */
import type { RepoId } from "../../repos/store/index.ts";
import type { App } from "../../src/app.ts";
import { countDownloads } from "../../src/analytics/count.ts";
import { carryEvents } from "../../src/audit/events.ts";
import { finishDeletion } from "../../src/auth/delete-account.ts";
import { eraseSkill } from "../../src/skills/erase.ts";
import { settleSkill } from "../../src/skills/settle.ts";
import { followUser } from "../../src/users/member-names.ts";
import { tendPlaces, tendTrees } from "../folders/tend.ts";
import { tendMails } from "../mail/tend.ts";
import { tendOrganizations } from "../orgs/tend.ts";
import { tendShares } from "../skills/tend.ts";
import { tendWorkspaces } from "../workspaces/tend.ts";

/** Documents younger than this are being settled by the process that wrote them. */
const settleAfterMs = 5000;
const batch = 100;
/** A repository without a skill may belong to a publish under way; after a day it belongs to nothing. */
const orphanAfterMs = 24 * 3_600_000;

export async function reconcile(app: App): Promise<void> {
  await settleSkills(app);
  await settleAccounts(app);
  await countDownloads(app);
  await tendTrees(app, new Date(app.now().getTime() - settleAfterMs));
  await tendPlaces(app);
  await tendShares(app);
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
    const unsettled = await app.storage.skills.listUnsettled(before, batch);
    let settled = 0;
    for (const skill of unsettled) {
      if (await attempt(app, skill._id, () => settleSkill(app, skill._id))) settled++;
    }
    if (unsettled.length < batch || settled === 0) return;
  }
}

/** One document that can't be mended must not keep the others from it; it is met again in the next run. */
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
  const { users, tokens, sessions, anonymousIdentities } = app.storage;
  await tendOrganizations(app, before);
  await tendWorkspaces(app, before);
  for (const user of await users.listUnsettled(before, batch)) {
    await followUser(app, user);
    await carryEvents(app, users, user._id, user.outbox ?? []);
  }
  for (const token of await tokens.listUnsettled(before, batch))
    await carryEvents(app, tokens, token._id, token.outbox ?? []);
  for (const session of await sessions.listUnsettled(before, batch))
    await carryEvents(app, sessions, session._id, session.outbox ?? []);
  for (const identity of await anonymousIdentities.listUnsettled(before, batch))
    await carryEvents(app, anonymousIdentities, identity._id, identity.outbox ?? []);
  for (const connection of await app.storage.connections.listUnsettled(before, batch))
    await carryEvents(app, app.storage.connections, connection._id, connection.outbox ?? []);
  await tendMails(app);
  for (const userId of await users.listDeleted(before, batch))
    await attempt(app, userId, () => finishDeletion(app, { userId }));
}

/**
 * The age of a repository is in its name: an id begins with the second it was made. Where the database knows fewer of
 * the old repositories than it does not, it is likelier the wrong database, or one that is still to be restored, and
 * nothing is erased.
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
    app.log.error(found, "the database does not know most repositories: is it the right one? none is erased");
    return 0;
  }
  for (const repo of orphans) {
    await app.repos.erase(repo);
    await app.storage.versions.removeOfSkill(repo.skillId);
  }
  return orphans.length;
}
