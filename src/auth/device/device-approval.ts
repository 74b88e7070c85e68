/** Approval of a device's sign-in by a person in a browser session. */
import type { Actor, UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { isConfined, proofRequired } from "../../users/requirements.ts";
import { readUserCode, showUserCode } from "./user-code.ts";

/** A pending sign-in as the approval page shows it. */
export interface PendingDevice {
  userCode: string;
  hostname: string | undefined;
  address: string | undefined;
  createdAt: Date;
  expiresAt: Date;
}

/** A pending sign-in by the code that a signed-in person typed. Throws `not_found` or `rate_limited`. */
export async function findPendingDevice(app: App, actor: Actor, typed: string): Promise<PendingDevice> {
  const user = requireBrowser(actor);
  const userCode = await readGuess(app, user, typed);
  const found = await app.storage.deviceCodes.findPending(userCode, app.now());
  if (!found) throw unknownCode(typed);
  await app.rateLimits.refund(...guessOf(user));
  return {
    userCode: showUserCode(found.userCode),
    hostname: found.hostname,
    address: found.sealedAddress && app.secrets.open(found.sealedAddress, found._id),
    createdAt: found.createdAt,
    expiresAt: found.expiresAt,
  };
}

/**
 * Approves or denies a pending sign-in, once. An approval holds the epochs of the session that made it: it is refused
 * when all sessions were ended before the device collects its token. Throws `not_found`, `rate_limited`, or
 * `mfa_required` for an account that lacks a factor which one of its organizations requires.
 */
export async function decideDevice(app: App, actor: Actor, typed: string, approve: boolean): Promise<void> {
  const user = requireBrowser(actor);
  // A token for the account must not be the way around what its organizations require.
  const [withheld] = user.withheld ?? [];
  if (approve && withheld) throw proofRequired(withheld);
  // Nor the way from the session of an identity provider to the whole account.
  if (approve && user.account && isConfined(user.account, user.via))
    requireRecentVerification(app, user, "approve a device");
  const userCode = await readGuess(app, user, typed);
  const decided = await app.storage.deviceCodes.decide(
    userCode,
    approve ? approvalBy(app, user) : { state: "denied" },
    app.now(),
  );
  if (!decided) throw unknownCode(typed);
  await app.rateLimits.refund(...guessOf(user));
}

function approvalBy(app: App, { userId, via, epochs = { session: 0, token: 0 } }: UserActor) {
  const verified = via.verifiedAt ? { verifiedAt: via.verifiedAt } : {};
  return { state: "approved", userId, tokenId: app.newId(), epochs, ...verified } as const;
}

/** A token must not approve devices: that would let it make others that outlive it. */
function requireBrowser(actor: Actor): UserActor {
  const user = requireUser(actor);
  if (user.via.kind === "session") return user;
  throw forbidden("A device is approved in a browser session, not with an API token.");
}

const guessOf = (user: UserActor) => ["sign-in", `user-code:${user.userId}`] as const;

/**
 * Codes are short because people type them, so wrong codes are limited (section 5.1), per account: a limit per address
 * would let one person block the sign-ins of all users of the same network.
 */
async function readGuess(app: App, user: UserActor, typed: string): Promise<string> {
  await app.rateLimits.consume(...guessOf(user));
  const userCode = readUserCode(typed);
  if (userCode === undefined) throw unknownCode(typed);
  return userCode;
}

function unknownCode(typed: string): ServiceError {
  const shown = typed.slice(0, 40);
  const hint = "codes last 10 minutes and are decided once. Start the sign-in again.";
  return new ServiceError("not_found", `No sign-in waits for the code "${shown}": ${hint}`, { ref: shown });
}
