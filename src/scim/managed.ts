/** The users and groups that SCIM manages in an organization, for its owners. */
import type { ScimGroupPayload, ScimUserPayload } from "../../contract/payloads/accounts/scim.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { type Page } from "../http/route.ts";
import { loadTenant } from "../orgs/service.ts";
import { foldName } from "../users/schema.ts";
import { NameCursor, type ScimGroupsRequest, type ScimUsersRequest } from "./schema.ts";
import { inviteReasonOf } from "./users/invite-reason.ts";

/** A page of the users, by user name. */
export async function listManagedUsers(
  app: App,
  actor: Actor,
  tenantRef: string,
  { state, query, cursor, limit }: ScimUsersRequest,
): Promise<Page<ScimUserPayload>> {
  const tenant = await loadTenant(app, actor, tenantRef, "scim:manage");
  const [after] = decodeCursor(cursor, NameCursor) ?? [];
  const { scimUsers, scimGroups, users } = app.storage;
  const prefix = query === undefined ? undefined : foldName(query);
  const rows = await scimUsers.listByName(tenant._id, { state, prefix, after, limit: limit + 1 });
  const page = pageOf(rows, limit, (last) => [last.userNameKey]);
  const teamIds = [...new Set(page.items.flatMap((user) => user.teamIds))];
  const [accounts, groups] = await Promise.all([
    users.listByIds(page.items.flatMap(({ userId }) => (userId === undefined ? [] : [userId]))),
    scimGroups.listNames(tenant._id, teamIds),
  ]);
  const usernames = new Map(accounts.map(({ _id, username }) => [_id, username]));
  const names = new Map(groups.map(({ _id, displayName }) => [_id, displayName]));
  return page.map(({ _id, userName, attributes, email, active, userId, ...user }) => {
    const displayName = attributes?.["displayName"];
    const username = userId === undefined ? undefined : usernames.get(userId);
    return {
      id: _id,
      userName,
      name: typeof displayName === "string" ? displayName : null,
      email,
      active,
      invited: user.invited === true,
      reason: inviteReasonOf({ ...user, email }) ?? null,
      account: userId === undefined || username === undefined ? null : { userId, username },
      groups: user.teamIds.flatMap((id) => {
        const name = names.get(id);
        return name === undefined ? [] : [{ id, name }];
      }),
      updatedAt: user.updatedAt.toISOString(),
    };
  });
}

/** A page of the groups, by name. */
export async function listManagedGroups(
  app: App,
  actor: Actor,
  tenantRef: string,
  { cursor, limit }: ScimGroupsRequest,
): Promise<Page<ScimGroupPayload>> {
  const tenant = await loadTenant(app, actor, tenantRef, "scim:manage");
  const [after] = decodeCursor(cursor, NameCursor) ?? [];
  const rows = await app.storage.scimGroups.listByName(tenant._id, { after, limit: limit + 1 });
  return pageOf(rows, limit, (last) => [last.displayNameKey]).map(
    ({ _id, displayName, memberCount, isMapped, updatedAt }) => ({
      id: _id,
      name: displayName,
      members: memberCount,
      isMapped: isMapped === true,
      updatedAt: updatedAt.toISOString(),
    }),
  );
}
