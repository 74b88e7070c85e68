/** Verification of passkeys, always with user verification: a passkey is then something held and something known. */
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { Credentials, Passkey } from "../../../storage/users/users.ts";
import type { App } from "../../app.ts";
import { relyingParty } from "../../auth/relying-party.ts";
import { ServiceError } from "../../errors.ts";
import type { PasskeyAssertion } from "../schema.ts";
import { useChallenge } from "./challenge.ts";

/** Loaded on first use: it takes as long as a quarter of the start of the service. */
export const webauthn = () => import("@simplewebauthn/server");

/**
 * Verifies the use of a passkey of an account. `binding`: the session or browser that got the options. Throws
 * `invalid_credentials`; of concurrent uses of a challenge, one succeeds.
 */
export async function verifyPasskey(
  app: App,
  user: Credentials,
  assertion: PasskeyAssertion,
  binding: string,
): Promise<void> {
  const passkey = user.factors?.passkeys?.find(({ id }) => id === assertion.id);
  const { userHandle } = assertion.response;
  if (!passkey || (userHandle !== undefined && userHandle !== user.factors?.userHandle)) throw badPasskey();
  const counted = await check(app, passkey, assertion, binding);
  if (!(await app.storage.users.usePasskey(user._id, { passkeyId: passkey.id, ...counted }, app.now())))
    throw badPasskey();
}

async function check(
  app: App,
  passkey: Passkey,
  assertion: PasskeyAssertion,
  binding: string,
): Promise<{ counter: number; backedUp: boolean }> {
  const { verifyAuthenticationResponse } = await webauthn();
  const { id, origin } = relyingParty(app);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: readAssertion(assertion),
      expectedChallenge: (challenge) => useChallenge(app, "passkey-use", binding, challenge),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
        counter: passkey.counter,
      },
    });
    if (!verified) throw new Error("the signature is not that of the passkey");
    return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The reason is for the operator: a counter that went back can be a copied authenticator.
    app.log.warn({ reason: (error as Error).message, passkey: passkey.id }, "a passkey was not accepted");
    throw badPasskey();
  }
}

/** Extensions are not asked for, and their results not used. */
function readAssertion({ id, rawId, type, response }: PasskeyAssertion): AuthenticationResponseJSON {
  const { userHandle, ...proof } = response;
  const answer = { ...proof, userHandle };
  return { id, rawId, type, response: answer, clientExtensionResults: {} };
}

export function badPasskey(): ServiceError {
  return new ServiceError(
    "invalid_credentials",
    "The passkey was not accepted. Try again, or use another way to sign in.",
    { reason: "factor" },
  );
}
