/** The resources and methods below the address of a provider (RFC 7644, section 3.2). */
import type { IncomingMessage } from "node:http";
import { isId } from "../../storage/database.ts";
import { ServiceError } from "../errors.ts";
import { readJson } from "../http/request/body.ts";
import { Reply, type RequestInfo } from "../http/route.ts";
import { namesVersion } from "./conditional.ts";
import type { ScimContext } from "./context.ts";
import { badInput, ScimError, unknownResource } from "./errors.ts";
import { createGroup, deleteGroup, loadGroup, replaceGroup, updateGroup } from "./groups/write.ts";
import {
  listEverything,
  listResources,
  listResponse,
  memberNames,
  presentUsers,
  readListRequest,
  refuseFilter,
} from "./list.ts";
import { isLeftOut, presentGroup, projected, type Resource } from "./present.ts";
import type { ResourceType } from "./schema/attributes.ts";
import { byId, resourceTypes, schemas, serviceProviderConfig } from "./schema/discovery.ts";
import { isObject } from "./schema/values.ts";
import { replaceUser, updateUser } from "./users/change.ts";
import { createUser } from "./users/create.ts";
import { deleteUser } from "./users/delete.ts";
import { loadUser } from "./users/load.ts";

export interface ScimCall {
  method: string;
  /** Decoded segments below the address of the provider. */
  segments: string[];
  query: Readonly<Record<string, unknown>>;
  request: RequestInfo;
}

type Handler = (context: ScimContext, call: ScimCall) => Promise<Reply>;

/** Throws `ScimError` or `ServiceError`. */
export function dispatch(context: ScimContext, call: ScimCall): Promise<Reply> {
  const [first = "", second, ...rest] = call.segments;
  const name = first.toLowerCase();
  if (name === "me" || name === "bulk")
    throw new ScimError(501, `"/${first}" is not offered by this service.`);
  const handlers = rest.length === 0 ? handlersOf(name, second) : undefined;
  if (!handlers) throw new ScimError(404, `There is nothing at "/${call.segments.join("/").slice(0, 200)}".`);
  const handler = handlers[call.method === "HEAD" ? "GET" : call.method];
  if (handler) return handler(context, call);
  const offered = Object.keys(handlers).join(", ");
  throw new ScimError(405, `${call.method} is not offered here: use ${offered}.`, {
    headers: { allow: offered },
  });
}

type Handlers = Partial<Record<string, Handler>>;

function handlersOf(name: string, id: string | undefined): Handlers | undefined {
  if (name === ".search") return id === undefined ? { POST: search(undefined) } : undefined;
  if (name === "users" || name === "groups") {
    const type = name === "users" ? "User" : "Group";
    if (id === undefined) return { GET: list(type), POST: create(type) };
    return id.toLowerCase() === ".search" ? { POST: search(type) } : single(type, id);
  }
  const description = descriptions(name, id);
  return description && { GET: description };
}

const listings = new Map<string, (base: string) => Resource[]>([
  ["resourcetypes", resourceTypes],
  ["schemas", schemas],
]);

function descriptions(name: string, id: string | undefined): Handler | undefined {
  if (name === "serviceproviderconfig" && id === undefined)
    return async ({ base }) => reply(serviceProviderConfig(base));
  const listed = listings.get(name);
  if (!listed) return undefined;
  return async ({ base }, { query }) => {
    refuseFilter(query);
    const all = listed(base);
    return reply(id === undefined ? listResponse(1, all.length, all) : byId(all, id));
  };
}

function list(type: ResourceType): Handler {
  return async (context, { query }) => reply(await listResources(context, type, readListRequest(query)));
}

function search(type: ResourceType | undefined): Handler {
  return async (context, { request }) => {
    const body = await readBody(request);
    if (!isObject(body)) throw badInput("invalidSyntax", "The body must be a JSON object.");
    const asked = readListRequest(body);
    const projection = {
      attributes: namesOf("attributes", body["attributes"]),
      excluded: namesOf("excludedAttributes", body["excludedAttributes"]) ?? [],
    };
    const searching = { ...context, projection };
    return reply(await (type ? listResources(searching, type, asked) : listEverything(searching, asked)));
  };
}

/** Names of attributes, as a list or as a text with commas. */
export function namesOf(name: string, given: unknown): string[] | undefined {
  if (given === undefined || given === null || given === "") return undefined;
  const names: unknown[] =
    typeof given === "string" ? given.split(",") : Array.isArray(given) ? given : [null];
  if (names.length > 100) throw badInput("tooMany", `"${name}" has more than 100 names.`);
  return names.map((one) => {
    if (typeof one !== "string") throw badInput("invalidValue", `"${name}" must be names of attributes.`);
    return one.trim();
  });
}

function create(type: ResourceType): Handler {
  return async (context, { request }) => {
    const body = await readBody(request);
    const resource =
      type === "User"
        ? (await presentUsers(context, [await createUser(context, body)]))[0]!
        : await presentFull(context, (await createGroup(context, body))._id);
    return single201(context, type, resource);
  };
}

function single201(context: ScimContext, type: ResourceType, resource: Resource): Reply {
  const { location } = resource["meta"] as { location: string };
  const answer = resourceReply(context, type, resource, 201);
  answer.headers["location"] = location;
  return answer;
}

function single(type: ResourceType, id: string): Handlers {
  const change =
    (write: (context: ScimContext, id: string, body: unknown) => Promise<{ _id: string }>): Handler =>
    async (context, { request }) => {
      await write(context, id, await readBody(request));
      return resourceReply(context, type, await read(context, type, id), 200);
    };
  return {
    GET: (context) => readOne(context, type, id),
    PUT: change(type === "User" ? replaceUser : replaceGroup),
    PATCH: change(type === "User" ? updateUser : updateGroup),
    async DELETE(context) {
      await (type === "User" ? deleteUser(context, id) : deleteGroup(context, id));
      return new Reply(undefined, { status: 204 });
    },
  };
}

async function readOne(context: ScimContext, type: ResourceType, id: string): Promise<Reply> {
  const resource = await read(context, type, id);
  const { version } = resource["meta"] as { version: string };
  const revision = Number(version.slice(3, -1));
  if (context.ifNoneMatch !== "" && namesVersion(context.ifNoneMatch, { revision }))
    return new Reply(undefined, { status: 304, headers: { etag: version } });
  return resourceReply(context, type, resource, 200);
}

async function read(context: ScimContext, type: ResourceType, id: string): Promise<Resource> {
  if (type === "Group") return presentFull(context, id);
  return (await presentUsers(context, [await loadUser(context, id)]))[0]!;
}

/** A group; its members are not read if the caller leaves them out. */
async function presentFull(context: ScimContext, id: string): Promise<Resource> {
  const { app, tenant, base, logEntry } = context;
  if (!isLeftOut("Group", context.projection, "members")) {
    const group = await loadGroup(context, id);
    return presentGroup(base, group, await memberNames(context, group.memberIds));
  }
  const group = isId(id) ? await app.storage.scimGroups.findWithoutMembers(tenant._id, id) : null;
  if (!group) throw unknownResource("Group", id);
  logEntry.subject = { id, name: group.displayName };
  return presentGroup(base, group, undefined);
}

function resourceReply(
  { projection }: ScimContext,
  type: ResourceType,
  resource: Resource,
  status: number,
): Reply {
  const { version } = resource["meta"] as { version: string };
  return reply(projected(type, resource, projection), status, { etag: version });
}

export function reply(body: object, status = 200, headers: Record<string, string> = {}): Reply {
  return new Reply(JSON.stringify(body), {
    status,
    type: "application/scim+json; charset=utf-8",
    headers: { "cache-control": "no-store", ...headers },
  });
}

async function readBody({ stream }: RequestInfo): Promise<unknown> {
  try {
    // The stream of a request is the request itself.
    return await readJson(stream as IncomingMessage);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "invalid_request")
      throw badInput("invalidSyntax", error.message);
    throw error;
  }
}
