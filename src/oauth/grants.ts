/** The grants of the caller: the OAuth clients that act for them. */
import { limits } from "../../contract/limits.ts";
import type { GrantPayload } from "../../contract/payloads/accounts/oauth.ts";
import { isId } from "../../storage/database.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { notFound } from "../errors.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { type Page } from "../http/route.ts";
import { IdCursor, type ListQuery } from "../orgs/schema.ts";
import { requireUnrestricted } from "../users/load.ts";
import { targetOf } from "./redirect-uris.ts";

const dayMs = 86_400_000;
type Grant = Awaited<ReturnType<App["storage"]["oauthGrants"]["listOfUser"]>>[number];

/** A page of the caller's live grants, newest first. */
export async function listGrants(app: App, actor: Actor, input: ListQuery): Promise<Page<GrantPayload>> {
  const user = requireUnrestricted(actor, "see the programs with access");
  const [after] = decodeCursor(input.cursor, IdCursor) ?? [];
  const epoch = user.epochs?.token ?? 0;
  const rows = await app.storage.oauthGrants.listOfUser(
    user.userId,
    epoch,
    app.now(),
    after,
    input.limit + 1,
  );
  return pageOf(rows, input.limit, (last) => [last._id]).map((grant) => presentGrant(user, grant));
}

function presentGrant({ memberships, withheld = [] }: UserActor, grant: Grant): GrantPayload {
  return {
    id: grant._id,
    client: { id: grant.clientId, name: grant.clientName, host: grant.clientHost ?? null },
    redirectsTo: targetOf(grant.redirectUri),
    access: grant.access,
    resource: grant.resource,
    moreResources: grant.moreResources,
    organizations: [...memberships, ...withheld]
      .filter(({ tenantId }) => grant.tenantIds.includes(tenantId))
      .map(({ tenantId, tenantSlug, tenantName }) => ({ id: tenantId, slug: tenantSlug, name: tenantName })),
    createdAt: grant.createdAt.toISOString(),
    lastUsedAt: grant.lastUsedAt?.toISOString(),
    expiresAt: grant.expiresAt.toISOString(),
  };
}

/** Revokes one of the caller's grants: the next request by its access token is refused. Throws `not_found`. */
export async function revokeOwnGrant(app: App, actor: Actor, id: string): Promise<void> {
  const user = requireUnrestricted(actor, "revoke the access of programs");
  const { oauthGrants: grants } = app.storage;
  const grant = isId(id) ? await grants.findById(id) : null;
  if (grant?.userId !== user.userId) throw notFound("grant", id);
  const event = makeEvent(app, user, "user.grant_revoked", {
    resourceType: "grant",
    resourceId: id,
    metadata: { client: grant.clientHost ?? grant.clientName },
  });
  if (!(await grants.revoke(id, user.userId, app.now(), [event]))) throw notFound("grant", id);
  flushEvents(app, grants, id, [event]);
}

/** Removes undecided requests, grants that ended a day ago, and registered clients that were not used for 30 days. */
export async function purgeOauth(app: App): Promise<void> {
  const now = app.now().getTime();
  const { oauthClients: clients, oauthGrants: grants, oauthRequests: requests } = app.storage;
  while ((await requests.removeExpired(new Date(now))) > 0);
  while ((await grants.removeEnded(new Date(now - dayMs))) > 0);
  while ((await clients.removeUnused(new Date(now - limits.oauthIdleMs))) > 0);
}
