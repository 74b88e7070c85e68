/** Collections over HTTP. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  CollectionDetailPayload,
  CollectionPayload,
  PublicCollectionPayload,
  RequiredCollectionPayload,
} from "../../../contract/payloads/skills/collections.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import {
  createCollection,
  deleteCollection,
  listCollections,
  orderCollections,
  readCollection,
  updateCollection,
} from "./collections.ts";
import { countMembers } from "./members.ts";
import { presentCollection, presentCollectionDetail } from "./present.ts";
import { listPublicCollections, readPublicCollection } from "./public.ts";
import { listRequired } from "./required.ts";
import {
  CollectionParams,
  CreateCollection,
  OrderCollections,
  PublicCollectionParams,
  UpdateCollection,
} from "./schema.ts";

const route = routesOf({ tag: "Collections", auth: "required" });
const publicRoute = routesOf({
  method: "get",
  tag: "Catalog",
  auth: "optional",
  crossOrigin: "anonymous",
  budget: "search",
});

const base = "/api/tenants/:tenant/collections";
const item = `${base}/:collection`;
const all = "all of them, unless `limit` is lower: an organization has at most as many";

export function collectionRoutes(app: App): Route[] {
  return [...readRoutes(app), ...changeRoutes(app), ...publicRoutes(app)];
}

function readRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: base,
      id: "listCollections",
      summary: "List the collections of an organization that you may read, in its order",
      params: TenantParams,
      data: z.array(CollectionPayload).max(limits.collectionsPerOrganization).meta({ description: all }),
      budget: "search",
      async handle({ actor, params }) {
        const { tenant, seen } = await listCollections(app, actor, params.tenant);
        const collections = seen.map(({ collection }) => collection);
        const counts = await countMembers(app, actor, tenant._id, collections);
        return seen.map((one, at) => presentCollection(actor, one, counts[at]!));
      },
    }),
    route({
      method: "get",
      path: item,
      id: "getCollection",
      summary: "Read a collection with its skills",
      params: CollectionParams,
      data: CollectionDetailPayload,
      handle: async ({ actor, params }) =>
        presentCollectionDetail(app, actor, await readCollection(app, actor, params)),
    }),
    route({
      method: "get",
      path: "/api/user/required-collections",
      id: "listRequired",
      pageBy: ["tenantSlug", "slug"],
      summary: "List the collections that you have to install, with the skills that you may read",
      data: z
        .array(RequiredCollectionPayload)
        .max(limits.requiredCollections)
        .meta({ description: "of all of your organizations" }),
      budget: "search",
      handle: ({ actor }) => listRequired(app, actor),
    }),
  ];
}

function changeRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: base,
      id: "createCollection",
      failures: ["already_exists", "limit_reached", "managed_folder"],
      summary: "Create a collection",
      params: TenantParams,
      body: CreateCollection,
      status: 201,
      data: CollectionDetailPayload,
      handle: async ({ actor, params, body }) =>
        presentCollectionDetail(app, actor, await createCollection(app, actor, params.tenant, body)),
      authorizeRepeat: ({ actor, params }, { id }: CollectionDetailPayload) =>
        readCollection(app, actor, { tenant: params.tenant, collection: id }),
    }),
    route({
      method: "patch",
      path: item,
      id: "updateCollection",
      failures: ["conflict", "limit_reached"],
      summary: "Change a collection's name, description or readers, or its skills and their order",
      params: CollectionParams,
      body: UpdateCollection,
      data: CollectionDetailPayload,
      handle: async ({ actor, params, body }) =>
        presentCollectionDetail(app, actor, await updateCollection(app, actor, params, body)),
    }),
    route({
      method: "delete",
      path: item,
      id: "deleteCollection",
      summary: "Delete a collection; the skills in it stay",
      params: CollectionParams,
      data: null,
      handle: ({ actor, params }) => deleteCollection(app, actor, params),
    }),
    route({
      method: "put",
      path: "/api/tenants/:tenant/collection-order",
      id: "orderCollections",
      summary: "Set the order in which pages show the collections",
      params: TenantParams,
      body: OrderCollections,
      data: null,
      handle: ({ actor, params, body }) => orderCollections(app, actor, params.tenant, body.collections),
    }),
  ];
}

function publicRoutes(app: App): Route[] {
  return [
    publicRoute({
      path: "/api/explore/organizations/:organization/collections",
      id: "exploreCollections",
      pageBy: ["slug"],
      summary: "List the public collections of an organization, each with its first public skills",
      params: PublicCollectionParams.pick({ organization: true }),
      data: z
        .array(PublicCollectionPayload)
        .max(limits.collectionsPerOrganization)
        .meta({ description: all }),
      handle: ({ actor, params }) => listPublicCollections(app, actor, params.organization),
    }),
    publicRoute({
      path: "/api/explore/organizations/:organization/collections/:collection",
      id: "exploreCollection",
      summary: "Read a public collection with its public skills",
      params: PublicCollectionParams,
      data: PublicCollectionPayload,
      handle: ({ actor, params }) => readPublicCollection(app, actor, params.organization, params.collection),
    }),
  ];
}
