/** Endpoints of the authorization server, and the grants that a person has given. */
import { z } from "zod";
import {
  GrantPayload,
  OauthTokenPayload,
  RegisteredClientPayload,
} from "../../contract/payloads/accounts/oauth.ts";
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { deviceGrantType, pollDeviceToken } from "../auth/device/device.ts";
import { OAuthError, standardAnswer } from "../auth/oauth-error.ts";
import { route, type Route } from "../http/route.ts";
import { listGrants, revokeOwnGrant } from "./grants.ts";
import { redeemCode, renewTokens } from "./issue-tokens.ts";
import { metadataRoutes } from "./metadata.ts";
import { ClientMetadata, registerClient } from "./register.ts";
import { revokeByToken } from "./revoke.ts";
import { GrantParams, GrantsQuery, RevocationRequest, TokenRequest } from "./schema.ts";

const endpoint = {
  method: "post",
  tag: "OAuth",
  auth: "optional",
  cookieless: true,
  produces: "application/json",
} as const;

/** Outside of `/api`, at the addresses of the metadata. */
export function oauthRoutes(app: App): Route[] {
  return [
    ...metadataRoutes(app),
    route({
      ...endpoint,
      path: "/oauth/register",
      summary: "Register a client (RFC 7591)",
      body: ClientMetadata,
      oauthFailures: "invalid_client_metadata",
      data: RegisteredClientPayload,
      budget: "oauth-register",
      handle: ({ body }) => standardAnswer(() => registerClient(app, body), 201),
    }),
    route({
      ...endpoint,
      path: "/oauth/token",
      summary: "Issue tokens for a code, a refresh token or a device code",
      body: TokenRequest,
      form: "only",
      repeatable: ["resource"],
      oauthFailures: "invalid_request",
      data: OauthTokenPayload,
      budget: "oauth",
      handle: ({ actor, body }) => standardAnswer(() => issueTokens(app, body, actor.origin)),
    }),
    route({
      ...endpoint,
      path: "/oauth/revoke",
      summary: "Revoke a token and all of its grant (RFC 7009)",
      body: RevocationRequest,
      form: "only",
      oauthFailures: "invalid_request",
      data: z.object({}),
      budget: "oauth",
      handle: ({ body }) =>
        standardAnswer(async () => {
          await revokeByToken(app, body);
          return {};
        }),
    }),
  ];
}

function issueTokens(app: App, body: TokenRequest, origin: Origin): Promise<object> {
  if (body.grant_type === "authorization_code") return redeemCode(app, body);
  if (body.grant_type === "refresh_token") return renewTokens(app, body);
  if (body.grant_type === deviceGrantType) return pollDeviceToken(app, body, origin);
  throw body.grant_type === undefined
    ? new OAuthError("invalid_request", "grant_type is missing.")
    : new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
}

export function grantRoutes(app: App): Route[] {
  const tag = "OAuth";
  return [
    route({
      method: "get",
      path: "/api/user/grants",
      id: "listGrants",
      summary: "List the OAuth clients that you have given access, newest first",
      tag,
      auth: "required",
      query: GrantsQuery,
      data: GrantPayload,
      page: true,
      handle: ({ actor, query }) => listGrants(app, actor, query),
    }),
    route({
      method: "delete",
      path: "/api/user/grants/:id",
      id: "revokeGrant",
      summary: "Revoke the access of an OAuth client at once",
      tag,
      auth: "required",
      params: GrantParams,
      data: null,
      handle: ({ actor, params }) => revokeOwnGrant(app, actor, params.id),
    }),
  ];
}
