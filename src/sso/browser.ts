/**
 * The cookie that binds a sign-in through a provider to the browser which began it. It is sent with the redirects that
 * end the sign-in, which are top-level navigations, so it needs no `SameSite=None`; the POST of a SAML provider comes
 * without it, and is followed by such a redirect.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { App } from "../app.ts";
import type { Cookie, RequestInfo } from "../http/route.ts";
import { hashSecret } from "../secrets.ts";

const nameOf = (app: App) => (app.config.baseUrl.startsWith("https:") ? "__Host-svc_sso" : "svc_sso");

function secretOf(app: App, request: Pick<RequestInfo, "cookie">): string | undefined {
  const value = request.cookie(nameOf(app)) ?? "";
  return /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** The cookie for a sign-in: sign-ins in several windows of a browser share one. */
export function bindBrowser(
  app: App,
  request: Pick<RequestInfo, "cookie">,
): { browserHash: string; cookie: Cookie } {
  const value = secretOf(app, request) ?? randomBytes(32).toString("base64url");
  return {
    browserHash: hashSecret(value),
    cookie: { name: nameOf(app), value, maxAgeMs: limits.ssoAttemptMs },
  };
}

/** Whether a sign-in was begun in this browser. */
export function isSameBrowser(
  app: App,
  request: Pick<RequestInfo, "cookie">,
  { browserHash }: { browserHash: string },
): boolean {
  const secret = secretOf(app, request);
  return secret !== undefined && hashSecret(secret) === browserHash;
}
