/** Personal tokens of the caller: list, create, revoke. */
import { limits } from "../../contract/limits.ts";
import type { TokenDoc } from "../../storage/tokens.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, settleEvents } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { requireUnrestricted } from "../users/load.ts";
import { mintToken, type MintedToken } from "./mint.ts";
import type { CreateToken } from "./schema.ts";

const dayMs = 24 * 60 * 60_000;
/** How long an ended token is kept, so that its owner can see what became of it. */
const endedTokenMs = 30 * dayMs;

/** The caller's tokens that were not revoked, newest first; expired ones are among them until they are purged. */
export async function listTokens(app: App, actor: Actor): Promise<Omit<TokenDoc, "secretHash">[]> {
  const user = requireUnrestricted(actor, "see API tokens");
  return app.storage.tokens.listOfUser(user.userId, limits.pageSizeMax);
}

/** Creates a token. Its restrictions never change afterwards. Throws `limit_reached`. */
export async function createToken(app: App, actor: Actor, input: CreateToken): Promise<MintedToken> {
  const user = requireUnrestricted(actor, "create API tokens");
  const [folderId] = input.allowedFolderIds ?? [];
  if (folderId !== undefined) throw notFound("folder", folderId);

  const id = app.newId();
  const now = app.now();
  const { name, scopes, expiresInDays } = input;
  const expiresAt = expiresInDays === undefined ? undefined : new Date(now.getTime() + expiresInDays * dayMs);
  const event = makeEvent(app, actor, "user.token_created", {
    resourceType: "token",
    resourceId: id,
    metadata: { name, ...(scopes ? { scopes } : {}), ...(expiresAt ? { expiresAt } : {}) },
  });
  return mintToken(
    app,
    {
      _id: id,
      userId: user.userId,
      name,
      createdAt: now,
      ...(scopes ? { scopes: givenScopes(scopes) } : {}),
      ...(expiresAt ? { expiresAt } : {}),
    },
    [event],
  );
}

/** Revokes one of the caller's tokens: the next request by it is refused. */
export async function revokeToken(app: App, actor: Actor, id: string): Promise<void> {
  const user = requireUnrestricted(actor, "revoke API tokens");
  const token = await app.storage.tokens.find(id, user.userId);
  if (!token) throw unknownToken(id);
  const event = makeEvent(app, actor, "user.token_deleted", {
    resourceType: "token",
    resourceId: id,
    metadata: { name: token.name },
  });
  if (!(await app.storage.tokens.revoke(id, user.userId, app.now(), [event]))) throw unknownToken(id);
  settleEvents(app, app.storage.tokens, id, [event]);
}

/** Removes tokens that were revoked or ran out 30 days ago; answers how many went. */
export async function purgeTokens(app: App): Promise<number> {
  const before = new Date(app.now().getTime() - endedTokenMs);
  let total = 0;
  for (;;) {
    const removed = await app.storage.tokens.removeEnded(before);
    if (removed === 0) return total;
    total += removed;
  }
}

function unknownToken(id: string): ServiceError {
  return new ServiceError("not_found", `You have no API token "${id}".`, { ref: id });
}

/** Groups that name no action are left out: they allow nothing either way. */
function givenScopes(scopes: NonNullable<CreateToken["scopes"]>): Record<string, string[]> {
  const named: Record<string, string[]> = {};
  for (const [group, actions] of Object.entries(scopes)) {
    if (actions && actions.length > 0) named[group] = actions;
  }
  return named;
}
