/**
 * The access of an organization's own tokens to a folder or skill, for callers who may manage these tokens. Those of CI
 * trust policies, which last an hour, are left out.
 */
import { z } from "zod";
import type { AccessAction } from "../../../contract/vocabulary.ts";
import type { ListedToken } from "../../../storage/credentials/tokens.ts";
import { isId } from "../../../storage/database.ts";
import type { Actor, OrganizationActor } from "../../access/actor.ts";
import { decideTenant, type AccessContext } from "../../access/decide.ts";
import { allowedActions, explainToken, type AccessReason, type AccessSubject } from "../../access/explain.ts";
import { isTooOld } from "../../access/token-age.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { encodeCursor } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { loadTenant } from "../../orgs/service.ts";
import { organizationActor } from "../../users/load.ts";
import { accessContextIn } from "../load.ts";
import type { FolderTree } from "../tree/tree.ts";

export interface PrincipalAccess {
  /** A member has their user name as name. */
  principal: { type: "member" | "token"; id: string; name: string };
  can: AccessAction[];
  reasons: AccessReason[];
}

/** A folder, or a skill in it; the root has no folder. */
export interface AccessTarget {
  tree: FolderTree;
  folderId: string | null;
  subject: (context: AccessContext | null) => AccessSubject;
}

export function targetFolder(tree: FolderTree, folderId: string): AccessTarget {
  const { tenantId } = tree;
  return { tree, folderId, subject: (context) => ({ tenantId, context: context! }) };
}

/** Id of the last token; empty before the first one. The cursor of a list's members has two values. */
export const TokenCursor = z.tuple([z.string().refine((id) => id === "" || isId(id))]);

/** Up to `room` tokens after one, newest first. A caller who may not manage tokens gets none. */
export async function listTokens(
  app: App,
  actor: Actor,
  tenantId: string,
  { after, query, room }: { after: string; query: string | undefined; room: number },
): Promise<Page<OrganizationActor>> {
  if (decideTenant(actor, "apiToken:manage", tenantId) !== "allowed") return new Page([], null);
  const [tenant, rows] = await Promise.all([
    loadTenant(app, actor, tenantId, "apiToken:manage"),
    app.storage.tokens.list({ tenantId }, after === "" ? undefined : after, room + 1, query),
  ]);
  const shown = rows.slice(0, room);
  const tokens = shown.filter((token) => isUsable(app, token, tenant.maxTokenDays));
  const nextCursor = rows.length > room ? encodeCursor([shown.at(-1)?._id ?? after]) : null;
  return new Page(
    tokens.map((token) => actorOf(tenant, token, actor)),
    nextCursor,
  );
}

/** A token by its id. Throws `not_found`, also for callers who may not manage tokens. */
export async function loadToken(
  app: App,
  actor: Actor,
  tenantId: string,
  id: string,
): Promise<OrganizationActor> {
  const isManager = decideTenant(actor, "apiToken:manage", tenantId) === "allowed";
  const tenant = await loadTenant(app, actor, tenantId, "member:read");
  const token = isManager && isId(id) ? await app.storage.tokens.find(id, { tenantId }) : null;
  if (!token || token.policyId !== undefined || !isUsable(app, token, tenant.maxTokenDays))
    throw notFound("token", id);
  return actorOf(tenant, token, actor);
}

/** The access of tokens. The caller has checked that the actor may know it. */
export function accessOfTokens(
  tokens: readonly OrganizationActor[],
  { tree, folderId, subject }: AccessTarget,
): PrincipalAccess[] {
  return tokens.map((token) => {
    const facts = subject(accessContextIn(tree, token, folderId));
    const can = allowedActions(token, facts);
    const principal = { type: "token", id: token.tokenId, name: token.tokenName } as const;
    return { principal, can, reasons: explainToken(token, facts, can) };
  });
}

/** Whether the token is accepted: lists also have expired ones, and those of an age that is not allowed. */
function isUsable(app: App, token: ListedToken, maxTokenDays: number | undefined): boolean {
  const now = app.now();
  return !(token.expiresAt && token.expiresAt <= now) && !isTooOld(token, maxTokenDays, now);
}

function actorOf(
  tenant: { _id: string; slug: string; name: string },
  token: ListedToken,
  { origin }: Actor,
): OrganizationActor {
  const { scopes, allowedFolderIds } = token;
  return organizationActor(tenant, token, { scopes, allowedFolderIds }, origin);
}
