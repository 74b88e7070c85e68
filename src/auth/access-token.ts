/**
 * Access tokens of OAuth clients (`src/oauth/`). They act for the person who gave the access, in the organizations that
 * the person chose, and are accepted at the resource that they were issued for only.
 */
import type { OauthAccess } from "../../contract/vocabulary.ts";
import { resourcesOf } from "../../storage/oauth/grants.ts";
import type { Origin, PermissionMap, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { unauthenticated } from "../errors.ts";
import { hashSecret } from "../secrets.ts";
import { withoutTooOld } from "../tokens/max-age.ts";
import { effectiveMemberships, userActor } from "../users/load.ts";
import { accountSuspended } from "./credentials.ts";
import { lastUseStepMs } from "./sessions.ts";

export const accessTokenPrefix = "lsko_";

/**
 * Scopes of an access. Deleting, administration and the account itself are out of its reach. MCP servers are read for
 * the skills that require them.
 */
const scopesOf: Record<OauthAccess, PermissionMap> = {
  read: { skill: ["read"], mcpServer: ["read"] },
  write: { skill: ["read", "create", "update"], folder: ["create", "update"], mcpServer: ["read"] },
};
/** Scopes at the endpoint of hosted connectors: which servers the person may use is decided with each call. */
const scopesOfConnectors: PermissionMap = { mcpServer: ["read"] };

/** Path of the endpoint of hosted connectors. */
export const connectorsPath = "/mcp/central";
const isOfConnectors = ({ config }: App, audience: string) => audience === config.baseUrl + connectorsPath;

/** `audience`: address of the called resource; undefined where no access token is accepted. */
export async function byAccessToken(
  app: App,
  secret: string,
  audience: string | undefined,
  origin: Origin,
): Promise<UserActor> {
  if (audience === undefined)
    throw unauthenticated(
      `This is an access token of an MCP client, which works at the MCP endpoints of ${app.config.baseUrl} only: use an API token here.`,
    );
  const found = await app.storage.callers.findAccessToken(hashSecret(secret));
  if (!found || !resourcesOf(found.grant).includes(audience))
    throw unauthenticated("The access token is not valid here: it is unknown, or for another resource.");
  const { grant, account, named } = found;
  if (account?.suspended) throw accountSuspended();
  if (!account || grant.revokedAt || grant.epochs.token !== (account.tokenEpoch ?? 0))
    throw unauthenticated("The access was revoked: connect the client again.");
  const now = app.now();
  if (!grant.accessExpiresAt || grant.accessExpiresAt <= now)
    throw unauthenticated("The access token has expired: renew it with the refresh token.");
  // Filtered before anything else: in the other organizations the caller is a stranger, on every surface.
  const chosen = found.memberships.filter(({ tenantId }) => grant.tenantIds.includes(tenantId));
  const memberships = await effectiveMemberships(app, chosen, named);
  const via = {
    kind: "token",
    tokenId: grant._id,
    limits: { scopes: isOfConnectors(app, audience) ? scopesOfConnectors : scopesOf[grant.access] },
    audience,
    ageFrom: grant.createdAt,
  } as const;
  if (!grant.lastUsedAt || now.getTime() - grant.lastUsedAt.getTime() >= lastUseStepMs)
    app.background("note the use of an access token", () => app.storage.oauthGrants.touch(grant._id, now));
  return withoutTooOld(userActor(app, account, memberships, via, origin), via, grant, now);
}
