/** The protected resources of the service, and the scopes of their access tokens: `read` and `write`. */
import { oauthAccess, type OauthAccess } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { connectorsPath } from "../auth/access-token.ts";

/** Paths at which access tokens are accepted, with their scopes and names. */
export const resources = [
  { path: "/mcp", scopes: oauthAccess, name: "Skill registry" },
  // Remote servers decide what a call does, so no access to them could promise only to read.
  { path: connectorsPath, scopes: ["write"], name: "Hosted connectors" },
] as const satisfies { path: string; scopes: readonly OauthAccess[]; name: string }[];

/**
 * The resources that a request names (RFC 8707), in their canonical form and order. A slash at the end makes no
 * difference. Clients that name none, or the service itself, mean the MCP server. Undefined if any is not one of ours.
 */
export function readResources({ config: { baseUrl } }: App, named: readonly string[]): string[] | undefined {
  const all = resources.map(({ path }) => baseUrl + path);
  const given = named.filter((one) => one !== "").map(withoutSlash);
  const whole = withoutSlash(baseUrl);
  const found = given.map((one) => (one === whole ? all[0] : all.find((each) => withoutSlash(each) === one)));
  if (found.includes(undefined)) return undefined;
  return found.length === 0 ? all.slice(0, 1) : all.filter((one) => found.includes(one));
}

/** An address in the form in which it is compared; undefined if it can't be that of a resource. */
function withoutSlash(address: string): string | undefined {
  return URL.canParse(address) && !address.includes("#")
    ? new URL(address).href.replace(/\/$/, "")
    : undefined;
}

/** Refresh tokens are always issued, so that this scope asks for nothing (OpenID Connect Core, section 11). */
const refreshScope = "offline_access";

/**
 * The access that a scope asks for. Unknown scopes are ignored, as RFC 6749, section 3.3 permits; undefined if all are
 * unknown. Without a scope, the person decides, and `read` is suggested.
 */
export function accessOfScope(
  scopes: readonly OauthAccess[],
  scope: string | undefined,
): { offered: readonly OauthAccess[]; suggested: OauthAccess } | undefined {
  const named = (scope ?? "").split(" ").filter((one) => one !== "" && one !== refreshScope);
  if (named.length === 0) return { offered: scopes, suggested: scopes[0]! };
  const highest = scopes.findLast((access) => named.includes(access));
  return highest && { offered: scopes.slice(0, scopes.indexOf(highest) + 1), suggested: highest };
}

/** The scopes that all of these resources have. */
export function scopesOf({ config }: App, named: readonly string[]): readonly OauthAccess[] {
  const given = resources.filter(({ path }) => named.includes(config.baseUrl + path));
  return oauthAccess.filter((access) => given.every(({ scopes }) => scopes.some((one) => one === access)));
}

const upTo = (access: OauthAccess) => oauthAccess.slice(0, oauthAccess.indexOf(access) + 1);

/** The scope of an access, as the token response has it. */
export const scopeOfAccess = (access: OauthAccess) => upTo(access).join(" ");
