/** Passkeys of the caller: register, rename, remove. */
import { randomBytes } from "node:crypto";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { limits } from "../../../contract/limits.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type { Credentials, Passkey } from "../../../storage/users/users.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { relyingParty, requirePasskeys } from "../../auth/relying-party.ts";
import { ServiceError, notFound } from "../../errors.ts";
import type { Cookie } from "../../http/route.ts";
import { requireUnrestricted } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { changeAndEndSessions, changeFactors } from "../change.ts";
import { loadOwn, requireSession } from "../load.ts";
import { factorMail, ownEvent } from "../record.ts";
import { newRecoveryCodes, recoveryFields } from "../recovery-codes.ts";
import { requireRemovable } from "../removable.ts";
import type { PasskeyAttestation, RegisterPasskey } from "../schema.ts";
import { newChallenge, sessionBinding, useChallenge } from "./challenge.ts";
import { webauthn } from "./verify.ts";

/** Options for `navigator.credentials.create`. Throws `reauthentication_required`, `limit_reached` or `refused`. */
export async function registrationOptions(app: App, actor: Actor) {
  const caller = requireSession(actor, "add a passkey");
  requirePasskeys(app);
  requireRecentVerification(app, caller, "add a passkey");
  const user = await withUserHandle(app, await loadOwn(app, caller));
  requireRoom(user);
  const { generateRegistrationOptions } = await webauthn();
  const party = relyingParty(app);
  const options = await generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    userName: user.email,
    userDisplayName: user.name,
    userID: new Uint8Array(Buffer.from(user.factors?.userHandle ?? "", "base64url")),
    challenge: newChallenge(app, "passkey-registration", sessionBinding(caller.via.sessionId)),
    attestationType: "none",
    excludeCredentials: (user.factors?.passkeys ?? []).map(({ id, transports }) => ({
      id,
      transports: transports ?? [],
    })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  });
  return { ...options };
}

/** The account with its name at authenticators, which is made once and stays for all passkeys. */
async function withUserHandle(app: App, user: Credentials): Promise<Credentials> {
  if (user.factors?.userHandle) return user;
  const userHandle = randomBytes(32).toString("base64url");
  const hasFactor = user.hasFactor === true;
  await changeFactors(app, user, { set: { userHandle }, hasFactor, mails: [], events: [] });
  return { ...user, factors: { ...user.factors, userHandle } };
}

function requireRoom({ factors }: Credentials): void {
  const limit = limits.passkeysPerUser;
  if ((factors?.passkeys?.length ?? 0) < limit) return;
  throw new ServiceError(
    "limit_reached",
    `You have ${limit} passkeys, which is the limit: remove one first.`,
    {
      limit,
    },
  );
}

/**
 * Adds a passkey. The first factor of an account comes with recovery codes, and ends all other sessions. Throws
 * `reauthentication_required`, `invalid_credentials`, `already_exists`, `limit_reached` or `conflict`.
 */
export async function registerPasskey(
  app: App,
  actor: Actor,
  input: RegisterPasskey,
  userAgent: string,
): Promise<{ passkey: Passkey; recoveryCodes: string[]; cookie: Cookie | undefined }> {
  const caller = requireSession(actor, "add a passkey");
  requirePasskeys(app);
  requireRecentVerification(app, caller, "add a passkey");
  const user = await loadOwn(app, caller);
  requireRoom(user);
  const facts = await readAttestation(app, input.passkey, sessionBinding(caller.via.sessionId));
  const passkey: Passkey = { ...facts, name: input.name, createdAt: app.now() };
  const isFirst = user.hasFactor !== true;
  const fresh = isFirst ? newRecoveryCodes(app, user._id) : undefined;
  const metadata = { name: passkey.name };
  const change = {
    addPasskey: passkey,
    set: fresh?.fields ?? {},
    hasFactor: true,
    mails: [factorMail(app, user, "factor-added", "a passkey")],
    events: [ownEvent(app, user, caller.origin, "mfa.passkey_added", metadata)],
  };
  const recoveryCodes = fresh?.codes ?? [];
  try {
    if (isFirst) {
      const session = { userAgent, methods: ["password", "passkey"] } as const;
      const cookie = await changeAndEndSessions(app, caller, user, change, session);
      return { passkey, recoveryCodes, cookie };
    }
    await changeFactors(app, user, change);
    return { passkey, recoveryCodes, cookie: undefined };
  } catch (error) {
    if (!isDuplicate(error, "user_passkey")) throw error;
    const message = "This passkey is registered already: use it, or remove it first.";
    throw new ServiceError("already_exists", message, { kind: "factor" }, { cause: error });
  }
}

async function readAttestation(
  app: App,
  response: PasskeyAttestation,
  binding: string,
): Promise<Omit<Passkey, "name" | "createdAt">> {
  const { verifyRegistrationResponse } = await webauthn();
  const { id, origin } = relyingParty(app);
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: readAnswer(response),
      expectedChallenge: (challenge) => useChallenge(app, "passkey-registration", binding, challenge),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    });
    if (!verified) throw new Error("the attestation could not be verified");
    const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo;
    return {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
      transports: response.response.transports,
      deviceType: credentialDeviceType,
      backedUp: credentialBackedUp,
      aaguid,
    };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    app.log.warn({ reason: (error as Error).message }, "a new passkey was not accepted");
    throw new ServiceError(
      "invalid_credentials",
      "The passkey was not accepted: start again, on the page of this service.",
      { reason: "factor" },
    );
  }
}

/** Extensions are not asked for, and their results not used. */
function readAnswer({ id, rawId, type, response }: PasskeyAttestation): RegistrationResponseJSON {
  return { id, rawId, type, response, clientExtensionResults: {} };
}

export async function renamePasskey(app: App, actor: Actor, id: string, name: string): Promise<Passkey> {
  const { passkey } = await loadPasskey(app, actor, id);
  const caller = requireSession(actor, "rename a passkey");
  if (!(await app.storage.users.renamePasskey(caller.userId, id, name))) throw notFound("factor", id);
  return { ...passkey, name };
}

/** A passkey of the caller, with the account. Throws `not_found`. */
async function loadPasskey(
  app: App,
  actor: Actor,
  id: string,
): Promise<{ user: Credentials; passkey: Passkey }> {
  const user = await loadOwn(app, requireUnrestricted(actor, "change passkeys"));
  const passkey = user.factors?.passkeys?.find((one) => one.id === id);
  if (!passkey) throw notFound("factor", id);
  return { user, passkey };
}

/**
 * Removes a passkey, and the recovery codes with the last factor. Ends all other sessions. Throws `not_found`,
 * `refused` or `reauthentication_required`.
 */
export async function removePasskey(app: App, actor: Actor, id: string, userAgent: string): Promise<Cookie> {
  const { user, passkey } = await loadPasskey(app, actor, id);
  const caller = requireSession(actor, "remove a passkey");
  requireRecentVerification(app, caller, "remove a passkey");
  const isLast = !user.factors?.totp && user.factors?.passkeys?.length === 1;
  if (isLast) await requireRemovable(app, user);
  const metadata = { name: passkey.name };
  const change = {
    removePasskey: id,
    unset: isLast ? recoveryFields : undefined,
    hasFactor: !isLast,
    mails: [factorMail(app, user, "factor-removed", "A passkey")],
    events: [ownEvent(app, user, caller.origin, "mfa.passkey_removed", metadata)],
  };
  return changeAndEndSessions(app, caller, user, change, { userAgent, methods: ["password"] });
}
