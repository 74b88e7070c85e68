/** Users and groups as resources (RFC 7643, section 3), and which of their attributes are returned. */
import type { ScimGroupDoc } from "../../storage/scim/groups.ts";
import type { ScimUserDoc } from "../../storage/scim/users.ts";
import { urns, type ResourceType } from "./schema/attributes.ts";
import { findAttribute } from "./schema/paths.ts";
import { isObject } from "./schema/values.ts";
import { inviteReasonOf } from "./users/invite-reason.ts";

export type Resource = Record<string, unknown> & { id: string };

/** The entity tag of a document. */
export const versionOf = ({ revision }: { revision: number }) => `W/"${revision}"`;

function metaOf(
  base: string,
  type: ResourceType,
  doc: Pick<ScimUserDoc, "_id" | "revision" | "createdAt" | "updatedAt">,
) {
  return {
    resourceType: type,
    created: doc.createdAt.toISOString(),
    lastModified: doc.updatedAt.toISOString(),
    location: `${base}/${type}s/${doc._id}`,
    version: versionOf(doc),
  };
}

/** `names` has the names of the user's groups by id. */
export function presentUser(base: string, doc: ScimUserDoc, names: ReadonlyMap<string, string>): Resource {
  const { enterprise, ...attributes } = doc.attributes;
  const groups = doc.teamIds.flatMap((id) => {
    const display = names.get(id);
    return display === undefined
      ? []
      : [{ value: id, $ref: `${base}/Groups/${id}`, display, type: "direct" }];
  });
  const reason = inviteReasonOf(doc);
  const membership = reason === undefined ? undefined : { state: doc.invitationEnded ?? "invited", reason };
  return {
    schemas: [urns.user, ...(enterprise ? [urns.enterprise] : []), ...(membership ? [urns.membership] : [])],
    id: doc._id,
    externalId: doc.externalId,
    userName: doc.userName,
    active: doc.active,
    ...attributes,
    ...(enterprise ? { [urns.enterprise]: enterprise } : {}),
    ...(membership ? { [urns.membership]: membership } : {}),
    groups,
    meta: metaOf(base, "User", doc),
  };
}

/** `members`: names of the members by id; undefined leaves the members out. */
export function presentGroup(
  base: string,
  doc: Omit<ScimGroupDoc, "memberIds"> & Partial<Pick<ScimGroupDoc, "memberIds">>,
  members: ReadonlyMap<string, string> | undefined,
): Resource {
  const list = (doc.memberIds ?? []).map((id) => {
    const display = members?.get(id);
    return {
      value: id,
      $ref: `${base}/Users/${id}`,
      display,
      type: "User",
    };
  });
  return {
    schemas: [urns.group],
    id: doc._id,
    externalId: doc.externalId,
    displayName: doc.displayName,
    members: members ? list : undefined,
    meta: metaOf(base, "Group", doc),
  };
}

/** Attributes that a caller asks for (RFC 7644, section 3.9). */
export interface Projection {
  attributes: string[] | undefined;
  excluded: string[];
}

/** Whether a projection leaves an attribute out as a whole. */
export function isLeftOut(type: ResourceType, { attributes, excluded }: Projection, name: string): boolean {
  const named = (list: string[], whole: boolean) =>
    list.some((text) => {
      const path = findAttribute(type, text);
      return path?.attribute?.name === name && !(whole && path.sub);
    });
  return attributes ? !named(attributes, false) : named(excluded, true);
}

/** The attributes of a resource that are returned: always its id and schemas. Unknown names are ignored. */
export function projected(type: ResourceType, resource: Resource, projection: Projection): Resource {
  const { attributes, excluded } = projection;
  if (attributes) return only(type, resource, attributes);
  if (excluded.length === 0) return resource;
  let result: Record<string, unknown> = resource;
  for (const text of excluded) result = without(type, result, text);
  return { ...result, schemas: resource["schemas"], id: resource.id };
}

function only(type: ResourceType, resource: Resource, attributes: string[]): Resource {
  const result: Resource = { schemas: resource["schemas"], id: resource.id };
  for (const text of attributes) {
    const path = findAttribute(type, text);
    if (!path) continue;
    if (path.isExtension) {
      const whole = resource[urns.enterprise];
      if (!isObject(whole)) continue;
      const part = path.attribute ? pick({}, whole, path.attribute.name, path.sub?.name) : whole;
      if (Object.keys(part).length > 0)
        result[urns.enterprise] = { ...(result[urns.enterprise] as object | undefined), ...part };
    } else if (path.attribute) pick(result, resource, path.attribute.name, path.sub?.name);
  }
  return result;
}

/** Copies an attribute, or a sub-attribute of it, into a result. */
function pick(
  result: Record<string, unknown>,
  from: Record<string, unknown>,
  name: string,
  sub: string | undefined,
): Record<string, unknown> {
  const value = from[name];
  if (value === undefined) return result;
  if (sub === undefined) result[name] = value;
  else if (Array.isArray(value)) {
    const previous = Array.isArray(result[name]) ? (result[name] as object[]) : [];
    result[name] = value.map((one: object, at) => ({
      ...previous[at],
      ...fieldOf(one as Record<string, unknown>, sub),
    }));
  } else if (isObject(value))
    result[name] = { ...(result[name] as object | undefined), ...fieldOf(value, sub) };
  return result;
}

const fieldOf = (object: Record<string, unknown>, name: string) =>
  object[name] === undefined ? {} : { [name]: object[name] };

function without(
  type: ResourceType,
  resource: Record<string, unknown>,
  text: string,
): Record<string, unknown> {
  const path = findAttribute(type, text);
  if (!path) return resource;
  if (path.isExtension && path.attribute) {
    const whole = resource[urns.enterprise];
    if (!isObject(whole)) return resource;
    return { ...resource, [urns.enterprise]: drop(whole, path.attribute.name, path.sub?.name) };
  }
  return drop(resource, path.attribute?.name ?? urns.enterprise, path.sub?.name);
}

function drop(
  object: Record<string, unknown>,
  name: string,
  sub: string | undefined,
): Record<string, unknown> {
  const { [name]: value, ...rest } = object;
  if (sub === undefined || value === undefined) return rest;
  if (Array.isArray(value))
    return { ...rest, [name]: value.map((one: Record<string, unknown>) => drop(one, sub, undefined)) };
  return isObject(value) ? { ...rest, [name]: drop(value, sub, undefined) } : rest;
}
