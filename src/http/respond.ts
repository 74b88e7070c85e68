/** Writes the result of a handler to the response. */
import type { Context } from "koa";
import { setCookies } from "./request/cookies.ts";
import { writeCursor } from "./request/cursor.ts";
import { Enveloped, Page, Reply, SerializedJson, type Route } from "./route.ts";

export function respond(ctx: Context, declared: Route, result: unknown): void {
  if (result instanceof Reply) {
    ctx.status = result.status;
    setHeaders(ctx, { "cache-control": "no-store", ...result.headers });
    setCookies(ctx, result.cookies);
    if (result.status !== 304) ctx.body = result.body ?? null;
    if (result.repeats !== undefined) ctx.state["repeats"] = result.repeats;
    if (result.body === undefined) ctx.status = result.status;
    return;
  }
  ctx.status = declared.status ?? 200;
  if (!ctx.response.get("cache-control")) ctx.set("cache-control", "no-store");
  if (result instanceof Page) {
    const { items, nextCursor, fields } = result;
    const next = nextCursor === null ? null : writeCursor(declared.path, nextCursor);
    sendJson(ctx, { success: true, data: items, nextCursor: next, ...fields });
  } else if (result instanceof Enveloped) {
    setHeaders(ctx, result.headers);
    setCookies(ctx, result.cookies);
    if (result.data instanceof SerializedJson) sendText(ctx, `{"success":true,"data":${result.data.text}}`);
    else sendJson(ctx, { success: true, data: result.data });
  } else {
    sendJson(ctx, { success: true, data: result });
  }
}

/** Serialized here, once: koa would serialize an object each time that its length is read. */
function sendJson(ctx: Context, body: object): void {
  sendText(ctx, JSON.stringify(body));
}

function sendText(ctx: Context, json: string): void {
  ctx.type = "json";
  ctx.body = json;
}

/** Adds to `Vary` rather than replacing it, since compression has set it already. */
function setHeaders(ctx: Context, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "vary") ctx.vary(value.split(/, */));
    else ctx.set(name, value);
  }
}
