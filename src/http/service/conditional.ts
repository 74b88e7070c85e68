/** Entity tags and caching (RFC 9110, section 13; RFC 9111). */
import { Reply, type RequestInfo } from "../route.ts";

/**
 * Caching headers of a response. `fixed` content never changes under its URL; other responses are revalidated each time
 * and answered 304 while the tag holds. `byAccept`: the URL has another form for another `Accept` header, which a
 * shared cache must not mix up.
 */
export function cacheHeaders(
  etag: string,
  options: { fixed: boolean; shared: boolean; byAccept?: boolean },
): Record<string, string> {
  const scope = options.shared ? "public" : "private";
  return {
    etag: `"${etag}"`,
    "cache-control": options.fixed ? `${scope}, max-age=31536000, immutable` : `${scope}, no-cache`,
    vary: options.byAccept ? "Accept, Authorization, Cookie" : "Authorization, Cookie",
  };
}

/** The 304 answer where the caller already holds this tag (If-None-Match, weak comparison), else undefined. */
export function notModified(request: RequestInfo, headers: Record<string, string>): Reply | undefined {
  const held = request.header("if-none-match");
  if (held === "") return undefined;
  const etag = headers["etag"];
  const isHeld = held === "*" || held.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
  return isHeld ? new Reply(undefined, { status: 304, headers }) : undefined;
}
