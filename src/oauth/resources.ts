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

/** The resource that a request names, in its canonical form (RFC 8707). Undefined if it is not one of ours. */
export function readResource({ config }: App, named: string): string | undefined {
  if (!URL.canParse(named) || named.includes("#")) return undefined;
  const { href } = new URL(named);
  return resources.map(({ path }) => config.baseUrl + path).find((one) => new URL(one).href === href);
}

/**
 * The access that a scope asks for. Unknown scopes are ignored, as RFC 6749, section 3.3 permits; undefined if all are
 * unknown. Without a scope, the person decides, and `read` is suggested.
 */
export function accessOfScope(
  scopes: readonly OauthAccess[],
  scope: string | undefined,
): { offered: readonly OauthAccess[]; suggested: OauthAccess } | undefined {
  const named = (scope ?? "").split(" ").filter((one) => one !== "");
  if (named.length === 0) return { offered: scopes, suggested: scopes[0]! };
  const highest = scopes.findLast((access) => named.includes(access));
  return highest && { offered: scopes.slice(0, scopes.indexOf(highest) + 1), suggested: highest };
}

/** The scopes of a resource. */
export function scopesOf({ config }: App, resource: string): readonly OauthAccess[] {
  return resources.find(({ path }) => config.baseUrl + path === resource)?.scopes ?? [];
}

const upTo = (access: OauthAccess) => oauthAccess.slice(0, oauthAccess.indexOf(access) + 1);

/** The scope of an access, as the token response has it. */
export const scopeOfAccess = (access: OauthAccess) => upTo(access).join(" ");
