/** Revocation of grants: with a grant, its code, access token and refresh token end at the next request. */
import type { OauthGrantDoc } from "../../storage/oauth/grants.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { eventOfOwner } from "../accounts/mails/mail-links.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { OAuthError } from "../auth/oauth-error.ts";
import { withNotice } from "../mail/notice.ts";
import { hashSecret } from "../secrets.ts";
import { grantOfRefreshToken } from "./refresh-token.ts";
import type { RevocationRequest } from "./schema.ts";

const system = { ipHash: undefined, source: "api", client: "api" } as const;

/** Revokes a grant at the request of its client. */
async function revokeForClient(app: App, grant: OauthGrantDoc): Promise<void> {
  const event = await revocationEvent(app, grant, "client");
  const { oauthGrants: grants } = app.storage;
  if (await grants.revoke(grant._id, grant.userId, app.now(), [event]))
    flushEvents(app, grants, grant._id, [event]);
}

/** Revokes a grant whose code or refresh token was reused, and notifies its owner by mail. */
export async function revokeReused(
  app: App,
  grant: OauthGrantDoc,
  reused: NonNullable<OauthGrantDoc["reused"]>,
): Promise<void> {
  const { oauthGrants: grants } = app.storage;
  const { _id, userId } = grant;
  const event = await revocationEvent(app, grant, `reuse of a ${reused}`);
  const isRevoked = await withNotice(app, userId, (notice) =>
    grants.revoke(_id, userId, app.now(), [event], { ...notice, reused }),
  );
  if (isRevoked) flushEvents(app, grants, _id, [event]);
}

async function revocationEvent(app: App, grant: OauthGrantDoc, by: string): Promise<EventRow> {
  const { _id, userId, clientHost, clientName } = grant;
  const owner = (await app.storage.users.find(userId)) ?? { _id: userId, username: "" };
  const metadata = { client: clientHost ?? clientName, by };
  return {
    ...eventOfOwner(app, owner, system, "user.grant_revoked", metadata),
    resourceType: "grant",
    resourceId: _id,
  };
}

/**
 * Revokes the grant of a token that its client no longer needs (RFC 7009): a replaced refresh token and an expired
 * access token included. Succeeds for unknown tokens. Throws OAuthError for the token of another client.
 */
export async function revokeByToken(app: App, input: RevocationRequest): Promise<void> {
  const { token, client_id: clientId } = input;
  if (token === undefined || clientId === undefined)
    throw new OAuthError("invalid_request", "token and client_id are required, each once.");
  const { oauthGrants: grants } = app.storage;
  const id = grantOfRefreshToken(app, token);
  const grant =
    id === undefined ? await grants.findByAccessToken(hashSecret(token)) : await grants.findById(id);
  if (!grant) return;
  if (grant.clientId !== clientId)
    throw new OAuthError("invalid_client", "This token was issued to another client.");
  await revokeForClient(app, grant);
}
