/** Compression of responses, and the entity tags of their compressed forms. */
import type { Context } from "koa";
import compress from "koa-compress";

const leastBytes = 2048;

const compressBody = compress({
  threshold: leastBytes,
  filter: (type) => /json|html|css|javascript|text\/markdown/.test(type),
});

/** Sets `Vary`, which every response needs, since its path may lead to a large one. Other names are added to it. */
export function announceEncodings(ctx: Context): void {
  ctx.res.setHeader("vary", "Accept-Encoding");
}

/** Compresses the body, if the caller accepts an encoding and the body is large enough. */
export async function encodeBody(ctx: Context): Promise<void> {
  if (!mayCompress(ctx)) return;
  // A caller that refuses every encoding gets the plain body (RFC 9110, section 12.5.3); compression would throw.
  if (ctx.acceptsEncodings("br", "gzip", "deflate", "identity") === false) return;
  await compressBody(ctx, async () => undefined);
  if (ctx.res.hasHeader("content-encoding")) weakenTag(ctx);
}

function mayCompress(ctx: Context): boolean {
  const { body } = ctx;
  if (!body || ctx.req.headers["accept-encoding"] === undefined) return false;
  return typeof body === "string" || Buffer.isBuffer(body) ? body.length * 3 >= leastBytes : true;
}

/** A strong tag promises equal bytes, which a compressed body and its plain one are not (RFC 9110, section 8.8.1). */
function weakenTag(ctx: Context): void {
  const etag = ctx.res.getHeader("etag");
  if (typeof etag === "string" && etag.startsWith('"')) ctx.set("etag", `W/${etag}`);
}
