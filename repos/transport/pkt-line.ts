/** Git's frames on the wire (gitprotocol-common, "pkt-line Format"; gitprotocol-pack, "side-band"). */
import { hiddenCharacters } from "../../contract/checks/unsafe-characters.ts";
import { RepoError } from "../errors.ts";

const headerBytes = 4;
export const flush = Buffer.from("0000");

export function packetLine(text: string): Buffer {
  const data = Buffer.from(text);
  return Buffer.concat([Buffer.from((data.length + headerBytes).toString(16).padStart(4, "0")), data]);
}

const broken = (why: string) => new RepoError("remote_protocol", `the host's answer ${why}`);

/** Packets of a stream: their bytes, or null for a flush. A stream that ends inside one is an error. */
export async function* readPackets(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | null> {
  let held = Buffer.alloc(0);
  for await (const piece of source) {
    held = held.length === 0 ? asBuffer(piece) : Buffer.concat([held, piece]);
    let at = 0;
    for (;;) {
      if (held.length - at < headerBytes) break;
      const digits = held.toString("latin1", at, at + headerBytes);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw broken("is not in Git's form");
      const length = Number.parseInt(digits, 16);
      if (length < headerBytes) {
        if (length === 3) throw broken("is not in Git's form");
        at += headerBytes;
        yield null;
        continue;
      }
      if (held.length - at < length) break;
      yield held.subarray(at + headerBytes, at + length);
      at += length;
    }
    held = held.subarray(at);
  }
  if (held.length > 0) throw broken("was cut off");
}

/** Whether the bytes end after a flush, which distinguishes a complete list of refs from a truncated one. */
export function endsInFlush(data: Buffer): boolean {
  return data.length >= headerBytes && data.subarray(-headerBytes).equals(flush);
}

export interface SideBands {
  /** Called with the host's messages for people. */
  onText(text: string): void;
}

/** The first band of a side-band stream, up to the flush. A message on the third ends it with an error. */
export async function* firstBand(
  packets: AsyncIterator<Buffer | null>,
  { onText }: SideBands,
): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await packets.next();
    if (next.done === true) throw broken("was cut off");
    const packet = next.value;
    if (packet === null) return;
    const band = packet[0];
    if (band === 1) yield packet.subarray(1);
    else if (band === 2) onText(packet.toString("utf8", 1));
    else if (band === 3)
      throw new RepoError("remote_failed", `the host gave up: ${plainText(packet.toString("utf8", 1), 300)}`);
    else throw broken("has an unknown side band");
  }
}

/**
 * Text from a host in a form that is safe to display: limited in length, on lines without hidden characters.
 */
export function plainText(text: string, most: number): string {
  return (
    text
      // A host may send a line of any length, of which little is shown.
      .slice(0, 10 * most)
      .replace(/\r\n?/g, "\n")
      // oxlint-disable-next-line no-control-regex -- escape sequences would reach a user's terminal
      .replace(/\x1b\[[0-9;?]*[ -/]*[@-~]|\t/g, " ")
      .replace(hiddenCharacters, " ")
      .replace(/(?<![ \t])[ \t]+$/gm, "")
      .trim()
      .slice(0, most)
  );
}

function asBuffer(piece: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.from(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength);
}
