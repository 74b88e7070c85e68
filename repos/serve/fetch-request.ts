/**
 * The body of a git client's fetch, checked before git reads it: packets in Git's form, and no filter that costs much.
 */

const headerBytes = 4;
/** A packet's length has four digits; Git's own programs send no longer ones. */
const longestPacket = 65_520;
const flushes = [0, 1, 2];
const wantBytes = "want ".length + 40;

/**
 * Filters by a pattern (`sparse:oid`), by a depth of trees and combinations of filters search every tree of the history
 * at a cost that the client chooses. `filterSettings` of `upload-pack.ts` configure git likewise.
 */
const acceptedFilter = /^(?:blob:none|blob:limit=\d{1,18}[kmg]?|tree:0)$/i;

/**
 * The reason why a request is not passed to git, as a sentence; undefined for a request that is. `hidden`: ids of
 * objects that the client must not get.
 */
export function refusalOfFetch(request: Buffer, hidden: readonly string[] = []): string | undefined {
  for (let at = 0; at < request.length;) {
    const length = packetLength(request, at);
    if (length === undefined) return "The request is not in Git's packet format.";
    const wanted = request.toString("latin1", at + headerBytes, at + headerBytes + wantBytes);
    if (wanted.startsWith("want ") && hidden.includes(wanted.slice("want ".length).toLowerCase()))
      return "The repository does not offer that object.";
    if (wanted.startsWith("filter ")) {
      const filter = request.toString("latin1", at + headerBytes + 7, at + length).replace(/\n$/, "");
      if (!acceptedFilter.test(filter))
        return "The clone's filter is not supported. Use blob:none, blob:limit=<bytes> or tree:0.";
    }
    at += length;
  }
  return undefined;
}

/** Bytes of the packet, its header included; undefined where there is none, or not all of it. */
function packetLength(request: Buffer, at: number): number | undefined {
  const digits = request.toString("latin1", at, at + headerBytes);
  if (!/^[0-9a-f]{4}$/i.test(digits)) return undefined;
  const length = Number.parseInt(digits, 16);
  if (flushes.includes(length)) return headerBytes;
  return length < headerBytes || length > longestPacket || at + length > request.length ? undefined : length;
}
