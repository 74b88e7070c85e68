/**
 * Exchange of an approved device code for a personal token. The token's record is the commit point: its id is chosen at
 * approval, so of several polls one can insert it. A crash before that leaves the code approved for the next poll; a
 * crash after it leaves a code that counts as used.
 */
import { limits } from "../../../contract/limits.ts";
import type { DeviceTokenPayload } from "../../../contract/payloads/accounts/devices.ts";
import type { DeviceCodeDoc } from "../../../storage/credentials/device-codes.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type { Origin, UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent, flushEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { withNotice } from "../../mail/notice.ts";
import { mintToken } from "../../tokens/mint.ts";
import { loadUserActor } from "../../users/load.ts";
import { OAuthError } from "../oauth-error.ts";

/** The error for a code that was exchanged already. */
export function codeUsed(): OAuthError {
  return new OAuthError("expired_token", "The code was used already: start the sign-in again.");
}

/** Creates the token of an approved code. Throws OAuthError. */
export async function redeem(app: App, code: DeviceCodeDoc, origin: Origin): Promise<DeviceTokenPayload> {
  const { userId, tokenId } = code as Required<Pick<DeviceCodeDoc, "userId" | "tokenId">>;
  const approved = code.epochs ?? { session: 0, token: 0 };
  const via = { kind: "token", tokenId, limits: {} } as const;
  const actor = await loadUserActor(app, userId, via, { ...origin, source: "cli", client: "cli" });
  if (!actor) throw new OAuthError("invalid_grant", "The account that approved this no longer exists.");
  if (actor.epochs?.session !== approved.session) {
    const message =
      "The sessions of the account that approved this have ended since: start the sign-in again.";
    throw new OAuthError("invalid_grant", message);
  }

  const name = code.hostname ? `svc CLI on ${code.hostname}` : "svc CLI";
  const subject = { resourceType: "token", resourceId: tokenId, metadata: { name } } as const;
  const events = [
    makeEvent(app, actor, "user.token_created", subject),
    makeEvent(app, actor, "user.cli_login", subject),
  ];
  try {
    await replaceLogins(app, actor, code);
    const now = app.now();
    const login = {
      _id: tokenId,
      userId,
      name,
      epoch: approved.token,
      login: code.machine === undefined ? {} : { machine: code.machine },
      createdAt: now,
      verifiedAt: code.verifiedAt,
      expiresAt: new Date(now.getTime() + limits.deviceLoginMs),
    };
    const { secret } = await withNotice(app, userId, (notice) =>
      mintToken(app, { ...login, ...notice }, events),
    );
    app.background("mark a device code as used", () => app.storage.deviceCodes.markRedeemed(code._id));
    return { access_token: secret, token_type: "Bearer" };
  } catch (error) {
    if (isDuplicate(error, "_id_")) throw codeUsed();
    if (!(error instanceof ServiceError) || error.code !== "limit_reached") throw error;
    // The last slot may be used by this very token, created by a concurrent poll.
    if (await app.storage.tokens.find(tokenId, { userId })) throw codeUsed();
    // The code stays approved: once a slot is free, the same sign-in can continue.
    throw new OAuthError("limit_reached", error.message);
  }
}

/**
 * Revokes the approver's earlier logins of the same machine, so that logging in again uses no further token slot. It is
 * done before the new token exists: a crash between the two leaves the code approved for the next poll. Logins that
 * were made after the code was asked for stay, among them the one that a concurrent poll makes of this code.
 */
async function replaceLogins(app: App, approver: UserActor, code: DeviceCodeDoc): Promise<void> {
  if (code.machine === undefined) return;
  const { tokens } = app.storage;
  const { userId } = approver;
  for (const { _id, name } of await tokens.listOfMachine(userId, code.machine, code.createdAt)) {
    const metadata = { name, by: "login of the same machine" };
    const subject = { resourceType: "token", resourceId: _id, metadata } as const;
    const event = makeEvent(app, approver, "user.token_deleted", subject);
    if (await tokens.revoke(_id, { userId }, app.now(), [event])) flushEvents(app, tokens, _id, [event]);
  }
}
