/**
 * `Idempotency-Key` on calls that create: the same key and body within 24 hours get the first response again, if the
 * caller may still read it. A first call that is still running, or the same key with another body, is a conflict.
 */
import { createHash } from "node:crypto";
import { type Actor, type AnonymousActor, actorKey } from "../../access/actor.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { Enveloped, Reply, type Creation } from "../route.ts";

export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** Storage of first responses. `claim` is atomic: of two concurrent calls, one gets the creation. */
export interface IdempotencyStore {
  claim(
    id: string,
    bodyHash: string,
  ): Promise<{ creation: Creation } | { bodyHash: string; answer: StoredAnswer | undefined }>;
  /** Keeps the key while the call runs, until the returned function is called. */
  keep(id: string): () => void;
  complete(id: string, answer: StoredAnswer): Promise<void>;
  /** The call failed and created nothing: the key is free again. */
  release(id: string): Promise<void>;
  /** The outcome is unknown: the next attempt with the same body continues with the same creation. */
  interrupt(id: string): Promise<void>;
}

/** Stored instead of a response that carries a secret or a cookie, or that no read decides about. */
const shownOnce = { shownOnce: true };

interface IdempotentCall {
  run(creation: Creation | undefined): unknown;
  /** Throws unless the caller may read the stored data now. Without it, data is not stored. */
  authorizeRepeat: ((data: unknown) => Promise<unknown>) | undefined;
  toError(thrown: unknown): ServiceError;
}

/**
 * The result of a call that creates, from its first run, or from the store if the caller may still read it. Throws what
 * `toError` makes of a failure.
 */
export async function idempotentResult(
  store: IdempotencyStore,
  request: IdempotentRequest,
  { run, authorizeRepeat, toError }: IdempotentCall,
): Promise<unknown> {
  let result: unknown;
  const stored = await idempotently(store, request, async (creation) => {
    try {
      result = await run(creation);
    } catch (error) {
      throw toError(error);
    }
    const isKept = authorizeRepeat && !(result instanceof Enveloped) && !(result instanceof Reply);
    return { status: 201, body: isKept ? result : shownOnce };
  });
  if (result !== undefined) return result;
  if (isShownOnce(stored.body) || !authorizeRepeat)
    throw new ServiceError(
      "conflict",
      "The call with this Idempotency-Key succeeded; its answer is shown once and is not kept.",
    );
  await authorizeRepeat(stored.body);
  return stored.body;
}

function isShownOnce(body: unknown): boolean {
  return typeof body === "object" && body !== null && "shownOnce" in body;
}

interface IdempotentRequest {
  key: string;
  actor: Actor;
  route: string;
  body: unknown;
}

/** Runs `call` once per key. Without a key, or for anonymous callers, it runs without a creation. */
async function idempotently(
  store: IdempotencyStore,
  request: IdempotentRequest,
  call: (creation: Creation | undefined) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const { key, actor } = request;
  if (key === "" || actor.kind === "anonymous") return call(undefined);
  if (!/^[\x21-\x7e]{8,128}$/.test(key))
    throw invalidRequest("Idempotency-Key must be 8 to 128 visible ASCII characters.");

  // By credential: an answer given to a session is not for a token of the same user that may do less.
  const id = sha256(`${actorKey(actor)}\n${credentialOf(actor)}\n${request.route}\n${key}`);
  const bodyHash = sha256(JSON.stringify(request.body ?? null));
  const claim = await store.claim(id, bodyHash);
  if (!("creation" in claim)) {
    if (claim.bodyHash !== bodyHash)
      throw new ServiceError("conflict", "This Idempotency-Key was used with another body.");
    if (!claim.answer)
      throw new ServiceError("conflict", "The first call with this Idempotency-Key is still running.");
    return claim.answer;
  }
  let answer: StoredAnswer;
  const endKeep = store.keep(id);
  try {
    answer = await call(claim.creation).finally(endKeep);
  } catch (error) {
    await (isRefusal(error) ? store.release(id) : store.interrupt(id));
    throw error;
  }
  // Not released when this fails: the call has taken place, and a second one must not.
  await store.complete(id, answer);
  return answer;
}

/** Whether a failure proves that nothing was created. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && !["internal", "unavailable"].includes(error.code);
}

function credentialOf(actor: Exclude<Actor, AnonymousActor>): string {
  if (actor.kind === "anonymous-key") return "key";
  if (actor.kind === "organization") return actor.tokenId;
  if (actor.kind === "sync") return "sync";
  return actor.via.kind === "token" ? actor.via.tokenId : "session";
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
