/** Compression of responses, and the entity tags of their compressed forms. */
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import type { Context } from "koa";
import compress from "koa-compress";
import { LRUCache } from "lru-cache";
import { ownBytes } from "../../../repos/own-bytes.ts";

const leastBytes = 2048;
const cacheBytes = 8 * 1024 * 1024;
const largestCachedBytes = 256 * 1024;

/** The quality of streams, too: the best ratio for its time. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** In bytes. Up to here, compressing takes less time at once (half a millisecond) than the set-up of a stream. */
const maxInlineBytes = 64 * 1024;

const isCompressible = (type: string) => /json|html|css|javascript|text\/markdown/.test(type);

const compressStream = compress({ threshold: leastBytes, filter: isCompressible });

/** Encodings in the order of preference of streams. */
const compressors = {
  br: (plain: Buffer) => brotliCompressSync(plain, brotliOptions),
  gzip: (plain: Buffer) => gzipSync(plain),
  deflate: (plain: Buffer) => deflateSync(plain),
};

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
  const repeats = ctx.state["repeats"] as string | undefined;
  const stays = repeats !== undefined || (etag !== undefined && ctx.method === "GET");
  if (isInMemory && plain.length <= largestCachedBytes && stays) await encodeCached(ctx, plain, repeats);
  else await compressBody(ctx, plain);
  // A strong tag promises equal bytes, which a compressed body and its plain one are not (RFC 9110, section 8.8.1).
  if (ctx.res.hasHeader("content-encoding") && typeof etag === "string" && etag.startsWith('"'))
    ctx.set("etag", `W/${etag}`);
}

async function encodeCached(ctx: Context, plain: string | Buffer, name = ""): Promise<void> {
  const key = `${ctx.req.headers["accept-encoding"] as string} ${ctx.url} ${name}`;
  let encoded = encodedBodies.get(key);
  if (!encoded || !isEqual(encoded.plain, plain)) {
    await compressBody(ctx, plain);
    const encoding = ctx.res.getHeader("content-encoding");
    if (typeof encoding !== "string") return;
    encoded = { plain, encoding, bytes: ownBytes(await bytesOf(ctx.body as Readable | Buffer)) };
    encodedBodies.set(key, encoded);
  }
  ctx.set("content-encoding", encoded.encoding);
  ctx.body = encoded.bytes;
}

async function compressBody(ctx: Context, plain: unknown): Promise<void> {
  const isSmall =
    (typeof plain === "string" || Buffer.isBuffer(plain)) && Buffer.byteLength(plain) <= maxInlineBytes;
  if (isSmall) compressInline(ctx, Buffer.from(plain));
  else await compressStream(ctx, async () => undefined);
}

/** As the stream does it: with the same conditions, encodings and results. */
function compressInline(ctx: Context, plain: Buffer): void {
  if (plain.length < leastBytes || !isTransformable(ctx)) return;
  const encoding = preferredEncoding(ctx);
  if (encoding === undefined) return;
  ctx.set("content-encoding", encoding);
  ctx.body = compressors[encoding](plain);
}

function isTransformable(ctx: Context): boolean {
  const { response } = ctx;
  return (
    isCompressible(response.type) &&
    ctx.method !== "HEAD" &&
    ctx.status !== 206 &&
    !ctx.res.hasHeader("content-encoding") &&
    !/\bno-transform\b/.test(response.get("cache-control") ?? "")
  );
}

/** The caller's own order counts if it has quality values; otherwise, every encoding that it names is as good. */
function preferredEncoding(ctx: Context): keyof typeof compressors | undefined {
  const accepted = ctx.acceptsEncodings().map((name) => (name === "*" ? "gzip" : name));
  const known: string[] = accepted.filter((name) => name === "identity" || isEncoding(name));
  const isOrdered = /;\s*q=/i.test(ctx.get("accept-encoding"));
  const chosen = isOrdered ? known[0] : Object.keys(compressors).find((name) => known.includes(name));
  return chosen !== undefined && isEncoding(chosen) ? chosen : undefined;
}

const isEncoding = (name: string): name is keyof typeof compressors => Object.hasOwn(compressors, name);

async function bytesOf(body: Readable | Buffer): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : buffer(body);
}

function isEqual(a: string | Buffer, b: string | Buffer): boolean {
  return typeof a === "string" || typeof b === "string" ? a === b : a.equals(b);
}
