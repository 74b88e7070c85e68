/**
 * Weighed terms in 6 bytes each: a hash of the term (32 bits, little-endian), by which they are sorted, its weight, and
 * the bits of its fields. Two terms of one skill with the same hash share the higher weight.
 */
import type { WeighedTerm } from "./skill-terms.ts";

const size = 6;

/** FNV-1a over the UTF-16 code units of a term. */
export function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

export function packTerms(terms: readonly WeighedTerm[]): Buffer {
  const sorted = terms
    .map(({ term, ...rest }) => ({ hash: hashOf(term), ...rest }))
    .sort((a, b) => a.hash - b.hash);
  const packed = Buffer.alloc(sorted.length * size);
  sorted.forEach(({ hash, weight, fields }, i) => {
    packed.writeUInt32LE(hash, i * size);
    packed.writeUInt8(weight, i * size + 4);
    packed.writeUInt8(fields, i * size + 5);
  });
  return packed;
}

/** Weight in the low byte and fields in the next one; 0 if the skill does not have the term. */
export function findTerm(packed: Buffer, hash: number): number {
  let low = 0;
  let high = packed.length / size - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = middle * size;
    const found = packed.readUInt32LE(at);
    if (found === hash) return packed.readUInt16LE(at + 4);
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}
