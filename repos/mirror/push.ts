/** Sends a prepared commit to the remote, never forced. */
import { branchRef } from "../transport/connect.ts";
import { sendPack, type PushHabits } from "../transport/send-pack.ts";
import type { MirrorCache } from "./cache.ts";
import { incrementBytes } from "./fetch.ts";
import type { WithSession } from "./remote-session.ts";
import type { PreparedPush, PushResult, Remote } from "./types.ts";

const MiB = 1024 * 1024;
/** The response to a push is a report and the output of hooks. */
const reportBytes = 4 * MiB;
const sentPieceBytes = 1 * MiB;

export async function pushPrepared(
  cache: MirrorCache,
  withSession: WithSession,
  {
    remote,
    branch,
    prepared,
    habits,
    signal,
  }: {
    remote: Remote;
    branch: string;
    prepared: PreparedPush;
    habits: PushHabits;
    signal?: AbortSignal;
  },
): Promise<PushResult> {
  const request = {
    ref: branchRef(branch),
    from: prepared.parent,
    to: prepared.commit,
    pack: () => packBytes(cache, prepared),
    packBytes: prepared.bytes,
  };
  const result = await withSession(
    remote,
    // A long list of refs may precede the report.
    { maxBytes: reportBytes + incrementBytes, signal },
    (session) => sendPack(session, request, habits, remote.kind === "http" ? remote.url : remote.path),
  );
  if (result.status === "pushed" && !prepared.secondBranch) await cache.moveTip(prepared.commit);
  return result;
}

async function* packBytes(cache: MirrorCache, { pack, bytes }: PreparedPush): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += sentPieceBytes)
    yield cache.readPack(pack, at, Math.min(sentPieceBytes, bytes - at));
}
