import type { Retries } from "../../contract/concurrency/retry-lost.ts";
import { ServiceError } from "../errors.ts";

/** Retries of a change of a skill that concurrent changes may prevent. `by` ends the error's first clause. */
export const skillRetries = (ref: string, by = "changed by many"): Retries => ({
  attempts: 20,
  exhausted: () =>
    new ServiceError("conflict", `"${ref}" is being ${by} at once: try again.`, { kind: "skill", ref }),
});
