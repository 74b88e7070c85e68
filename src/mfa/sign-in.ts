/** The second step of a sign-in, and the verification of a signed-in user. */
import { limits } from "../../contract/limits.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { noteBreakGlass, type NotedUses } from "../auth/break-glass.ts";
import { countingFailures } from "../auth/count-sign-in.ts";
import { accountSuspended, checkOwnPassword, type BudgetKey } from "../auth/credentials.ts";
import { clientFacts, knownClient } from "../auth/known-clients.ts";
import { completeSignIn, type SignedIn } from "../auth/sign-in.ts";
import { countTry, openTicket, useTicket } from "../auth/ticket.ts";
import { ServiceError, unauthenticated } from "../errors.ts";
import type { RequestInfo } from "../http/route.ts";
import { hashSecret } from "../secrets.ts";
import { requireUnrestricted } from "../users/load.ts";
import { loadOwn } from "./load.ts";
import { browserBinding, sessionBinding } from "./passkeys/challenge.ts";
import type { Reauthenticate, VerifyFactor } from "./schema.ts";
import { verifyFactor } from "./verify.ts";

/**
 * Completes a sign-in by its ticket and a factor. Strangers' failures are counted apart from those of clients that the
 * account knows. Throws `invalid_credentials`, with `details.reason`: `ticket` if the sign-in has to start again, else
 * `factor`; or `rate_limited`.
 */
export async function completeByFactor(
  app: App,
  actor: Actor,
  { ticket: text, ...proof }: VerifyFactor,
  request: RequestInfo,
): Promise<SignedIn> {
  const client = clientFacts(app, actor, request);
  const { ticket, user } = await openTicket(app, text, client);
  await countTry(app, ticket);
  const known = knownClient(app, user, client);
  const who = known ? `${known.kind} ${known.hash}` : (client.ipHash ?? "unknown");
  const keys: BudgetKey[] = [["factor", hashSecret(`${user._id}\n${who}`)]];
  if (!known) keys.push(["factor-unknown-clients", user._id]);
  const binding = browserBinding(client.deviceSecret ?? "");
  const method = await countingFailures("factor", () =>
    verifyFactor(app, user, proof, { keys, binding, origin: actor.origin }),
  );
  await useTicket(app, ticket);
  if (user.suspended) throw accountSuspended();
  return completeSignIn(app, user, actor, request, ["password", method]);
}

/**
 * Verifies the caller again: by a factor, or by the password of an account without one. The session or token of the
 * call then counts as verified for ten minutes. Throws `invalid_credentials`, `refused` or `rate_limited`.
 */
export async function reauthenticate(app: App, actor: Actor, input: Reauthenticate): Promise<Date> {
  const caller = requireUnrestricted(actor, "confirm who you are");
  const { via, userId } = caller;
  let method: "password" | Awaited<ReturnType<typeof verifyFactor>>;
  let noted: NotedUses = { events: [], uses: [] };
  if ("password" in input) {
    const user = await checkOwnPassword(app, caller, input.password);
    if (user.hasFactor)
      throw new ServiceError(
        "refused",
        "Your account has a second factor: confirm with that, not the password.",
        {
          kind: "factor",
        },
      );
    method = "password";
  } else {
    const user = await loadOwn(app, caller);
    const binding = via.kind === "session" ? sessionBinding(via.sessionId) : "";
    const keys: BudgetKey[] = [
      ["factor", `user:${userId} ${via.kind === "session" ? via.sessionId : "tokens"}`],
    ];
    method = await verifyFactor(app, user, input, { keys, binding, origin: caller.origin });
    if (via.kind === "session")
      noted = await noteBreakGlass(app, user, caller.origin, { ...via, methods: [method] });
  }
  const now = app.now();
  const { sessions, tokens } = app.storage;
  const isKept =
    via.kind === "session"
      ? await sessions.verify(via.sessionId, userId, method, now, noted)
      : await tokens.verify(via.tokenId, userId, now);
  if (!isKept) throw unauthenticated("This session or token has ended concurrently. Sign in again.");
  if (via.kind === "session" && noted.events.length > 0)
    flushEvents(app, sessions, via.sessionId, noted.events);
  return new Date(now.getTime() + limits.recentVerificationMs);
}
