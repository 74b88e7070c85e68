/**
 * Verification of identity tokens. Every check is reported, so that an exchange and the test of a token can't disagree.
 * The issuer is checked against the configuration before anything is requested: no address is taken from a token.
 */
import { compactVerify, decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";
import type { OidcCheck } from "../../contract/payloads/accounts/ci.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { findKey } from "./issuer-keys.ts";
import { audienceOf, findIssuer, type Issuer } from "./issuers.ts";

const algorithms = ["RS256", "ES256"];
/** Tolerated difference between clocks. */
const toleranceSeconds = 30;
const idLength = 256;
/** Header parameters by which a token would choose its own key. */
const keyParameters = ["jku", "jwk", "x5u", "x5c"];

export interface IdentityToken {
  issuer: Issuer;
  claims: JWTPayload;
}

export interface CheckedToken {
  checks: OidcCheck[];
  /** The content of a token of a configured issuer; trusted only if all checks have passed. */
  token: IdentityToken | undefined;
}

/** Checks everything about a token that does not depend on an organization. Throws `unavailable`. */
export async function checkIdentityToken(app: App, text: string): Promise<CheckedToken> {
  const decoded = decode(text);
  if (!decoded) return { checks: [malformed], token: undefined };
  const { header, claims } = decoded;
  const algorithm = checkHeader(header);
  const issuer = findIssuer(app, claims.iss);
  const checks = [algorithm, checkIssuer(app, issuer, claims)];
  if (!issuer) return { checks, token: undefined };
  if (algorithm.passed) checks.push(await checkSignature(app, issuer, text));
  checks.push(checkAudience(app, claims), ...checkTimes(app, claims));
  checks.push(checkText("sub", claims.sub), checkText("jti", claims.jti));
  return { checks, token: { issuer, claims } };
}

const malformed: OidcCheck = {
  claim: "token",
  passed: false,
  message: "This is not a signed JSON Web Token. Send the identity token of the CI provider as it is.",
};

function decode(text: string): { header: Record<string, unknown>; claims: JWTPayload } | undefined {
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch {
    return undefined;
  }
}

function checkHeader(header: Record<string, unknown>): OidcCheck {
  const alg = textOf(header["alg"]);
  const check = { claim: "alg", expected: algorithms.join(" or "), actual: alg };
  const parameter = keyParameters.find((name) => Object.hasOwn(header, name));
  if (parameter !== undefined)
    return { ...check, passed: false, message: `The token names its own key by "${parameter}".` };
  // A verifier must refuse extensions that it does not know, and none is known here.
  if (Object.hasOwn(header, "crit"))
    return {
      ...check,
      passed: false,
      message: 'The token requires extensions by "crit", and none is supported.',
    };
  if (alg !== undefined && algorithms.includes(alg)) return { ...check, passed: true };
  return { ...check, passed: false, message: "The token is not signed by a public-key algorithm." };
}

function checkIssuer({ config }: App, issuer: Issuer | undefined, { iss }: JWTPayload): OidcCheck {
  const known = config.oidc.issuers.map((one) => one.issuer).join(", ");
  const check = { claim: "iss", expected: issuer?.issuer ?? `one of ${known}`, actual: textOf(iss) };
  if (issuer) return { ...check, passed: true };
  const message =
    "This service does not trust the issuer. Its administrator can add it to OIDC_GITHUB_ISSUERS or OIDC_GITLAB_ISSUERS.";
  return { ...check, passed: false, message };
}

async function checkSignature(app: App, { issuer }: Issuer, text: string): Promise<OidcCheck> {
  try {
    await compactVerify(text, (header) => findKey(app, issuer, header), { algorithms });
    return { claim: "signature", passed: true };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const message = "The token is not signed by a current key of its issuer.";
    return { claim: "signature", passed: false, message };
  }
}

function checkAudience(app: App, { aud }: JWTPayload): OidcCheck {
  const expected = audienceOf(app);
  const audiences = [aud].flat().filter((one) => typeof one === "string");
  const passed = audiences.includes(expected);
  const actual = audiences.length > 0 ? cut(audiences.join(", ")) : undefined;
  const message = passed ? undefined : `Request the token for the audience "${expected}", without a slash.`;
  return { claim: "aud", passed, expected, actual, message };
}

function checkTimes(app: App, { exp, nbf, iat }: JWTPayload): OidcCheck[] {
  const now = Math.floor(app.now().getTime() / 1000);
  const clock = `The clock of this service says ${timeText(now)}.`;
  const early = `The token is not valid yet. ${clock} Compare the clocks of the service and the CI provider.`;
  return [
    checkTime("exp", exp, `after ${timeText(now)}`, (time) =>
      now < time + toleranceSeconds ? undefined : `The token has expired. ${clock} Request a new one.`,
    ),
    checkTime("iat", iat, `not after ${timeText(now)}`, (time) =>
      time <= now + toleranceSeconds ? undefined : early,
    ),
    ...(nbf === undefined
      ? []
      : [
          checkTime("nbf", nbf, `not after ${timeText(now)}`, (time) =>
            time <= now + toleranceSeconds ? undefined : early,
          ),
        ]),
  ];
}

function checkTime(
  claim: string,
  value: unknown,
  expected: string,
  problem: (seconds: number) => string | undefined,
): OidcCheck {
  const isTime = typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 1e11;
  if (!isTime) return { claim, passed: false, expected, message: `The token has no usable "${claim}".` };
  const message = problem(value);
  return { claim, passed: message === undefined, expected, actual: timeText(value), message };
}

function checkText(claim: "sub" | "jti", value: unknown): OidcCheck {
  const passed = typeof value === "string" && value !== "" && (claim === "sub" || value.length <= idLength);
  const message = passed ? undefined : `The token has no usable "${claim}".`;
  return { claim, passed, actual: textOf(value), message };
}

const timeText = (seconds: number) => new Date(seconds * 1000).toISOString();

const shownLength = 300;
const cut = (text: string) => (text.length <= shownLength ? text : `${text.slice(0, shownLength - 1)}…`);

/** A claim as an error shows it: a short text. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? cut(value) : undefined;
}
