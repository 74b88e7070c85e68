/** Personal tokens of the caller: list, create, revoke. */
import type { ListedToken, TokenOwner } from "../../storage/credentials/tokens.ts";
import { isId } from "../../storage/database.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { publishEvents, makeEvent, flushEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { loadFolder } from "../folders/load.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { type Page } from "../http/route.ts";
import { withNotice } from "../mail/notice.ts";
import { IdCursor, type ListQuery } from "../orgs/schema.ts";
import { requireUnrestricted, requireUser } from "../users/load.ts";
import { requireRecentVerification } from "../users/recent-verification.ts";
import { inheritedAge, requireWithinMaximum } from "./max-age.ts";
import { mintToken, type MintedToken } from "./mint.ts";
import type { CreateToken } from "./schema.ts";

const dayMs = 24 * 60 * 60_000;
/** Time for which an ended token is kept, so that its owner can see its end. */
const endedTokenMs = 30 * dayMs;
const batch = 100;

/**
 * A page of the caller's tokens that were not revoked, newest first; expired ones are among them until they are purged.
 */
export async function listTokens(app: App, actor: Actor, input: ListQuery): Promise<Page<ListedToken>> {
  const { userId } = requireUnrestricted(actor, "see API tokens");
  return listOwned(app, { userId }, input);
}

/** One of the caller's tokens. */
export async function readToken(app: App, actor: Actor, id: string): Promise<ListedToken> {
  const { userId } = requireUnrestricted(actor, "see API tokens");
  return findOwned(app, { userId }, id);
}

/** A token of an owner that was not revoked. */
export async function findOwned(app: App, owner: TokenOwner, id: string): Promise<ListedToken> {
  const token = isId(id) ? await app.storage.tokens.find(id, owner) : null;
  if (!token || token.policyId !== undefined) throw unknownToken(id);
  return token;
}

/** A page of an owner's tokens. */
export async function listOwned(app: App, owner: TokenOwner, input: ListQuery): Promise<Page<ListedToken>> {
  const [after] = decodeCursor(input.cursor, IdCursor) ?? [];
  const rows = await app.storage.tokens.list(owner, after, input.limit + 1);
  return pageOf(rows, input.limit, (last) => [last._id]);
}

/**
 * Creates a token. Its restrictions never change afterwards. Throws `limit_reached`, `not_found` for a folder that the
 * caller does not see, `reauthentication_required`, or `refused` for one in an organization that does not accept tokens
 * of such a lifetime.
 */
export async function createToken(app: App, actor: Actor, input: CreateToken): Promise<MintedToken> {
  const user = requireUnrestricted(actor, "create API tokens");
  requireRecentVerification(app, user, "create an API token");
  for (const id of input.allowedFolderIds ?? []) {
    const { folder } = await loadFolder(app, actor, id, "see");
    const { tenantSlug, maxTokenDays } = membershipIn(actor, folder.tenantId)!;
    requireWithinMaximum({ slug: tenantSlug, maxTokenDays }, input.expiresInDays);
  }
  const fields = describeToken(app, input);
  const event = makeEvent(app, actor, "user.token_created", eventSubject(fields));
  const { userId, epochs } = user;
  const { verifiedAt } = user.via;
  const inherited = { ...inheritedAge(user), verifiedAt };
  const token = { ...fields, ...inherited, userId, epoch: epochs?.token ?? 0 };
  return withNotice(app, userId, (notice) => mintToken(app, { ...token, ...notice }, [event]));
}

/** The fields of a new token, without its owner. */
export function describeToken(app: App, { name, scopes, allowedFolderIds, expiresInDays }: CreateToken) {
  const now = app.now();
  return {
    _id: app.newId(),
    name,
    createdAt: now,
    scopes,
    allowedFolderIds,
    expiresAt: expiresInDays === undefined ? undefined : new Date(now.getTime() + expiresInDays * dayMs),
  };
}

/** The subject of the event of a new token. */
export function eventSubject(token: ReturnType<typeof describeToken>) {
  const { _id: resourceId, name, scopes, allowedFolderIds, expiresAt } = token;
  return {
    resourceType: "token",
    resourceId,
    metadata: {
      name,
      scopes,
      allowedFolderIds,
      expiresAt,
    },
  } as const;
}

/** Revokes one of the caller's tokens: the next request by it is refused. Throws `not_found`. */
export async function revokeToken(app: App, actor: Actor, id: string): Promise<void> {
  await revokeOf(app, requireUnrestricted(actor, "revoke API tokens"), id);
}

/** The token of the call, personal or of an organization, which every token may read. Throws `refused`. */
export async function loadCurrentToken(app: App, actor: Actor): Promise<ListedToken> {
  const own =
    actor.kind === "organization"
      ? { id: actor.tokenId, owner: { tenantId: actor.memberships[0].tenantId } }
      : actor.kind === "user" && actor.via.kind === "token"
        ? { id: actor.via.tokenId, owner: { userId: actor.userId } }
        : undefined;
  if (own === undefined)
    throw new ServiceError("refused", "This call has no API token. Send one: Authorization: Bearer.");
  const token = await app.storage.tokens.find(own.id, own.owner);
  if (!token) throw unknownToken(own.id);
  return token;
}

/** Revokes the personal token of the call, restricted or not: a logout. Throws `refused`. */
export async function revokeCurrentToken(app: App, actor: Actor): Promise<void> {
  const user = requireUser(actor);
  if (user.via.kind !== "token")
    throw new ServiceError("refused", "This call has no API token to revoke. Name a token by its id.");
  await revokeOf(app, user, user.via.tokenId);
}

async function revokeOf(app: App, user: UserActor, id: string): Promise<void> {
  const { userId } = user;
  const token = isId(id) ? await app.storage.tokens.find(id, { userId }) : null;
  if (!token) throw unknownToken(id);
  const event = makeEvent(app, user, "user.token_deleted", {
    resourceType: "token",
    resourceId: id,
    metadata: { name: token.name },
  });
  if (!(await app.storage.tokens.revoke(id, { userId }, app.now(), [event]))) throw unknownToken(id);
  flushEvents(app, app.storage.tokens, id, [event]);
}

/** Removes tokens that were revoked or expired 30 days ago, CI tokens after a day, and returns their number. */
export async function purgeTokens(app: App): Promise<number> {
  const now = app.now().getTime();
  const { tokens } = app.storage;
  let total = 0;
  for (;;) {
    const removed =
      (await tokens.removeEnded(new Date(now - endedTokenMs))) +
      (await tokens.removeEndedOfCi(new Date(now - dayMs)));
    if (removed === 0) return total;
    total += removed;
  }
}

/**
 * Removes all personal tokens of a deleted account. This only frees storage: the tokens are invalid since the account
 * was marked as deleted. Pending audit events are published first. Idempotent.
 */
export async function removeTokensOfUser(app: App, userId: string): Promise<void> {
  const { tokens } = app.storage;
  do {
    for (const token of await tokens.listUnflushedOfUser(userId, batch))
      await publishEvents(app, tokens, token._id, token.outbox ?? []);
  } while ((await tokens.removePublishedOfUser(userId)) > 0);
}

export function unknownToken(id: string): ServiceError {
  return new ServiceError("not_found", `No API token "${id}" was found.`, { kind: "token", ref: id });
}
