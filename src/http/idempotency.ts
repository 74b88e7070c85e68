/**
 * `Idempotency-Key` on calls that create: the same key and body within 24 hours get the first answer again.
 * A first call that is still running, or the key with another body, is a conflict.
 */
import { createHash } from "node:crypto";
import type { Actor, AnonymousActor } from "../access/actor.ts";
import { actorKey } from "../access/actor.ts";
import { ServiceError, invalidRequest } from "../errors.ts";

export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** Where first answers are kept. `claim` is atomic: of two calls at once, one gets `claimed`. */
export interface IdempotencyStore {
  claim(
    id: string,
    bodyHash: string,
  ): Promise<"claimed" | { bodyHash: string; answer: StoredAnswer | undefined }>;
  complete(id: string, answer: StoredAnswer): Promise<void>;
  release(id: string): Promise<void>;
}

/** Runs `call` once per key. Without a key, or for anonymous callers, it just runs. */
export async function idempotently(
  store: IdempotencyStore,
  request: { key: string; actor: Actor; route: string; body: unknown },
  call: () => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const { key, actor } = request;
  if (key === "" || actor.kind === "anonymous") return call();
  if (!/^[\x21-\x7e]{8,128}$/.test(key))
    throw invalidRequest("Idempotency-Key must be 8 to 128 visible ASCII characters.");

  // By credential: an answer given to a session is not for a token of the same user that may do less.
  const id = sha256(`${actorKey(actor)}\n${credentialOf(actor)}\n${request.route}\n${key}`);
  const bodyHash = sha256(JSON.stringify(request.body ?? null));
  const claim = await store.claim(id, bodyHash);
  if (claim !== "claimed") {
    if (claim.bodyHash !== bodyHash)
      throw new ServiceError("conflict", "This Idempotency-Key was used with another body.");
    if (!claim.answer)
      throw new ServiceError("conflict", "The first call with this Idempotency-Key is still running.");
    return claim.answer;
  }
  let answer: StoredAnswer;
  try {
    answer = await call();
  } catch (error) {
    await store.release(id);
    throw error;
  }
  // Not released when this fails: the call has taken place, and a second one must not.
  await store.complete(id, answer);
  return answer;
}

function credentialOf(actor: Exclude<Actor, AnonymousActor>): string {
  if (actor.kind === "anonymous-key") return "key";
  if (actor.kind === "organization") return actor.tokenId;
  if (actor.kind === "sync") return "sync";
  return actor.via.kind === "token" ? actor.via.tokenId : "session";
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
