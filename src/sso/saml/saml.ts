/**
 * SAML 2.0: redirect to the provider, and its response by POST. Requests are not signed; assertions have to be, or the
 * response that contains them.
 */
import { randomBytes } from "node:crypto";
import { generateServiceProviderMetadata, ValidateInResponseTo, type Profile } from "@node-saml/node-saml";
import { limits } from "../../../contract/limits.ts";
import type { SsoAttemptDoc, SsoResult } from "../../../storage/sso/attempts.ts";
import type { SamlConnection, SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { hashSecret } from "../../secrets.ts";
import { CheckFailed, Checks } from "../checks.ts";
import type { Begun, Checked, IdentityProvider, ProviderResponse } from "../identity-provider.ts";
import { addressOf, makeSubject } from "../subject.ts";
import { acsUrl, metadataUrl } from "../urls.ts";
import { attributesOf, checkAssertion } from "./assertion-checks.ts";
import { openEncryptionKeys } from "./encryption-keys.ts";
import { decryptAssertion, DecryptionFailed, encryptedAssertions } from "./encryption.ts";
import { samlChecks, type SamlCheck } from "./names.ts";
import { checkResponse, readResponse, type ReadResponse } from "./response-checks.ts";
import { ResponseReader, type Decrypt } from "./signature.ts";

const subjectLength = 1024;

export const samlProvider: IdentityProvider = {
  async begin(app, provider, _attemptId, state): Promise<Begun> {
    const requestId = `_${randomBytes(16).toString("hex")}`;
    const saml = openSaml(app, provider, requestId);
    const url = await saml.getAuthorizeUrlAsync(state, undefined, {});
    return { url, fields: { requestId } };
  },

  async complete(app, provider, attempt, response): Promise<Checked> {
    const checks = new Checks<SamlCheck>(samlChecks);
    try {
      return await verify(app, provider, attempt, response, checks);
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error;
      return { result: { checks: checks.list() } };
    }
  },
};

/** Our metadata for a provider, which is the same before its connection is entered. It offers the current key only. */
export const samlMetadata = (app: App, { _id, encryption }: SsoProviderDoc): string =>
  generateServiceProviderMetadata({
    issuer: metadataUrl(app, _id),
    callbackUrl: acsUrl(app, _id),
    identifierFormat: null,
    wantAssertionsSigned: true,
    // An xs:ID begins with a letter or an underscore.
    generateUniqueId: () => `_${_id}`,
    // The library only asks whether there is a private key.
    ...(encryption ? { decryptionPvk: "sealed", decryptionCert: encryption.current.der } : {}),
  });

/** One instance per request: it knows one request id only. */
function openSaml(app: App, { _id, saml }: SsoProviderDoc, requestId: string): ResponseReader {
  const { ssoUrl, certificates } = saml as SamlConnection;
  const entityId = metadataUrl(app, _id);
  return new ResponseReader({
    entryPoint: ssoUrl,
    issuer: entityId,
    callbackUrl: acsUrl(app, _id),
    audience: entityId,
    idpCert: certificates.map(({ der }) => der),
    acceptedClockSkewMs: limits.ssoClockSkewMs,
    maxAssertionAgeMs: limits.ssoAttemptMs,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: limits.ssoAttemptMs + limits.ssoClockSkewMs,
    cacheProvider: onlyRequest(requestId),
    signatureAlgorithm: "sha256",
    digestAlgorithm: "sha256",
    disableRequestedAuthnContext: true,
    identifierFormat: null,
    generateUniqueId: () => requestId,
  });
}

/** The attempt has the request id, and expires: nothing is stored here. */
function onlyRequest(requestId: string) {
  const startedAt = new Date().toISOString();
  return {
    saveAsync: (_key: string, value: string) => Promise.resolve({ value, createdAt: Date.now() }),
    getAsync: (key: string) => Promise.resolve(key === requestId ? startedAt : null),
    removeAsync: () => Promise.resolve(null),
  };
}

async function verify(
  app: App,
  provider: SsoProviderDoc,
  { requestId = "" }: SsoAttemptDoc,
  response: ProviderResponse,
  checks: Checks<SamlCheck>,
): Promise<Checked> {
  if (response.kind !== "saml" || requestId === "")
    throw new CheckFailed("The response is of another protocol.");
  const now = app.now();
  const expected = { acs: acsUrl(app, provider._id), idpEntityId: provider.saml!.entityId, requestId };
  const read = await readResponse(checks, response.samlResponse);
  checkResponse(checks, read.root, expected);
  const decrypt = requireKeys(app, provider, read, checks);
  const reader = openSaml(app, provider, requestId);
  const compute = app.compute.by(`sso:${provider._id}`);
  const profile = await verifySignature(() => reader.read(read, requestId, { decrypt, compute }), checks);
  const parsed = profile.getAssertion?.() ?? {};
  const audience = metadataUrl(app, provider._id);
  const assertionId = checkAssertion(checks, parsed, { ...expected, audience, now }, profile.nameIDFormat);
  const attributes = attributesOf(parsed);
  const subject = profile.nameID ?? "";
  if (subject === "" || subject.length > subjectLength)
    checks.note("subject", "The assertion has no subject (NameID), or a very long one.");
  const email = addressOf(attributes, subject);
  checks.note(
    "email",
    email === null
      ? "The response has no usable e-mail address: send the attribute email at the provider."
      : undefined,
  );
  if (checks.hasFailed) throw new CheckFailed();
  checks.require("replay", assertionId === "" ? "The assertion has no ID." : undefined);
  const kind = profile.nameIDFormat?.endsWith(":persistent") ? "saml persistent" : "saml";
  const { groupsAttribute } = provider;
  const result = {
    checks: checks.list(),
    subject: makeSubject(attributes, { subject, kind, email, groupsAttribute }),
  };
  return { result, once: usedOnce(provider, assertionId, result) };
}

/** An assertion works in one sign-in, also if the provider should repeat its id for another one. */
function usedOnce(provider: SsoProviderDoc, id: string, { checks }: SsoResult): Checked["once"] {
  const problem = {
    result: "failed" as const,
    message: "The assertion was used before: start the sign-in again.",
  };
  return {
    assertionKey: hashSecret(`${provider.saml!.entityId}\n${id}`),
    replayed: {
      checks: checks.map((one) => (one.name === "replay" ? { ...one, ...problem } : one)),
    },
  };
}

/** The decryption for a response. An encrypted one that has failed a check is not decrypted. Throws `CheckFailed`. */
function requireKeys(
  app: App,
  provider: SsoProviderDoc,
  { root }: ReadResponse,
  checks: Checks<SamlCheck>,
): Decrypt {
  const isEncrypted = encryptedAssertions(root).length > 0;
  if (isEncrypted && checks.hasFailed) throw new CheckFailed();
  if (isEncrypted && !provider.encryption)
    checks.require(
      "decryption",
      "The assertion is encrypted, and the provider has no key for that: add one on its page, or switch the " +
        "encryption off at the provider.",
    );
  return (encrypted) => {
    const text = decryptAssertion(encrypted, openEncryptionKeys(app, provider));
    checks.note("decryption", undefined);
    return text;
  };
}

/** Verifies the signature. Throws `CheckFailed`, and errors of the threads by which a repetition may succeed. */
async function verifySignature(read: () => Promise<Profile>, checks: Checks<SamlCheck>): Promise<Profile> {
  try {
    const profile = await read();
    checks.note("signature", undefined);
    return profile;
  } catch (error) {
    if (error instanceof ServiceError && error.code !== "too_costly") throw error;
    if (error instanceof ServiceError) checks.require("format", tooCostly);
    if (error instanceof DecryptionFailed) checks.require("decryption", error.message);
    const [name, problem] = explain(error);
    if (name !== "signature" && name !== "request") checks.note("signature", undefined);
    checks.note(name, problem);
    throw new CheckFailed(problem, { cause: error });
  }
}

const tooCostly =
  "The signature of the response takes too much time to verify: let the provider send fewer groups and attributes.";

const explanations: [RegExp, SamlCheck, string][] = [
  [/InResponseTo/i, "request", "The response answers another request: start the sign-in again."],
  [
    /audience/i,
    "audience",
    "The assertion is meant for another service: compare the entity id (audience) at the provider.",
  ],
  [
    /expired|not yet valid|NotBefore|NotOnOrAfter|IssueInstant/i,
    "conditions",
    "The assertion is not valid now: compare the clocks, then start the sign-in again.",
  ],
  [/subject confirmation/i, "confirmation", "The subject is not confirmed for now: compare the clocks."],
];

/** The check that an error of node-saml belongs to. It reads missing conditions without a check of its own. */
function explain(error: unknown): [SamlCheck, string] {
  if (error instanceof TypeError) return ["conditions", "The assertion has no conditions, or can't be read."];
  const message = error instanceof Error ? error.message : "";
  const found = explanations.find(([pattern]) => pattern.test(message));
  if (found) return [found[1], found[2]];
  return [
    "signature",
    "Neither the assertion nor the response has a valid signature of a configured certificate: sign one of them at " +
      "the provider, and compare the certificates.",
  ];
}
