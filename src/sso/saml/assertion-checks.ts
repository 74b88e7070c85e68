/**
 * Checks of the assertion, on the bytes whose signature was verified: node-saml makes none of them in this strictness.
 */
import { limits } from "../../../contract/limits.ts";
import type { Checks } from "../checks.ts";
import { readAttributes } from "../subject.ts";
import { bearerMethod, subjectFormats, type SamlCheck } from "./names.ts";
import { otherIssuer, shown, type Expected } from "./response-checks.ts";

/** An element as node-saml parses it: children in lists by local name, attributes in `$`, text in `_`. */
type Parsed = { [name: string]: unknown };

const isParsed = (value: unknown): value is Parsed => typeof value === "object" && value !== null;
const listOf = (parent: Parsed | undefined, name: string): (Parsed | string)[] => {
  const value = parent && Object.hasOwn(parent, name) ? parent[name] : undefined;
  return Array.isArray(value) ? (value as (Parsed | string)[]) : [];
};
const children = (parent: Parsed | undefined, name: string) => listOf(parent, name).filter(isParsed);
const attribute = (element: Parsed | undefined, name: string): string | undefined => {
  const attributes = element?.["$"];
  if (!isParsed(attributes) || !Object.hasOwn(attributes, name)) return undefined;
  const value = attributes[name];
  // With namespaces, the parser returns an object for an attribute.
  if (isParsed(value) && typeof value["value"] === "string") return value["value"];
  return typeof value === "string" ? value : undefined;
};
const textIn = (element: Parsed | string | undefined): string => {
  if (typeof element === "string") return element.trim();
  const text = element?.["_"];
  return typeof text === "string" ? text.trim() : "";
};

/**
 * The attributes of an assertion. node-saml leaves out those without a value, which is how some providers send that a
 * person is in no group.
 */
export function attributesOf(parsed: Record<string, unknown>): Map<string, string[]> {
  const assertion = isParsed(parsed["Assertion"]) ? parsed["Assertion"] : undefined;
  const all = children(assertion, "AttributeStatement").flatMap((one) => children(one, "Attribute"));
  return readAttributes(
    all.flatMap((one): [string, string[]][] => {
      const name = attribute(one, "Name");
      return name === undefined ? [] : [[name, listOf(one, "AttributeValue").map(textIn)]];
    }),
  );
}

/** Notes the results of all checks, and returns the id of the assertion. */
export function checkAssertion(
  checks: Checks<SamlCheck>,
  parsed: Record<string, unknown>,
  expected: Expected & { audience: string; now: Date },
  nameIdFormat: string | undefined,
): string {
  const assertion = isParsed(parsed["Assertion"]) ? parsed["Assertion"] : {};
  const issuers = listOf(assertion, "Issuer");
  const issuer = textIn(issuers[0]);
  checks.note(
    "assertion-issuer",
    issuers.length === 1 && issuer === expected.idpEntityId
      ? undefined
      : otherIssuer("assertion", issuer, expected.idpEntityId),
  );
  const conditions = children(assertion, "Conditions");
  checks.note("conditions", conditionsProblem(conditions, expected.now));
  checks.note("audience", audienceProblem(conditions[0], expected.audience));
  checks.note("confirmation", confirmationProblem(assertion, expected));
  checks.note(
    "authentication",
    listOf(assertion, "AuthnStatement").length > 0
      ? undefined
      : "The assertion has no AuthnStatement, so no one has signed in for it.",
  );
  checks.note(
    "subject",
    nameIdFormat === undefined || nameIdFormat === "" || subjectFormats.has(nameIdFormat)
      ? undefined
      : `The subject has the format "${shown(nameIdFormat.split(":").at(-1) ?? "")}": choose persistent or emailAddress at the provider.`,
  );
  return attribute(assertion, "ID") ?? "";
}

function conditionsProblem(conditions: Parsed[], now: Date): string | undefined {
  const [only] = conditions;
  if (!only || conditions.length > 1) return "The assertion needs exactly one element Conditions.";
  const from = attribute(only, "NotBefore");
  const until = attribute(only, "NotOnOrAfter");
  return timeProblem(now, { from, until });
}

/** Compares times with the permitted difference of clocks. A time that can't be read has passed. */
function timeProblem(now: Date, { from, until }: { from: string | undefined; until: string | undefined }) {
  const skew = limits.ssoClockSkewMs;
  const clock = `This service's clock shows ${now.toISOString()}.`;
  if (from !== undefined && !(Date.parse(from) <= now.getTime() + skew))
    return `It is valid from ${shown(from)} only. ${clock}`;
  if (until !== undefined && !(Date.parse(until) > now.getTime() - skew))
    return `It was valid until ${shown(until)} only. ${clock}`;
  return undefined;
}

function audienceProblem(conditions: Parsed | undefined, audience: string): string | undefined {
  const restrictions = children(conditions, "AudienceRestriction");
  // Every restriction has to be met (SAML core, section 2.5.1.4).
  const met = restrictions.every((one) => listOf(one, "Audience").map(textIn).includes(audience));
  if (restrictions.length > 0 && met) return undefined;
  const [first] = listOf(restrictions[0], "Audience").map(textIn);
  return `The assertion is meant for "${shown(first ?? "no one")}": enter ${audience} as the entity id (audience) at the provider.`;
}

function confirmationProblem(
  assertion: Parsed,
  { acs, requestId, now }: Expected & { now: Date },
): string | undefined {
  const subjects = children(assertion, "Subject");
  const all = subjects.flatMap((subject) => children(subject, "SubjectConfirmation"));
  const bearers = all.filter((one) => attribute(one, "Method") === bearerMethod);
  const [data, ...more] = bearers.flatMap((one) => children(one, "SubjectConfirmationData"));
  if (subjects.length !== 1 || all.length !== 1 || bearers.length !== 1 || !data || more.length > 0)
    return "The assertion needs exactly one SubjectConfirmation, of the method bearer, with data.";
  const recipient = attribute(data, "Recipient");
  if (recipient !== acs)
    return `The recipient is "${shown(recipient ?? "")}": enter ${acs} as the ACS URL at the provider.`;
  if (attribute(data, "InResponseTo") !== requestId)
    return "The subject is not confirmed for the request of this sign-in.";
  if (attribute(data, "NotBefore") !== undefined)
    return "The confirmation has a NotBefore, which the web profile does not allow.";
  const until = attribute(data, "NotOnOrAfter");
  if (until === undefined) return "The confirmation has no NotOnOrAfter.";
  return timeProblem(now, { from: undefined, until });
}
