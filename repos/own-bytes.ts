/** Bytes that are kept, in memory of their own. */

/** Memory that a kept part of a larger block may waste. */
const wasteBytes = 512;

/**
 * The bytes, copied if they are a small part of a larger block: short buffers share blocks of 8 kB, and results of zlib
 * have 16 kB, which a cache would hold without counting them.
 */
export function ownBytes(data: Buffer): Buffer {
  if (data.buffer.byteLength - data.length <= wasteBytes) return data;
  const own = Buffer.allocUnsafeSlow(data.length);
  data.copy(own);
  return own;
}
