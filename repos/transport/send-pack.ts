/** Sending one pack for one branch (gitprotocol-pack, "Pushing Data To a Server"); the host compares and swaps. */
import { LRUCache } from "lru-cache";
import { RepoError } from "../errors.ts";
import type { PushResult, Rejection } from "../mirror/types.ts";
import type { Session } from "./connect.ts";
import { firstBand, flush, packetLine, plainText, readPackets } from "./pkt-line.ts";

const none = "0".repeat(40);
const keptText = 8 * 1024;
/** Bytes that may be sent in vain if the branch has moved in the meantime. */
const maxUnaskedBytes = 1024 * 1024;
const knownForMs = 60 * 60_000;
const maxKnown = 1000;

export interface SendRequest {
  ref: string;
  /** Required tip of the branch; null if it must not exist. */
  from: string | null;
  to: string;
  /** From its beginning at each call. */
  pack: () => AsyncIterable<Uint8Array>;
  packBytes: number;
}

/** Properties of hosts for pushes, by the remote's address. */
export type PushHabits = LRUCache<string, PushHabit>;

interface PushHabit {
  /** Whether its report comes in a band of its own. */
  banded: boolean;
  /** It has refused a push without a preceding request. */
  wantsToBeAsked: boolean;
}

export const newPushHabits = (): PushHabits => new LRUCache({ max: maxKnown, ttl: knownForMs });

/**
 * Sends the pack; the host decides whether it accepts it. The first push requests the host's capabilities and refs
 * before it sends the pack. Later ones skip that request, which always lists all refs of the repository: the host
 * compares the branch with the expected commit in any case. If it refuses such a push, the request is sent.
 *
 * @param address by which the host's properties are stored
 */
export async function sendPack(
  session: Session,
  request: SendRequest,
  habits: PushHabits,
  address: string,
): Promise<PushResult> {
  const known = habits.get(address);
  if (known?.wantsToBeAsked === false && request.from !== null && request.packBytes <= maxUnaskedBytes) {
    const result = await push(session, request, known.banded).catch((error: unknown) => {
      if (!(error instanceof RepoError) || error.code !== "remote_protocol") throw error;
      habits.set(address, { ...known, wantsToBeAsked: true });
      return undefined;
    });
    // If the branch has moved, the list shows whether that was a push of ours whose response was lost.
    if (result !== undefined && result.status !== "stale") return result;
  }
  const { refs, capabilities } = await session.discover("git-receive-pack");
  const now = refs.get(request.ref) ?? null;
  // A push whose answer was lost.
  if (now === request.to) return { status: "pushed" };
  if (now !== request.from) return { status: "stale" };
  if (!capabilities.has("report-status"))
    throw new RepoError("remote_protocol", "the host does not support report-status");
  const banded = capabilities.has("side-band-64k");
  const result = await push(session, request, banded);
  if (result.status === "pushed")
    habits.set(address, { banded, wantsToBeAsked: habits.get(address)?.wantsToBeAsked ?? false });
  return result;
}

async function push(session: Session, request: SendRequest, banded: boolean): Promise<PushResult> {
  const asked = ["report-status", ...(banded ? ["side-band-64k"] : []), "agent=git/svc"].join(" ");
  const command = Buffer.concat([
    packetLine(`${request.from ?? none} ${request.to} ${request.ref}\0 ${asked}\n`),
    flush,
  ]);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield command;
    yield* request.pack();
  }
  const answer = await session.exchange("git-receive-pack", body(), command.length + request.packBytes);

  let text = "";
  const onText = (piece: string) => {
    if (text.length < 4 * keptText) text += piece;
  };
  const packets = readPackets(answer);
  const report = banded ? readPackets(firstBand(packets, { onText })) : packets;
  return readReport(report, request.ref, () => plainText(text, keptText));
}

async function readReport(
  report: AsyncIterator<Buffer | null>,
  ref: string,
  text: () => string,
): Promise<PushResult> {
  let unpacked: string | undefined;
  let result: PushResult | { reason: string } | undefined;
  for (;;) {
    const next = await report.next();
    if (next.done === true) break;
    if (next.value === null) continue;
    const line = next.value.toString("utf8").trimEnd();
    if (line.startsWith("unpack ")) unpacked = line.slice("unpack ".length);
    else if (line === `ok ${ref}`) result = { status: "pushed" };
    else if (line.startsWith(`ng ${ref} `)) result = { reason: line.slice(`ng ${ref} `.length) };
  }
  if (result !== undefined && "status" in result && unpacked === "ok") return result;
  if (result === undefined && (unpacked === undefined || unpacked === "ok"))
    throw new RepoError("remote_protocol", "the host did not report the result of the push");
  const reason =
    unpacked !== undefined && unpacked !== "ok"
      ? unpacked
      : result !== undefined && "reason" in result
        ? result.reason
        : "unpack failed";
  if (
    /non-fast-forward|fetch first|stale info|cannot lock ref|failed to update ref|already exists|incorrect old value|failed to lock/i.test(
      reason,
    )
  )
    return { status: "stale" };
  return rejection(ref, plainText(reason, 500), text());
}

/** Words of hosts, in their reasons and messages, by what they mean for us. */
const protectedWords =
  /protected branch|branch protection|GH006|GH013[^]*(pull request|must be made through)|changes must be made through a pull request|not allowed to push|pre-receive hook declined.*protected|TF402455/i;
const unsignedWords =
  /must have (?:verified|valid) signatures|commits? must be (?:signed|verified)|unsigned commits?|not (?:gpg|cryptographically) signed|commit (?:is not|was not) signed|unverified (?:commit|signature)/i;
const contentWords =
  /secret|GH009|push protection|credential|exceeds (?:GitHub's )?(?:the )?(?:file size|maximum)|GH001|large files?|file size limit|fsck|hasDotgit|index-pack|unpack|invalid path|gitmodules/i;

function rejection(ref: string, reason: string, text: string): Rejection {
  const said = `${reason}\n${text}`;
  // A ruleset may name both. A secret counts first, since skipping its skill resolves it.
  const cause = contentWords.test(said)
    ? "content"
    : unsignedWords.test(said)
      ? "unsigned"
      : protectedWords.test(said)
        ? "protected"
        : "other";
  const paths = [
    ...new Set(
      [...said.matchAll(/(?<![\w./-])skills\/[^\s:'"`<>|]+/g)].map(([path]) => path.replace(/[.,;)]+$/, "")),
    ),
  ].slice(0, 100);
  return { status: "rejected", cause, ref, reason, text, paths };
}
