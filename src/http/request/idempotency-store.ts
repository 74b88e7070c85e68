/** The store of first responses over MongoDB. */
import { limits } from "../../../contract/limits.ts";
import type { App } from "../../app.ts";
import type { IdempotencyStore } from "./idempotency.ts";

/** The longest time that a first call may run. A process that crashes during one must not block its key for a day. */
const runningMs = 10 * 60_000;

/** First responses are stored encrypted, since they may contain what only their caller may read. */
export function idempotencyStore(app: App): IdempotencyStore {
  const { idempotency } = app.storage;
  const inMs = (ms: number) => new Date(app.now().getTime() + ms);
  return {
    async claim(id, bodyHash) {
      const resultId = app.newId();
      const claim = await idempotency.claim(
        { _id: id, bodyHash, resultId, runningUntil: inMs(runningMs), expiresAt: inMs(limits.idempotencyMs) },
        app.now(),
      );
      if (claim === "claimed") return { creation: { id: resultId, isRetry: false } };
      if ("takenOver" in claim)
        return { creation: { id: claim.takenOver.resultId ?? resultId, isRetry: true } };
      const { sealed, status, bodyHash: heldFor } = claim.heldBy;
      if (sealed === undefined || status === undefined) return { bodyHash: heldFor, answer: undefined };
      return {
        bodyHash: heldFor,
        answer: { status, body: JSON.parse(app.secrets.open(sealed, id)) as unknown },
      };
    },
    complete: (id, answer) =>
      idempotency.complete(
        id,
        answer.status,
        app.secrets.seal(JSON.stringify(answer.body ?? null), id),
        inMs(limits.idempotencyMs),
      ),
    release: (id) => idempotency.release(id),
    interrupt: (id) => idempotency.interrupt(id, app.now()),
  };
}
