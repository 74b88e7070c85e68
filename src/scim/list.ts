/** Lists of resources: filter, order and paging (RFC 7644, section 3.4.2). */
import { limits } from "../../contract/limits.ts";
import type { ScimListQuery } from "../../storage/scim/users.ts";
import type { ScimContext } from "./context.ts";
import { badInput, ScimError } from "./errors.ts";
import { parseFilter } from "./filter/parse.ts";
import { fieldOf, toQuery } from "./filter/to-query.ts";
import { isLeftOut, presentGroup, presentUser, projected, type Resource } from "./present.ts";
import type { ResourceType } from "./schema/attributes.ts";

export const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

export interface ListRequest {
  filter: string | undefined;
  sortBy: string | undefined;
  isDescending: boolean;
  startIndex: number;
  count: number;
}

/** Reads the parameters of a query, or the members of the body of `.search`. Throws `invalidValue`. */
export function readListRequest(given: Readonly<Record<string, unknown>>): ListRequest {
  const textOf = (name: string) => {
    const value = given[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") throw badInput("invalidValue", `"${name}" must be a text, given once.`);
    return value;
  };
  const order = textOf("sortOrder")?.toLowerCase() ?? "ascending";
  if (order !== "ascending" && order !== "descending")
    throw badInput("invalidValue", '"sortOrder" must be ascending or descending.');
  return {
    filter: textOf("filter"),
    sortBy: textOf("sortBy"),
    isDescending: order === "descending",
    startIndex: Math.max(1, integerOf("startIndex", given["startIndex"], 1)),
    count: Math.min(limits.scimPage, Math.max(0, integerOf("count", given["count"], limits.scimPage))),
  };
}

function integerOf(name: string, value: unknown, fallback: number): number {
  if (value === undefined || value === null || value === "") return fallback;
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number))
    throw badInput("invalidValue", `"${name}" must be an integer.`);
  return number;
}

export function listResponse(startIndex: number, totalResults: number, resources: Resource[]) {
  return {
    schemas: [listSchema],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** A page of one type. */
export async function listResources(context: ScimContext, type: ResourceType, request: ListRequest) {
  const query = queryOf(type, request);
  const skip = request.startIndex - 1;
  const [total, resources] = await Promise.all([
    countOf(context, type, query.filter),
    pageOf(context, type, { ...query, skip, limit: request.count }),
  ]);
  return listResponse(request.startIndex, total, resources);
}

/** A page of all types: users first. An attribute that a type does not have matches none of it. */
export async function listEverything(context: ScimContext, request: ListRequest) {
  const parts: { type: ResourceType; query: ReturnType<typeof queryOf> }[] = [];
  let failure: unknown;
  for (const type of ["User", "Group"] as const) {
    try {
      parts.push({ type, query: queryOf(type, request) });
    } catch (error) {
      failure = error;
    }
  }
  if (parts.length === 0) throw failure;
  let skip = request.startIndex - 1;
  let total = 0;
  const resources: Resource[] = [];
  for (const part of parts) {
    const count = await countOf(context, part.type, part.query.filter);
    const limit = request.count - resources.length;
    if (skip < count && limit > 0)
      resources.push(...(await pageOf(context, part.type, { ...part.query, skip, limit })));
    skip = Math.max(0, skip - count);
    total += count;
  }
  return listResponse(request.startIndex, total, resources);
}

function queryOf(type: ResourceType, { filter, sortBy, isDescending }: ListRequest) {
  const sort: ScimListQuery["sort"] =
    sortBy === undefined ? undefined : { field: fieldOf(type, sortBy).name, order: isDescending ? -1 : 1 };
  return { filter: filter === undefined ? {} : toQuery(type, parseFilter(filter)), sort };
}

function countOf({ app, tenant }: ScimContext, type: ResourceType, filter: object): Promise<number> {
  const { scimUsers, scimGroups } = app.storage;
  return (type === "User" ? scimUsers : scimGroups).count(tenant._id, filter);
}

async function pageOf(context: ScimContext, type: ResourceType, query: ScimListQuery): Promise<Resource[]> {
  // A limit of 0 has no limit for the database.
  if (query.limit === 0) return [];
  const { app, tenant, projection } = context;
  const resources =
    type === "User"
      ? await presentUsers(context, await app.storage.scimUsers.list(tenant._id, query))
      : await groupPage(context, query);
  return resources.map((resource) => projected(type, resource, projection));
}

/** Users with the names of their groups. */
export async function presentUsers(
  { app, tenant, base }: ScimContext,
  users: Parameters<typeof presentUser>[1][],
): Promise<Resource[]> {
  const ids = [...new Set(users.flatMap(({ teamIds }) => teamIds))];
  const groups = ids.length > 0 ? await app.storage.scimGroups.listNames(tenant._id, ids) : [];
  const names = new Map(groups.map(({ _id, displayName }) => [_id, displayName]));
  return users.map((user) => presentUser(base, user, names));
}

/** A page ends early if its groups have many members together. */
async function groupPage(context: ScimContext, query: ScimListQuery): Promise<Resource[]> {
  const { app, tenant, base, projection } = context;
  const rows = await app.storage.scimGroups.list(tenant._id, query);
  if (isLeftOut("Group", projection, "members"))
    return rows.map((group) => presentGroup(base, group, undefined));
  let members = 0;
  const shown = rows.filter(({ memberCount }, at) => {
    members += memberCount;
    return at === 0 || members <= limits.scimPageMembers;
  });
  const groups = await app.storage.scimGroups.listByIds(
    tenant._id,
    shown.map(({ _id }) => _id),
  );
  const byId = new Map(groups.map((group) => [group._id, group]));
  const names = await memberNames(
    context,
    groups.flatMap(({ memberIds }) => memberIds),
  );
  return shown.flatMap(({ _id }) => {
    const group = byId.get(_id);
    return group ? [presentGroup(base, group, names)] : [];
  });
}

/** Names of users by their ids. */
export async function memberNames(
  { app, tenant }: ScimContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const users = await app.storage.scimUsers.listByIds(tenant._id, [...new Set(ids)]);
  return new Map(
    users.map(({ _id, userName, attributes }) => [
      _id,
      typeof attributes?.["displayName"] === "string" ? attributes["displayName"] : userName,
    ]),
  );
}

/** Throws 403 for a filter where none is offered. */
export function refuseFilter(given: Readonly<Record<string, unknown>>): void {
  if (given["filter"] !== undefined)
    throw new ScimError(403, "Filters are not offered for this resource: leave the filter out.");
}
