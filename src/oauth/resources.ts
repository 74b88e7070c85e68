/** The protected resources of the service, and the scopes of their access tokens: `read` and `write`. */
import { oauthAccess, type OauthAccess } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";

/** Paths at which access tokens are accepted. */
export const resourcePaths = ["/mcp"] as const;

/** The resource that a request names, in its canonical form (RFC 8707). Undefined if it is not one of ours. */
export function readResource({ config }: App, named: string): string | undefined {
  if (!URL.canParse(named) || named.includes("#")) return undefined;
  const { href } = new URL(named);
  return resourcePaths.map((path) => config.baseUrl + path).find((one) => new URL(one).href === href);
}

/**
 * The access that a scope asks for. Unknown scopes are ignored, as RFC 6749, section 3.3 permits; undefined if all are
 * unknown. Without a scope, the person decides, and `read` is suggested.
 */
export function accessOfScope(
  scope: string | undefined,
): { offered: readonly OauthAccess[]; suggested: OauthAccess } | undefined {
  const named = (scope ?? "").split(" ").filter((one) => one !== "");
  if (named.length === 0) return { offered: oauthAccess, suggested: "read" };
  const highest = oauthAccess.findLast((access) => named.includes(access));
  return highest && { offered: upTo(highest), suggested: highest };
}

const upTo = (access: OauthAccess) => oauthAccess.slice(0, oauthAccess.indexOf(access) + 1);

/** The scope of an access, as the token response has it. */
export const scopeOfAccess = (access: OauthAccess) => upTo(access).join(" ");
