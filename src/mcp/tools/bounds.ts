/** Keeps results of tools short: agents pay for every word that they read. */
import { limits } from "../../../contract/limits.ts";
import { invalidRequest } from "../../errors.ts";

export interface TextPart {
  text: string;
  /** Byte at which the next part begins; null at the end. */
  nextOffset: number | null;
}

/** A part of a UTF-8 text that begins at a byte and ends between two characters. Throws for an offset past the end. */
export function partOf(bytes: Buffer, offset: number, maxBytes: number): TextPart {
  if (offset > bytes.length)
    throw invalidRequest(
      `The offset ${offset} is past the end of the text, which has ${bytes.length} bytes.`,
    );
  const start = boundaryAt(bytes, offset);
  const end = Math.min(bytes.length, boundaryAt(bytes, start + maxBytes));
  return { text: bytes.toString("utf8", start, end), nextOffset: end < bytes.length ? end : null };
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function boundaryAt(bytes: Buffer, at: number): number {
  let boundary = at;
  while (isContinuation(bytes[boundary])) boundary--;
  return boundary;
}

/** As many of the items, from one on, as fit into a result; at least one. */
export function itemsThatFit<T>(
  items: readonly T[],
  offset: number,
  maxBytes: number = limits.mcpResultBytes.default,
): { items: T[]; nextOffset: number | null } {
  let end = offset;
  for (let bytes = 0; end < items.length; end++) {
    bytes += Buffer.byteLength(JSON.stringify(items[end])) + 1;
    if (bytes > maxBytes && end > offset) break;
  }
  return { items: items.slice(offset, end), nextOffset: end < items.length ? end : null };
}

/** A page that fits into a result, by asking for fewer items where they are long. */
export async function pageThatFits<T>(
  limit: number,
  list: (limit: number) => Promise<{ items: T[]; nextCursor: string | null }>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const page = await list(limit);
  const { items } = itemsThatFit(page.items, 0);
  return items.length === page.items.length ? page : list(items.length);
}
