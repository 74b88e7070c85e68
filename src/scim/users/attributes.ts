/** A user's attributes as a request gives them, and as the document of the user has them. */
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import type { ScimUserDoc, ScimValue } from "../../../storage/scim/users.ts";
import { email, foldName } from "../../users/schema.ts";
import { badInput } from "../errors.ts";
import { readText } from "../patch/group.ts";
import type { UserAttributes } from "../patch/user.ts";
import { commonAttributes, enterpriseAttributes, urns, userAttributes } from "../schema/attributes.ts";
import { noteUnknown } from "../schema/paths.ts";
import { emptyObject, isObject, ownValue, readObject, type ScimObject } from "../schema/values.ts";

/** Attributes of the body of a POST or PUT. Unknown ones are added to `ignored`; readOnly ones are not read. */
export function readUser(body: unknown, ignored: Set<string>): UserAttributes {
  if (!isObject(body)) throw badInput("invalidSyntax", "The body must be a JSON object.");
  const core = readObject([...commonAttributes, ...userAttributes], body);
  noteUnknown("User", body, ignored);
  const extension = ownValue(body, urns.enterprise);
  if (extension !== undefined && extension !== null && !isObject(extension))
    throw badInput("invalidValue", `"${urns.enterprise}" must be an object.`);
  return { core, enterprise: readObject(enterpriseAttributes, extension ?? {}) };
}

/** Whether the identity provider has activated the user, also if the person has yet to accept an invitation. */
export const isWanted = ({ active, invited }: Pick<ScimUserDoc, "active" | "invited">) =>
  active || invited === true;

/** The attributes of a document as the identity provider has set them, for a PATCH. */
export function attributesOf(doc: ScimUserDoc): UserAttributes {
  const { enterprise, ...rest } = doc.attributes;
  const core: ScimObject = Object.assign(emptyObject(), rest, {
    userName: doc.userName,
    active: isWanted(doc),
  });
  if (doc.externalId !== undefined) core["externalId"] = doc.externalId;
  return { core, enterprise: isObject(enterprise) ? enterprise : emptyObject() };
}

export type UserFields = Pick<
  ScimUserDoc,
  "userName" | "userNameKey" | "active" | "email" | "emailKey" | "emailKeys" | "attributes"
> & { externalId: string | undefined };

/** The fields of a document. `wasActive` is kept unless given. Throws `invalidValue` without userName or address. */
export function fieldsOf({ core, enterprise }: UserAttributes, wasActive: boolean): UserFields {
  const { userName: givenName, externalId, active, ...rest } = core;
  const userName = readText("userName", givenName);
  const address = addressOf(userName, rest["emails"]);
  const attributes: ScimUserDoc["attributes"] = Object.assign(emptyObject(), rest);
  if (Object.keys(enterprise).length > 0) attributes["enterprise"] = enterprise;
  return {
    userName,
    userNameKey: foldName(userName),
    externalId: typeof externalId === "string" && externalId !== "" ? externalId : undefined,
    active: typeof active === "boolean" ? active : wasActive,
    email: address,
    emailKey: foldName(address),
    emailKeys: [...new Set(valuesOf(rest["emails"]).map(foldName))],
    attributes,
  };
}

/** The address of the account: the primary one, the one for work, the first one, or the userName. */
function addressOf(userName: string, emails: ScimValue | undefined): string {
  const list = Array.isArray(emails) ? (emails as ScimObject[]) : [];
  const chosen =
    list.find((one) => one["primary"] === true) ??
    list.find((one) => typeof one["type"] === "string" && one["type"].toLowerCase() === "work") ??
    list[0];
  for (const text of [chosen?.["value"], userName]) {
    const read = email.safeParse(text);
    if (read.success) return read.data;
  }
  throw badInput(
    "invalidValue",
    `The userName "${userName.slice(0, 100)}" is not an e-mail address, and "emails" has none. ` +
      'Map the address of the person to emails[type eq "work"].value or to userName.',
  );
}

function valuesOf(emails: ScimValue | undefined): string[] {
  const list = Array.isArray(emails) ? (emails as ScimObject[]) : [];
  return list.map((one) => one["value"]).filter((value) => typeof value === "string");
}

/** Name of the account that is created for a user. */
export function personNameOf({ userName, attributes }: Pick<ScimUserDoc, "userName" | "attributes">): string {
  const name = attributes["name"];
  const parts = isObject(name) ? name : {};
  const full = [parts["givenName"], parts["familyName"]].filter((part) => typeof part === "string").join(" ");
  const candidates = [attributes["displayName"], parts["formatted"], full, userName];
  const found = candidates.filter((one) => typeof one === "string").find((one) => one.trim() !== "");
  return toOneLine(found ?? userName);
}

/** Names of attributes that differ; of `active` and `userName` also the values. */
export function changesOf(before: UserFields, after: UserFields): string[] {
  const changes: string[] = [];
  if (before.active !== after.active) changes.push(`active: ${before.active} → ${after.active}`);
  if (before.userName !== after.userName) changes.push(`userName: ${before.userName} → ${after.userName}`);
  if (before.externalId !== after.externalId) changes.push("externalId");
  const names = new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)]);
  for (const name of names) if (!isSame(before.attributes[name], after.attributes[name])) changes.push(name);
  return changes;
}

/** Compares values without regard to the order of names. */
function isSame(a: ScimValue | undefined, b: ScimValue | undefined): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: ScimValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, sorted(one)] as const);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
