/**
 * Accounts that earlier versions created for provisioned addresses without a verified domain. Their people have never
 * agreed to anything, and would find their address taken.
 */
import type { Account } from "../../../storage/users/users.ts";
import { ownerRole } from "../../access/permissions.ts";
import { deleteUnusedAccount } from "../../accounts/delete-account.ts";
import type { App } from "../../app.ts";
import { systemContext } from "../context.ts";
import { isVerifiedDomain } from "./domains.ts";
import { inviteUser } from "./invitation.ts";

/**
 * Deletes such an account, and invites its address if the identity provider has activated the user. An account whose
 * domain has been verified since is confirmed instead. One that was given a second factor or an organization to own is
 * in use: it stays, as one that no organization has created.
 */
export async function withdrawUnused(app: App, account: Account): Promise<void> {
  const { _id: userId, emailKey, provisionedBy: tenantId = "" } = account;
  const { users, scimUsers, memberships } = app.storage;
  if (await isVerifiedDomain(app, tenantId, emailKey)) return users.markVerified(userId, emailKey, app.now());
  const own = await memberships.listOfUser(userId);
  if (account.hasFactor || own.some(({ role }) => role === ownerRole)) return users.disown(userId);
  const user = await scimUsers.findOfAccount(tenantId, userId);
  if (user) {
    const link = { userId: null, createsAccount: null, restore: null } as const;
    const invited = user.active ? ({ active: false, invited: true, inviteReason: "domain" } as const) : {};
    const patch = { ...link, ...invited };
    const change = { revision: user.revision, patch, now: app.now(), events: [] };
    if (!(await scimUsers.change(user._id, change))) return;
  }
  if (!(await deleteUnusedAccount(app, account))) return;
  const tenant = user?.active ? await app.storage.tenants.find(tenantId) : null;
  const provider = tenant && (await app.storage.scimProviders.findOfTenant(tenantId));
  if (!user || !tenant || !provider?.enabled || tenant.deletionAt) return;
  try {
    await inviteUser(systemContext(app, tenant, provider._id), user);
  } catch (error) {
    // The next request of the identity provider for this user sends it.
    app.log.warn({ error, userId: user._id }, "a provisioned user could not be invited");
  }
}
