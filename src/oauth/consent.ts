/** The decision of a person about an authorization request, in a browser session. */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { OauthAccess } from "../../contract/vocabulary.ts";
import type { OauthGrantDoc } from "../../storage/oauth/grants.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { Actor, Membership, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { ServiceError, forbidden, invalidRequest } from "../errors.ts";
import { withNotice } from "../mail/notice.ts";
import { hashSecret } from "../secrets.ts";
import { requireUser } from "../users/load.ts";
import { proofRequired } from "../users/requirements.ts";
import { requestOver, responseAddress, type CheckedRequest } from "./authorization.ts";
import { noteClientUse } from "./clients.ts";

export interface Choice {
  access: OauthAccess;
  tenantIds: readonly string[];
}

/** A token must not give access to others: that would let it make some that outlive it. */
export function requireBrowser(actor: Actor): UserActor {
  const user = requireUser(actor);
  if (user.via.kind === "session") return user;
  throw forbidden("Access is given in a browser session, not with an API token.");
}

/**
 * Gives a client the chosen access, and returns the address at the client that takes the code. Throws `invalid_request`
 * for a choice that the page did not offer, `mfa_required`, `limit_reached`, or `not_found` if the request was decided
 * concurrently.
 */
export async function allow(
  app: App,
  actor: Actor,
  request: CheckedRequest,
  { access, tenantIds }: Choice,
): Promise<string> {
  const user = requireBrowser(actor);
  checkChoice(user, request, { access, tenantIds });
  await requireRoom(app, user);
  await take(app, request);
  const code = randomBytes(32).toString("base64url");
  const now = app.now();
  const codeExpiresAt = new Date(now.getTime() + limits.oauthCodeMs);
  const { id: clientId, name: clientName, host } = request.client;
  const [resource, ...moreResources] = request.resources;
  const grant: OauthGrantDoc = {
    _id: app.newId(),
    userId: user.userId,
    clientId,
    clientName,
    clientHost: host,
    redirectUri: request.redirectUri,
    access,
    tenantIds: [...tenantIds],
    resource,
    moreResources: moreResources.length === 0 ? undefined : moreResources,
    epochs: user.epochs ?? { session: 0, token: 0 },
    codeHash: hashSecret(code),
    codeChallenge: request.codeChallenge,
    codeExpiresAt,
    createdAt: now,
    expiresAt: codeExpiresAt,
  };
  await insert(app, user, grant);
  await noteClientUse(app, clientId);
  return responseAddress(app, request, { code });
}

async function insert(app: App, user: UserActor, grant: OauthGrantDoc): Promise<void> {
  const { oauthGrants: grants } = app.storage;
  const { clientId, clientName, clientHost, access, tenantIds, redirectUri } = grant;
  const event = makeEvent(app, user, "user.grant_created", {
    resourceType: "grant",
    resourceId: grant._id,
    metadata: { client: clientHost ?? clientName, clientId, access, tenantIds, redirectUri },
  });
  await withNotice(app, user.userId, (notice) =>
    grants.insert({ ...grant, ...notice, ...outboxFields([event]) }),
  );
  flushEvents(app, grants, grant._id, [event]);
}

/** Refuses a request, and returns the address at the client that reports it. Throws `not_found`. */
export async function deny(app: App, actor: Actor, request: CheckedRequest): Promise<string> {
  requireBrowser(actor);
  await take(app, request);
  return responseAddress(app, request, { error: "access_denied", error_description: "Access was denied." });
}

/** Removes the request. If decisions are concurrent, one succeeds. */
async function take(app: App, { id }: CheckedRequest): Promise<void> {
  if (!(await app.storage.oauthRequests.take(id, app.now()))) throw requestOver();
}

/** Organizations in which the user can give access: not those that are to be erased. */
export const selectableIn = ({ memberships }: UserActor): Membership[] =>
  memberships.filter(({ deletionAt }) => deletionAt === undefined);

function checkChoice(user: UserActor, { offered }: CheckedRequest, choice: Choice): void {
  const organizations = selectableIn(user);
  const { withheld = [] } = user;
  if (!offered.includes(choice.access)) throw invalidRequest("Choose what the program may do.");
  for (const id of choice.tenantIds) {
    const locked = withheld.find(({ tenantId }) => tenantId === id);
    if (locked) throw proofRequired(locked);
    if (!organizations.some(({ tenantId }) => tenantId === id))
      throw invalidRequest("You are no longer a member of one of the chosen organizations: choose again.");
  }
  if (choice.tenantIds.length === 0 && organizations.length + withheld.length > 0)
    throw invalidRequest("Choose at least one organization.");
}

async function requireRoom(app: App, { userId, epochs }: UserActor): Promise<void> {
  const limit = limits.oauthGrants;
  const count = await app.storage.oauthGrants.countOfUser(userId, epochs?.token ?? 0, app.now(), limit);
  if (count >= limit)
    throw new ServiceError(
      "limit_reached",
      `You have given access to ${limit} programs, which is the limit: revoke one first, in Settings, Applications.`,
      { kind: "grant", limit },
    );
}
