/** The person of a response: address, name and groups from the attributes of the provider. */
import { limits } from "../../contract/limits.ts";
import type { SsoSubject } from "../../storage/sso/attempts.ts";
import { hashSecret } from "../secrets.ts";
import { email as emailSchema } from "../users/schema.ts";

const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const emailNames = [
  "email",
  "mail",
  "urn:oid:0.9.2342.19200300.100.1.3",
  "urn:oid:1.2.840.113549.1.9.1",
  `${claims}/emailaddress`,
  "http://schemas.xmlsoap.org/claims/EmailAddress",
];
const nameNames = [
  "name",
  "displayName",
  "urn:oid:2.16.840.1.113730.3.1.241",
  "http://schemas.microsoft.com/identity/claims/displayname",
];
const givenNames = ["given_name", "givenName", "firstName", "urn:oid:2.5.4.42", `${claims}/givenname`];
const familyNames = ["family_name", "sn", "lastName", "surname", "urn:oid:2.5.4.4", `${claims}/surname`];
const microsoftGroups = "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups";
const groupNames = [
  "groups",
  microsoftGroups,
  "http://schemas.xmlsoap.org/claims/Group",
  "memberOf",
  "isMemberOf",
  "urn:oid:1.3.6.1.4.1.5923.1.5.1.1",
];

/** Attributes of one response that are kept and shown, and characters of a value. */
const shownAttributes = 100;
const shownValues = 200;
const valueLength = 1000;

export type Attributes = ReadonlyMap<string, readonly string[]>;

/** Lists of texts from what a parser returns: one value as a text, several as a list; anything else is left out. */
export function readAttributes(entries: Iterable<readonly [string, unknown]>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const values = (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) =>
      typeof one === "string" ? [one] : typeof one === "number" || typeof one === "boolean" ? [`${one}`] : [],
    );
    const known = found.get(name);
    if (known) for (const one of values) known.push(one);
    else found.set(name, values);
  }
  return found;
}

const firstOf = (attributes: Attributes, names: readonly string[]) =>
  names
    .flatMap((name) => attributes.get(name) ?? [])
    .find((value) => value.trim() !== "")
    ?.trim();

/**
 * The groups of a person. They are null if the provider sent no such attribute, and if they are too many: it sends an
 * address in their place then, or more than are read.
 */
export function groupsOf(
  attributes: Attributes,
  configured: string | null,
): Pick<SsoSubject, "groups" | "groupsProblem"> {
  const names = configured === null ? groupNames : [configured];
  const overage = { groups: null, groupsProblem: "overage" } as const;
  if (isReplaced(attributes, names)) return overage;
  const sent = names.filter((name) => attributes.has(name));
  if (sent.length === 0) return { groups: null };
  const groups = new Set(sent.flatMap((name) => attributes.get(name)!).filter((group) => group !== ""));
  return groups.size > limits.ssoGroupsRead ? overage : { groups: [...groups] };
}

/**
 * Whether an address has taken the place of the groups: as a distributed claim (OpenID Connect, section 5.6.2), or as
 * Entra ID sends it. `_claim_names` has the names of distributed claims.
 */
function isReplaced(attributes: Attributes, names: readonly string[]): boolean {
  if (attributes.get("_claim_names")?.some((name) => names.includes(name))) return true;
  if (!names.includes("groups") && !names.includes(microsoftGroups)) return false;
  return (
    attributes.has("http://schemas.microsoft.com/claims/groups.link") ||
    attributes.get("hasgroups")?.includes("true") === true
  );
}

/** Claims of a token as attributes. The values of `_claim_names` are the keys of that object. */
export const readClaims = (all: object): Map<string, string[]> =>
  readAttributes(
    Object.entries(all).map(([name, value]: [string, unknown]) => [
      name,
      name === "_claim_names" && typeof value === "object" && value !== null ? Object.keys(value) : value,
    ]),
  );

/** A usable address; null if there is none. */
export function addressOf(attributes: Attributes, subject?: string): string | null {
  const text = firstOf(attributes, emailNames) ?? (subject?.includes("@") ? subject : undefined);
  const parsed = emailSchema.safeParse(text);
  return parsed.success ? parsed.data : null;
}

export function makeSubject(
  attributes: Attributes,
  {
    subject,
    kind,
    email,
    groupsAttribute,
  }: {
    subject: string;
    /** Separates subjects of different forms that have the same text. */
    kind: string;
    email: string | null;
    groupsAttribute: string | null;
  },
): SsoSubject {
  const parts = [firstOf(attributes, givenNames), firstOf(attributes, familyNames)];
  const name = firstOf(attributes, nameNames) ?? parts.filter((part) => part !== undefined).join(" ");
  const shown = [...attributes].slice(0, shownAttributes);
  return {
    subjectKey: hashSecret(`${kind}\n${subject}`),
    subject,
    email,
    name: name === "" ? null : name.slice(0, limits.personName),
    ...groupsOf(attributes, groupsAttribute),
    attributes: Object.fromEntries(
      shown.map(([key, values]) => [
        key.slice(0, valueLength),
        values.slice(0, shownValues).map((value) => value.slice(0, valueLength)),
      ]),
    ),
  };
}
