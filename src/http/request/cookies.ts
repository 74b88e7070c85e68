/** Cookies that the service sets. */
import type { Context } from "koa";
import type { Cookie } from "../route.ts";

/** Name of the session cookie, bound to the host if the service is reached by https. */
export function sessionCookieName(baseUrl: string): string {
  return baseUrl.startsWith("https:") ? "__Host-svc_session" : "svc_session";
}

export function setCookies(ctx: Context, cookies: Cookie[]): void {
  for (const { name, value, maxAgeMs } of cookies) {
    // Not koa's own cookies: they refuse `Secure` when a proxy terminates TLS.
    const secure = name.startsWith("__Host-") ? "; Secure" : "";
    const age =
      value === "" ? "; Max-Age=0" : maxAgeMs === undefined ? "" : `; Max-Age=${Math.floor(maxAgeMs / 1000)}`;
    ctx.append("set-cookie", `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`);
  }
}
