/** Revocation of grants: with a grant, its code, access token and refresh token end at the next request. */
import type { OauthGrantDoc } from "../../storage/oauth/grants.ts";
import { eventOfOwner } from "../accounts/mail-links.ts";
import type { App } from "../app.ts";
import { OAuthError } from "../auth/oauth-error.ts";
import { flushEvents } from "../audit/events.ts";
import { hashSecret } from "../secrets.ts";
import { grantOfRefreshToken } from "./refresh-token.ts";
import type { RevocationRequest } from "./schema.ts";

const system = { ipHash: undefined, source: "api", client: "api" } as const;

/** Revokes a grant for a reason that is not a call of its owner. */
export async function revokeGrant(app: App, grant: OauthGrantDoc, by: string): Promise<void> {
  const { grants } = app.storage.oauth;
  const { _id, userId, clientHost, clientName } = grant;
  const owner = (await app.storage.users.find(userId)) ?? { _id: userId, username: "" };
  const metadata = { client: clientHost ?? clientName, by };
  const event = {
    ...eventOfOwner(app, owner, system, "user.grant_revoked", metadata),
    resourceType: "grant",
    resourceId: _id,
  };
  if (await grants.revoke(_id, userId, app.now(), [event])) flushEvents(app, grants, _id, [event]);
}

/**
 * Revokes the grant of a token that its client no longer needs (RFC 7009): a replaced refresh token and an expired
 * access token included. Succeeds for unknown tokens. Throws OAuthError for the token of another client.
 */
export async function revokeByToken(app: App, input: RevocationRequest): Promise<void> {
  const { token, client_id: clientId } = input;
  if (token === undefined || clientId === undefined)
    throw new OAuthError("invalid_request", "token and client_id are required, each once.");
  const { grants } = app.storage.oauth;
  const id = grantOfRefreshToken(app, token);
  const grant =
    id === undefined ? await grants.findByAccessToken(hashSecret(token)) : await grants.findById(id);
  if (!grant) return;
  if (grant.clientId !== clientId)
    throw new OAuthError("invalid_client", "This token was issued to another client.");
  await revokeGrant(app, grant, "client");
}
