/** The store of first responses over MongoDB. */
import { limits } from "../../../contract/limits.ts";
import type { App } from "../../app.ts";
import type { IdempotencyStore } from "./idempotency.ts";

/** Time after which the key of a call is free for the next attempt if its process has crashed. */
const runningMs = 20_000;
/** Interval of renewals while the call runs. */
const renewMs = 5000;
/**
 * A call that runs for longer does not keep its key. The next attempt creates under the same id, so that both together
 * create once.
 */
const longestMs = 60_000;

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
    keep(id) {
      const renew = () => void idempotency.renew(id, inMs(runningMs)).catch(() => undefined);
      const renewing = setInterval(renew, renewMs);
      const ending = setTimeout(() => {
        clearInterval(renewing);
        app.log.warn(
          { longestMs },
          "a call with an Idempotency-Key runs for long, and no longer keeps its key",
        );
      }, longestMs);
      return () => {
        clearInterval(renewing);
        clearTimeout(ending);
      };
    },
    release: (id) => idempotency.release(id),
    interrupt: (id) => idempotency.interrupt(id, app.now()),
  };
}
