/**
 * SHA-256 in parts. The browser's own digest exists only on https and localhost, needs all bytes at once, and a service
 * may be used in a local network without either.
 */
/** The first 32 bits of the fractional parts of roots of the first primes (FIPS 180-4). */
const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const primes = Array.from({ length: 312 }, (_, index) => index).filter(
  (n) => n > 1 && !Array.from({ length: n }, (_, index) => index).some((d) => d > 1 && n % d === 0),
);
const rounds = Int32Array.from(primes.slice(0, 64), (prime) => fraction(Math.cbrt(prime)));

type Eight = [number, number, number, number, number, number, number, number];

export function openSha256(): { update(bytes: Uint8Array): void; hex(): string } {
  const state = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  const block = new Uint8Array(64);
  const words = new Int32Array(64);
  let filled = 0;
  let total = 0;
  const update = (bytes: Uint8Array) => {
    total += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + 64 - filled);
      block.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < 64) return;
      compress(state, block, words);
      filled = 0;
    }
  };
  return {
    update,
    hex() {
      const bits = total * 8;
      const padding = new Uint8Array((filled < 56 ? 56 : 120) - filled + 8);
      padding[0] = 0x80;
      const view = new DataView(padding.buffer);
      view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
      view.setUint32(padding.length - 4, bits >>> 0);
      update(padding);
      return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
    },
  };
}

function compress(state: Int32Array, block: Uint8Array, words: Int32Array): void {
  const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));
  const view = new DataView(block.buffer);
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(i * 4);
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15]!;
    const b = words[i - 2]!;
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    words[i] = (words[i - 16]! + s0 + words[i - 7]! + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = Array.from(state) as Eight;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + rounds[i]! + words[i]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i]! + word) | 0;
}
