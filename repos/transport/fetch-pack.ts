/** Requests the objects of one commit (gitprotocol-pack, "Packfile Negotiation"): one request, one pack, never thin. */
import { RepoError } from "../errors.ts";
import type { Session } from "./connect.ts";
import { firstBand, flush, packetLine, plainText, readPackets } from "./pkt-line.ts";

export interface FetchRequest {
  want: string;
  /** A commit that is here with everything its tree holds. */
  have: string | undefined;
  /** Commits here whose parents are not. */
  shallow: readonly string[];
  /** Commits to get, from the tip down; all that are new where it is not given. */
  depth: number | undefined;
  capabilities: ReadonlySet<string>;
}

export interface FetchedPack {
  pack: Buffer;
  /** Commits that came without their parents. */
  shallow: string[];
}

/** Throws `remote_too_large` from the session's limit, `remote_protocol` if the response is not a pack. */
export async function fetchPack(session: Session, request: FetchRequest): Promise<FetchedPack> {
  const { want, have, shallow, depth, capabilities } = request;
  if (!capabilities.has("side-band-64k"))
    throw new RepoError("remote_protocol", "the host does not support side-band-64k");
  const offered = ["side-band-64k", "ofs-delta", "no-progress"].filter((name) => capabilities.has(name));
  if ((depth !== undefined || shallow.length > 0) && !capabilities.has("shallow"))
    throw new RepoError("remote_protocol", "the host can't send a part of the history");
  const body = Buffer.concat([
    packetLine(`want ${want} ${offered.join(" ")} agent=git/svc\n`),
    ...shallow.map((oid) => packetLine(`shallow ${oid}\n`)),
    ...(depth === undefined ? [] : [packetLine(`deepen ${depth}\n`)]),
    flush,
    ...(have === undefined ? [] : [packetLine(`have ${have}\n`)]),
    packetLine("done\n"),
  ]);
  const answer = await session.exchange("git-upload-pack", once(body), body.length);

  const packets = readPackets(answer);
  const found: string[] = [];
  for (;;) {
    const next = await packets.next();
    if (next.done === true) throw new RepoError("remote_protocol", "the host's answer was cut off");
    if (next.value === null) continue;
    const line = next.value.toString("utf8").trimEnd();
    if (line === "NAK" || /^ACK [0-9a-f]{40}$/.test(line)) break;
    const match = /^shallow ([0-9a-f]{40})$/.exec(line);
    if (match !== null) found.push(match[1]!);
    else if (line.startsWith("ERR "))
      throw new RepoError("remote_failed", `the host refuses to send: ${plainText(line.slice(4), 300)}`);
    else if (!line.startsWith("unshallow "))
      throw new RepoError("remote_protocol", "the host's response is not in Git's format");
  }
  const pieces: Buffer[] = [];
  for await (const piece of firstBand(packets, { onText: () => undefined })) pieces.push(piece);
  return { pack: Buffer.concat(pieces), shallow: found };
}

async function* once(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}
