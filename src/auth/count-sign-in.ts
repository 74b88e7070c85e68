/** Counts sign-ins for the metrics, by method and outcome. */
import { noteCount } from "../../contract/observation.ts";
import { ServiceError } from "../errors.ts";

type Method = "password" | "factor" | "passkey" | "sso";

/** Runs a sign-in, or one of its steps, and counts it if it fails because of the caller. */
export async function countingFailures<T>(method: Method, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) countFailure(method, error);
    throw error;
  }
}

/** `unavailable` and `internal` are failures of the service, which the requests show. */
export function countFailure(method: Method, { code }: Pick<ServiceError, "code">): void {
  if (code === "unavailable" || code === "internal") return;
  noteCount("signIns", { method, outcome: code === "rate_limited" ? "limited" : "failed" });
}

/** Counts a sign-in that has succeeded, by its last method. */
export function countSuccess(methods: readonly string[]): void {
  const last = methods.at(-1) ?? "password";
  noteCount("signIns", {
    method: last === "totp" || last === "recovery" ? "factor" : last,
    outcome: "succeeded",
  });
}
