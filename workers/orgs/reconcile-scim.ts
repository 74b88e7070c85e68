/** Completes interrupted changes of users and groups that identity providers have made. */
import type { App } from "../../src/app.ts";
import { completeGroup, completeUser } from "../../src/scim/complete.ts";
import { withdrawUnused } from "../../src/scim/users/unused-accounts.ts";
import { repairEach } from "../maintenance/repair-each.ts";

const batch = 100;

export async function reconcileScim(app: App, before: Date): Promise<void> {
  const { scimUsers, scimGroups, users } = app.storage;
  await scimUsers.deactivateInvited(app.now());
  await repairEach(
    app,
    batch,
    (limit) => users.listUnused(limit),
    (account) => withdrawUnused(app, account),
  );
  await repairEach(
    app,
    batch,
    (limit) => scimUsers.listUnflushed(before, limit),
    (user) => completeUser(app, user),
  );
  await repairEach(
    app,
    batch,
    (limit) => scimGroups.listUnflushed(before, limit),
    (group) => completeGroup(app, group),
  );
}
