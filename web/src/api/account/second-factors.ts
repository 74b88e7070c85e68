/** Second factors of the user: in the settings, and to complete a sign-in. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type FactorState = Schemas["FactorState"];
export type Passkey = Schemas["Passkey"];
export type FactorKind = Schemas["FactorNeeded"]["mfaRequired"][number];
export type FactorProof =
  | { code: string }
  | { recoveryCode: string }
  | { passkey: Schemas["PasskeyAssertion"] };

export const factorsQuery = query("/api/auth/mfa");

export const signIn = (body: { email: string; password: string }) =>
  dataOf(api.POST("/api/auth/sign-in", { body }));
export const completeSignIn = (ticket: string, proof: FactorProof) =>
  dataOf(api.POST("/api/auth/mfa/verify", { body: { ...proof, ticket } }));
export const reauthenticate = (body: FactorProof | { password: string }) =>
  dataOf(api.POST("/api/auth/reauthenticate", { body }));

export const beginTotp = () => dataOf(api.POST("/api/auth/mfa/totp"));
export const confirmTotp = (code: string) =>
  dataOf(api.POST("/api/auth/mfa/totp/confirm", { body: { code } }));
export const removeTotp = () => ok(api.DELETE("/api/auth/mfa"));
export const renewRecoveryCodes = () => dataOf(api.POST("/api/auth/mfa/recovery-codes"));

/** Loaded when a passkey is used: most visits need none. */
const webauthn = () => import("@simplewebauthn/browser");

/** Asks the browser for a passkey: for the ticket of a sign-in, or of the signed-in user. */
export async function askPasskey(ticket: string | undefined): Promise<FactorProof> {
  const body = ticket === undefined ? {} : { ticket };
  const options = await dataOf(api.POST("/api/auth/passkeys/options", { body }));
  const { startAuthentication } = await webauthn();
  const optionsJSON: PublicKeyCredentialRequestOptionsJSON = options;
  const { response, ...rest } = await startAuthentication({ optionsJSON });
  const { userHandle = null } = response;
  return {
    passkey: { ...rest, response: { ...response, userHandle }, clientExtensionResults: {} },
  };
}

/** Has the browser make a passkey, and adds it to the account. */
export async function addPasskey(name: string) {
  const options = await dataOf(api.POST("/api/auth/passkeys/register/options"));
  const { startRegistration } = await webauthn();
  const optionsJSON: PublicKeyCredentialCreationOptionsJSON = options;
  const { id, rawId, type, response } = await startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject, transports = [] } = response;
  const passkey = { id, rawId, type, response: { clientDataJSON, attestationObject, transports } };
  return dataOf(api.POST("/api/auth/passkeys/register", { body: { name, passkey } }));
}

export const renamePasskey = (id: string, name: string) =>
  dataOf(api.PATCH("/api/auth/passkeys/{id}", { params: { path: { id } }, body: { name } }));
export const removePasskey = (id: string) =>
  ok(api.DELETE("/api/auth/passkeys/{id}", { params: { path: { id } } }));

/** The sentence of a passkey that was not made or used. */
export function passkeyProblem(error: unknown): string {
  if (error instanceof Error && ["NotAllowedError", "AbortError"].includes(error.name))
    return "The browser did not get a passkey: the request was cancelled or took too long.";
  if (error instanceof Error && error.name === "InvalidStateError")
    return "This device has a passkey for your account already.";
  return error instanceof Error ? error.message : String(error);
}
