/** Requests to OpenID Connect providers: within the rules for addresses that users enter, without redirects. */
import { limits } from "../../../contract/limits.ts";
import { fetchText } from "../../../repos/transport/fetch-text.ts";
import type { App } from "../../app.ts";

const requestMs = 10_000;

interface RequestOptions {
  method?: string;
  headers?: unknown;
  body?: unknown;
}

/** `fetch` as openid-client calls it. Throws `RepoError` for every status other than 200. */
export function guardedFetch(app: App) {
  return async (url: string, { method, headers, body }: RequestOptions): Promise<Response> => {
    const given = new Headers(headers as Record<string, string>);
    const text = await fetchText(
      url,
      {
        allowPrivateNetwork: app.config.ssoPrivateNetwork,
        maxBytes: limits.ssoMetadataBytes,
        requestMs,
      },
      {
        method,
        headers: Object.fromEntries(given),
        body: typeof body === "string" || body instanceof URLSearchParams ? body.toString() : undefined,
      },
    );
    return new Response(text, { status: 200, headers: { "content-type": "application/json" } });
  };
}
