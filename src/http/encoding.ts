/** Compression of responses, and the entity tags of their compressed forms. */
import type { Readable } from "node:stream";
import type { Context } from "koa";
import compress from "koa-compress";
import { LRUCache } from "lru-cache";

const leastBytes = 2048;
const cacheBytes = 8 * 1024 * 1024;
const largestCachedBytes = 256 * 1024;

const compressBody = compress({
  threshold: leastBytes,
  filter: (type) => /json|html|css|javascript|text\/markdown/.test(type),
});

interface Encoded {
  /** The body that was compressed: another one with the same key is another response. */
  plain: string | Buffer;
  encoding: string;
  bytes: Buffer;
}

/** Compressed bodies of responses that stay as they are, by the address and the caller's encodings. */
const encodedBodies = new LRUCache<string, Encoded>({
  maxSize: cacheBytes,
  sizeCalculation: ({ plain, bytes }, key) => 2 * (key.length + plain.length) + bytes.length,
});

/** Sets `Vary`, which every response needs, since its path may lead to a large one. Other names are added to it. */
export function announceEncodings(ctx: Context): void {
  ctx.res.setHeader("vary", "Accept-Encoding");
}

/** Compresses the body, if the caller accepts an encoding and the body is large enough. */
export async function encodeBody(ctx: Context): Promise<void> {
  const plain: unknown = ctx.body;
  if (!plain || ctx.req.headers["accept-encoding"] === undefined) return;
  const isInMemory = typeof plain === "string" || Buffer.isBuffer(plain);
  // A character has up to three bytes in UTF-8.
  if (isInMemory && plain.length * 3 < leastBytes) return;
  // A caller that refuses every encoding gets the plain body (RFC 9110, section 12.5.3); compression would throw.
  if (ctx.acceptsEncodings("br", "gzip", "deflate", "identity") === false) return;
  const etag = ctx.res.getHeader("etag");
  if (isInMemory && plain.length <= largestCachedBytes && etag !== undefined && ctx.method === "GET")
    await encodeCached(ctx, plain);
  else await compressBody(ctx, async () => undefined);
  // A strong tag promises equal bytes, which a compressed body and its plain one are not (RFC 9110, section 8.8.1).
  if (ctx.res.hasHeader("content-encoding") && typeof etag === "string" && etag.startsWith('"'))
    ctx.set("etag", `W/${etag}`);
}

async function encodeCached(ctx: Context, plain: string | Buffer): Promise<void> {
  const key = `${ctx.req.headers["accept-encoding"] as string} ${ctx.url}`;
  let encoded = encodedBodies.get(key);
  if (!encoded || !isEqual(encoded.plain, plain)) {
    await compressBody(ctx, async () => undefined);
    const encoding = ctx.res.getHeader("content-encoding");
    if (typeof encoding !== "string") return;
    const pieces: Buffer[] = [];
    for await (const piece of ctx.body as Readable) pieces.push(piece as Buffer);
    encoded = { plain, encoding, bytes: Buffer.concat(pieces) };
    encodedBodies.set(key, encoded);
  }
  ctx.set("content-encoding", encoded.encoding);
  ctx.body = encoded.bytes;
}

function isEqual(a: string | Buffer, b: string | Buffer): boolean {
  return typeof a === "string" || typeof b === "string" ? a === b : a.equals(b);
}
