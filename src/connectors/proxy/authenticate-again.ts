/** Authenticates a caller again whose call or stream lasts. */
import type { UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";

/** `ended`: the credential is no longer valid; `unknown`: that can't be known now. */
export async function authenticateAgain(
  app: App,
  authenticate: () => Promise<UserActor>,
): Promise<UserActor | "ended" | "unknown"> {
  try {
    return await authenticate();
  } catch (error) {
    const isFinal = error instanceof ServiceError && !["rate_limited", "unavailable"].includes(error.code);
    if (!isFinal)
      app.log.debug({ error }, "the caller of a hosted connector could not be authenticated again");
    return isFinal ? "ended" : "unknown";
  }
}
