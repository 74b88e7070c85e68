/** Bare repositories as Git clients fetch from them: smart HTTP (gitprotocol-http), read-only. */
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { limits } from "../../contract/limits.ts";
import { refusalOfFetch } from "../../repos/serve/fetch-request.ts";
import { actorKey, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { invalidRequest } from "../errors.ts";
import { readBytes } from "../http/request/body.ts";

/** A repository that the caller may fetch from. */
export interface OpenedRepository {
  /** Folder for native git. Opened after the request is checked. */
  directory: () => Promise<string>;
  /** Objects that no client gets, although the repository has them. */
  hidden?: () => Promise<readonly string[]>;
  /** Called once for the first round of a clone, before its answer. */
  prepareClone?: () => Promise<() => void>;
}

/** Protocol parameters of a Git client. */
export interface CloneCall {
  /** The `Git-Protocol` header. */
  protocol: string;
}

/** Refs and capabilities of a repository. */
export async function advertiseRefs(
  app: App,
  actor: Actor,
  { directory }: OpenedRepository,
  call: CloneCall,
): Promise<Readable> {
  return app.uploadPack.advertise(await directory(), clientOf(actor, call));
}

/** Response to one round of a fetch. */
export async function answerFetch(
  app: App,
  actor: Actor,
  { directory, hidden, prepareClone }: OpenedRepository,
  call: CloneCall & { body: Readable; encoding: string },
): Promise<Readable> {
  const request = await readRequest(call);
  const refusal = refusalOfFetch(request, await hidden?.());
  if (refusal !== undefined) throw invalidRequest(refusal);
  // Before Git is started: a process whose output is not read would occupy a slot until its timeout.
  const noteClone = isFirstFetch(request) ? await prepareClone?.() : undefined;
  const answer = await app.uploadPack.answer(await directory(), clientOf(actor, call), request);
  noteClone?.();
  return answer;
}

const clientOf = (actor: Actor, { protocol }: CloneCall) => ({
  protocol,
  caller: actorKey(actor),
  network: actor.origin.isExempt ? undefined : actor.origin.ipHash,
});

/**
 * Reads wants and haves, which are small for a repository of any size. Throws `payload_too_large`, `invalid_request`.
 */
async function readRequest(call: { body: Readable; encoding: string }): Promise<Buffer> {
  const bytes = await readBytes(call.body, limits.gitRequestBytes);
  if (call.encoding === "" || call.encoding === "identity") return bytes;
  if (call.encoding !== "gzip" && call.encoding !== "x-gzip")
    throw invalidRequest("A git request may be compressed with gzip only.");
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: limits.gitRequestBytes });
  } catch {
    throw invalidRequest("The compressed git request can't be read, or is too large.");
  }
}

/** Whether the client requests a pack and has no objects yet. */
function isFirstFetch(request: Buffer): boolean {
  const lines = request.toString("latin1");
  return (
    /[0-9a-f]{4}want [0-9a-f]{40}/.test(lines) &&
    /000[89]done\n?(?:0000)?$/.test(lines) &&
    !/[0-9a-f]{4}have [0-9a-f]{40}/.test(lines)
  );
}
