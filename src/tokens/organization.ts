/**
 * Tokens of an organization. They act as the organization and outlive the membership of their creator, who therefore
 * can't create a token with more permissions than their own.
 */
import type { ListedToken } from "../../storage/credentials/tokens.ts";
import { isId } from "../../storage/database.ts";
import type { Actor } from "../access/actor.ts";
import { bypassesRestrictions, decideFolder } from "../access/decide.ts";
import { organizationTokenPermissions } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { forbidden } from "../errors.ts";
import { authorizeFolder, loadFolderView, accessContextIn, type FolderView } from "../folders/load.ts";
import { Page } from "../http/route.ts";
import { withNotice } from "../mail/notice.ts";
import { requirePermissions } from "../orgs/permission-checks.ts";
import type { ListQuery } from "../orgs/schema.ts";
import { loadTenant } from "../orgs/service.ts";
import { requireUser } from "../users/load.ts";
import { requireRecentVerification } from "../users/recent-verification.ts";
import { loadFolderPaths } from "./folder-paths.ts";
import { inheritedAge, requireWithinMaximum } from "./max-age.ts";
import { mintToken } from "./mint.ts";
import type { CreateToken } from "./schema.ts";
import { describeToken, eventSubject, findOwned, listOwned, unknownToken } from "./service.ts";

/** A token with the names that a list shows. */
export interface OrganizationToken {
  token: ListedToken;
  /** User name of its creator; null if that account was deleted. */
  createdBy: string | null;
  /** Paths of the folders to which it is limited, by id; without deleted ones and those that the caller can't see. */
  paths: ReadonlyMap<string, string>;
}

/** A page of the tokens that were not revoked, newest first. */
export async function listOrganizationTokens(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ListQuery,
): Promise<Page<OrganizationToken>> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "apiToken:manage");
  const page = await listOwned(app, { tenantId }, input);
  return new Page(await describeAll(app, actor, tenantId, page.items), page.nextCursor);
}

export async function readOrganizationToken(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<OrganizationToken> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "apiToken:manage");
  const [described] = await describeAll(app, actor, tenantId, [await findOwned(app, { tenantId }, id)]);
  return described!;
}

async function describeAll(
  app: App,
  actor: Actor,
  tenantId: string,
  tokens: readonly ListedToken[],
): Promise<OrganizationToken[]> {
  const creatorIds = [...new Set(tokens.flatMap((token) => token.createdBy ?? []))];
  const [creators, paths] = await Promise.all([
    app.storage.users.listByIds(creatorIds),
    loadFolderPaths(app, actor, [tenantId], tokens),
  ]);
  const usernames = new Map(creators.map((user) => [user._id, user.username]));
  return tokens.map((token) => ({
    token,
    createdBy: usernames.get(token.createdBy ?? "") ?? null,
    paths,
  }));
}

/**
 * Creates a token of an organization; only a person does. Throws `forbidden` where it would do more than its maker may,
 * `not_found` for a folder that is not there, `limit_reached`.
 */
export async function createOrganizationToken(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateToken,
): Promise<OrganizationToken & { secret: string }> {
  const tenant = await loadTenant(app, actor, tenantRef, "apiToken:manage");
  const tenantId = tenant._id;
  const user = requireUser(actor);
  requireRecentVerification(app, user, "create an API token", tenantId);
  await requireTokenPermissions(app, actor, tenantId, input, "create a token");
  requireWithinMaximum(tenant, input.expiresInDays);
  const fields = describeToken(app, input);
  const event = makeEvent(app, actor, "organization.token_created", { tenantId, ...eventSubject(fields) });
  const token = { ...fields, ...inheritedAge(user), tenantId, createdBy: user.userId };
  const { record, secret } = await withNotice(app, user.userId, (notice) =>
    mintToken(app, { ...token, ...notice }, [event]),
  );
  const [described] = await describeAll(app, actor, tenantId, [record]);
  return { ...described!, secret };
}

/**
 * Requires that the caller may give a token these limits. Throws `forbidden`, or `not_found` for a folder.
 */
export async function requireTokenPermissions(
  app: App,
  actor: Actor,
  tenantId: string,
  { scopes, allowedFolderIds }: Pick<CreateToken, "scopes" | "allowedFolderIds">,
  act: string,
): Promise<void> {
  if (scopes) requirePermissions(actor, tenantId, scopes, `${act} with these scopes`);
  else requirePermissions(actor, tenantId, organizationTokenPermissions, `${act} without scopes`);
  if (allowedFolderIds) checkFolders(await loadFolderView(app, actor, tenantId), allowedFolderIds);
}

/**
 * Naming a folder gives the token the editor level on its whole subtree, including restricted folders, so the caller
 * must be allowed to manage the grants of all of these.
 */
function checkFolders(view: FolderView, ids: readonly string[]): void {
  const { tree, actor } = view;
  for (const id of ids) authorizeFolder(view, "folder:manageAcl", id, id);
  if (bypassesRestrictions(actor, tree.tenantId)) return;
  for (const id of ids) {
    for (const node of tree.subtree(id)) {
      if (!node.restricted) continue;
      const context = accessContextIn(tree, actor, node._id)!;
      const facts = { tenantId: tree.tenantId, context, isOnTheWay: false };
      if (decideFolder(actor, "folder:manageAcl", facts) !== "allowed")
        throw forbidden(`You do not manage the access to everything in folder "${tree.path(id)}".`, {
          kind: "folder",
          ref: id,
        });
    }
  }
}

/** Revokes a token of an organization, regardless of its creator: the next request with it is refused. */
export async function revokeOrganizationToken(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<void> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "apiToken:manage");
  const token = isId(id) ? await app.storage.tokens.find(id, { tenantId }) : null;
  if (!token) throw unknownToken(id);
  const event = makeEvent(app, actor, "organization.token_revoked", {
    tenantId,
    resourceType: "token",
    resourceId: id,
    metadata: { name: token.name },
  });
  if (!(await app.storage.tokens.revoke(id, { tenantId }, app.now(), [event]))) throw unknownToken(id);
  flushEvents(app, app.storage.tokens, id, [event]);
}
