/**
 * Accounts, for administrators of the service: list, suspend, and end of sessions. A suspended account can't sign in,
 * its sessions and personal tokens have ended, and it keeps its memberships and skills.
 */
import { z } from "zod";
import type { AdminUserPayload } from "../../../contract/payloads/service/administration.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import { isId } from "../../../storage/database.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { serviceLog } from "../../audit/fan-out.ts";
import { dropSessions } from "../../auth/sessions.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { resetFactors } from "../../mfa/reset.ts";
import { lastSeenOf } from "../../users/last-seen.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { foldName } from "../../users/schema.ts";
import { revokeEndedTokens } from "../end-tokens.ts";
import type { AdminUserQuery } from "../schema.ts";

const Cursor = z.tuple([z.enum(["emailKey", "username"]), z.string().max(400)]);

/** A page of accounts by user name; with an "@" in the query, by address. */
export async function listUsers(
  app: App,
  { query, suspended, administrator, cursor, limit }: AdminUserQuery,
): Promise<Page<AdminUserPayload>> {
  if (query !== undefined && isId(query)) {
    const found = await app.storage.users.find(query);
    if (found) return new Page(await present(app, [found]), null);
  }
  const by = query?.includes("@") ? "emailKey" : "username";
  const [field, after] = decodeCursor(cursor, Cursor) ?? [];
  const prefix = query === undefined ? undefined : foldName(query);
  const rows = await app.storage.users.list({
    by,
    prefix,
    suspended,
    isAdministrator: administrator || undefined,
    after: field === by ? after : undefined,
    limit: limit + 1,
  });
  const page = pageOf(rows, limit, (last) => [by, last[by]]);
  return new Page(await present(app, page.items), page.nextCursor);
}

/** Suspends an account. Throws `refused` for an administrator, and `conflict` if it is suspended already. */
export async function suspendUser(
  app: App,
  actor: Actor,
  id: string,
  reason: string,
): Promise<AdminUserPayload> {
  const { userId, username } = requireUser(actor);
  const user = await loadAdminUser(app, id);
  if (user.isAdministrator)
    throw new ServiceError("refused", `"${user.username}" administers the service and can't be suspended.`);
  const event = administrationEvent(app, actor, "user.suspended", user, { reason });
  const suspended = { at: app.now(), by: { userId, username }, reason };
  const epoch = await app.storage.users.suspend(id, suspended, [event]);
  if (epoch === null) throw new ServiceError("conflict", `"${user.username}" is suspended already.`);
  flushEvents(app, app.storage.users, id, [event]);
  dropSessions(app, id, { epoch, keptSessionId: undefined });
  revokeEndedTokens(app, id);
  return readAdminUser(app, id);
}

/** Lets an account sign in again. Its previous sessions and tokens stay ended. */
export async function unsuspendUser(
  app: App,
  actor: Actor,
  id: string,
  reason: string,
): Promise<AdminUserPayload> {
  const user = await loadAdminUser(app, id);
  const event = administrationEvent(app, actor, "user.unsuspended", user, { reason });
  if (
    !(await app.storage.users.change(id, {
      when: { suspended: { $exists: true } },
      unset: ["suspended"],
      now: app.now(),
      events: [event],
    }))
  )
    throw new ServiceError("conflict", `"${user.username}" is not suspended.`);
  flushEvents(app, app.storage.users, id, [event]);
  return readAdminUser(app, id);
}

/** Ends all browser sessions of an account. */
export async function endSessionsOf(
  app: App,
  actor: Actor,
  id: string,
  reason: string,
): Promise<AdminUserPayload> {
  const user = await loadAdminUser(app, id);
  const event = administrationEvent(app, actor, "user.sessions_ended", user, { all: true, reason });
  const epoch = await app.storage.users.endSessions(id, undefined, [event]);
  if (epoch === null) throw unknownUser(id);
  flushEvents(app, app.storage.users, id, [event]);
  dropSessions(app, id, { epoch, keptSessionId: undefined });
  return readAdminUser(app, id);
}

/** Removes all second factors of an account, for a person who has lost them, and ends its sessions. */
export async function resetFactorsOf(
  app: App,
  actor: Actor,
  id: string,
  reason: string,
): Promise<AdminUserPayload> {
  requireRecentVerification(app, requireUser(actor), "remove the second factors of an account");
  await resetFactors(app, actor, await loadAdminUser(app, id), reason);
  return readAdminUser(app, id);
}

/** An event about an account in the service's log, and in the administrator's own. */
export function administrationEvent(
  app: App,
  actor: Actor,
  name: Extract<EventName, `user.${string}`>,
  { _id, username }: Pick<Account, "_id" | "username">,
  metadata: Record<string, unknown>,
) {
  const subject = { resourceType: "user", resourceId: _id, metadata: { username, ...metadata } } as const;
  return makeEvent(app, actor, name, { ...serviceLog, ...subject });
}

export async function loadAdminUser(app: App, id: string): Promise<Account> {
  const user = isId(id) ? await app.storage.users.find(id) : null;
  if (!user) throw unknownUser(id);
  return user;
}

const unknownUser = (id: string) => notFound("member", id);

export async function readAdminUser(app: App, id: string): Promise<AdminUserPayload> {
  return (await present(app, [await loadAdminUser(app, id)]))[0]!;
}

async function present(app: App, users: readonly Account[]): Promise<AdminUserPayload[]> {
  const ids = users.map(({ _id }) => _id);
  const [lastSeen, memberships] = await Promise.all([
    lastSeenOf(app, ids),
    app.storage.memberships.listOfUsers(ids),
  ]);
  return users.map((user) => ({
    id: user._id,
    username: user.username,
    name: user.name,
    email: user.email,
    emailVerified: user.emailVerifiedAt !== undefined,
    isAdministrator: user.isAdministrator,
    organizations: memberships
      .filter(({ userId }) => userId === user._id)
      .map(({ tenantId, tenantSlug, role }) => ({ id: tenantId, slug: tenantSlug, role })),
    lastSeenAt: lastSeen.get(user._id)?.toISOString().slice(0, 10) ?? null,
    suspended: user.suspended
      ? {
          at: user.suspended.at.toISOString(),
          by: user.suspended.by.username,
          reason: user.suspended.reason,
        }
      : null,
    hasSecondFactor: user.hasFactor === true,
    createdAt: user.createdAt.toISOString(),
  }));
}
