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
const groupNames = [
  "groups",
  "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups",
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
    found.set(name, [...(found.get(name) ?? []), ...values]);
  }
  return found;
}

const firstOf = (attributes: Attributes, names: readonly string[]) =>
  names
    .flatMap((name) => attributes.get(name) ?? [])
    .find((value) => value.trim() !== "")
    ?.trim();

/** The groups; null if the provider sent no such attribute, which changes no team. */
export function groupsOf(attributes: Attributes, configured: string | null): string[] | null {
  const names = configured === null ? groupNames : [configured];
  const sent = names.filter((name) => attributes.has(name));
  if (sent.length === 0) return null;
  const groups = sent.flatMap((name) => attributes.get(name)!).filter((group) => group !== "");
  return [...new Set(groups)].slice(0, limits.ssoGroupsRead);
}

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
    groups: groupsOf(attributes, groupsAttribute),
    attributes: Object.fromEntries(
      shown.map(([key, values]) => [
        key.slice(0, valueLength),
        values.slice(0, shownValues).map((value) => value.slice(0, valueLength)),
      ]),
    ),
  };
}
