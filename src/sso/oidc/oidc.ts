/** OpenID Connect: authorization code with PKCE and a nonce. Signatures of ID tokens are always verified. */
import * as client from "openid-client";
import { RepoError } from "../../../repos/errors.ts";
import type { SsoAttemptDoc, SsoResult } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { CheckFailed, Checks, type CheckNames } from "../checks.ts";
import type { Begun, Checked, IdentityProvider, ProviderResponse } from "../identity-provider.ts";
import { addressOf, groupsOf, makeSubject, readClaims, type Attributes } from "../subject.ts";
import { callbackUrl } from "../urls.ts";
import { configurationOf } from "./configuration.ts";

const oidcChecks = [
  ["response", "The provider reports success, in response to this sign-in"],
  ["exchange", "The provider exchanges the code"],
  ["id-token", "The ID token is signed by the provider, for this client, valid now and for this sign-in"],
  ["subject", "The ID token has a subject"],
  ["email", "The provider sends an e-mail address"],
  ["email-verified", "The provider does not report the address as unverified"],
] as const satisfies CheckNames<string>;
type OidcCheck = (typeof oidcChecks)[number][0];

interface Proof {
  nonce: string;
  verifier: string;
}

/** The record for which the proof of an attempt is sealed. */
const proofRecord = (attemptId: string) => `sso-attempt:${attemptId}`;

export const oidcProvider: IdentityProvider = {
  async begin(app, provider, attemptId, state): Promise<Begun> {
    const config = await configurationOf(app, provider);
    const proof: Proof = { nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() };
    const hasGroups = config.serverMetadata().scopes_supported?.includes("groups");
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callbackUrl(app, provider._id),
      scope: `openid email profile${hasGroups ? " groups" : ""}`,
      response_type: "code",
      state,
      nonce: proof.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(proof.verifier),
      code_challenge_method: "S256",
    });
    const sealedProof = app.secrets.seal(JSON.stringify(proof), proofRecord(attemptId));
    return { url: url.href, fields: { sealedProof } };
  },

  async complete(app, provider, attempt, response): Promise<Checked> {
    const checks = new Checks<OidcCheck>(oidcChecks);
    try {
      return { result: await verify(app, provider, attempt, response, checks) };
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error;
      return { result: { checks: checks.list() } };
    }
  },
};

async function verify(
  app: App,
  provider: SsoProviderDoc,
  attempt: SsoAttemptDoc,
  response: ProviderResponse,
  checks: Checks<OidcCheck>,
): Promise<SsoResult> {
  if (response.kind !== "oidc" || attempt.sealedProof === undefined)
    throw new CheckFailed("The response is of another protocol.");
  const config = await configurationOf(app, provider);
  const proof = JSON.parse(app.secrets.open(attempt.sealedProof, proofRecord(attempt._id))) as Proof;
  const tokens = await exchange(app, provider, config, response.query, proof, checks);
  const claims = tokens.claims();
  const subject = claims?.sub ?? "";
  checks.require("subject", subject === "" ? "The ID token has no subject." : undefined);
  const own = readClaims(claims ?? {});
  const { groupsAttribute } = provider;
  const info = await readUserInfo(config, tokens.access_token, subject, own, groupsAttribute);
  const all = new Map([...(info ?? []), ...own]);
  const email = addressOf(all);
  checks.note(
    "email",
    email === null ? "The provider sends no usable e-mail address: allow the scope email." : undefined,
  );
  checks.note(
    "email-verified",
    all.get("email_verified")?.includes("false")
      ? "The provider reports that the address is not verified: verify it there."
      : undefined,
  );
  if (checks.hasFailed) throw new CheckFailed();
  const person = makeSubject(all, { subject, kind: "oidc", email, groupsAttribute });
  // The user info that could not be read may have them.
  if (!info && person.groups === null) person.groupsProblem ??= "unread";
  return { checks: checks.list(), subject: person };
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

/** Exchanges the code, and verifies the ID token. Throws `CheckFailed`. */
async function exchange(
  app: App,
  provider: SsoProviderDoc,
  config: client.Configuration,
  query: URLSearchParams,
  { nonce, verifier }: Proof,
  checks: Checks<OidcCheck>,
): Promise<Tokens> {
  const url = new URL(callbackUrl(app, provider._id));
  url.search = query.toString();
  try {
    const tokens = await client.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: verifier,
      expectedState: query.get("state") ?? client.skipStateCheck,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    for (const name of ["response", "exchange", "id-token"] as const) checks.note(name, undefined);
    return tokens;
  } catch (error) {
    const [name, problem] = explain(error);
    if (name !== "response") checks.note("response", undefined);
    if (name === "id-token") checks.note("exchange", undefined);
    checks.require(name, problem);
    throw error;
  }
}

function explain(error: unknown): [OidcCheck, string] {
  if (error instanceof client.AuthorizationResponseError)
    return ["response", `The provider reports "${plain(error.error)}": its own log has the reason.`];
  const cause = error instanceof Error ? error.cause : undefined;
  const failed = [error, cause].find((one) => one instanceof RepoError);
  if (failed instanceof RepoError) {
    const isAway = failed.code === "remote_unreachable" || failed.code === "remote_failed";
    const remedy = isAway ? "Try again in a moment." : "Check the client secret.";
    return ["exchange", `The provider did not exchange the code: ${failed.message}. ${remedy}`];
  }
  if (error instanceof client.ResponseBodyError)
    return ["exchange", `The provider reports "${plain(error.error)}": check the client id and secret.`];
  const { code: given } = error as { code?: unknown };
  const code = typeof given === "string" ? given : "";
  // The library reports faults of the redirect and of the ID token by the same code.
  if (code === "OAUTH_INVALID_RESPONSE" && /response parameter|callbackParameters/.test(messageOf(cause)))
    return ["response", "The response does not belong to this sign-in: start it again."];
  if (code === "OAUTH_PARSE_ERROR")
    return ["exchange", "The provider does not respond in JSON where it exchanges the code."];
  return [
    "id-token",
    `The ID token is not valid (${plain(code)}): compare issuer, client id and the clocks.`,
  ];
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");
/** A code of a protocol, without anything else that a response could contain. */
const plain = (text: string) => text.replace(/[^\w.-]/g, "").slice(0, 60);

/**
 * Claims of the user info, if the ID token lacks the address or the groups. Null if it could not be read: the checks of
 * the address report what is missing.
 */
async function readUserInfo(
  config: client.Configuration,
  accessToken: string,
  subject: string,
  own: Attributes,
  groupsAttribute: string | null,
): Promise<Attributes | null> {
  const { groups, groupsProblem } = groupsOf(own, groupsAttribute);
  const isComplete = addressOf(own) !== null && (groups !== null || groupsProblem !== undefined);
  if (isComplete || config.serverMetadata().userinfo_endpoint === undefined) return new Map();
  try {
    return readClaims(await client.fetchUserInfo(config, accessToken, subject));
  } catch {
    return null;
  }
}
