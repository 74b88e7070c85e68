/** Organizations, for administrators of the service: who owns them, never their skills. */
import { z } from "zod";
import { AdminOrganizationPayload } from "../../contract/payloads/service/administration.ts";
import { isId } from "../../storage/database.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent, makeSystemEvent } from "../audit/events.ts";
import { serviceLog } from "../audit/fan-out.ts";
import { notFound } from "../errors.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { Page, route, type Route } from "../http/route.ts";
import { foldName } from "../users/schema.ts";
import { sizesOf, type OrganizationSize } from "./organization-sizes.ts";
import { AdminOrganizationParams, AdminOrganizationQuery, StorageLimit } from "./schema.ts";
import { countStorageSoon, presentStorage } from "./storage/usage.ts";

const ownersShown = 10;
const Cursor = z.tuple([z.string().max(100)]);

export function organizationAdministrationRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/organizations",
      id: "listAllOrgs",
      summary: "List all organizations by slug, with their size and state, without their skills",
      tag: "Administration",
      auth: "administrator",
      query: AdminOrganizationQuery,
      data: AdminOrganizationPayload,
      page: true,
      handle: ({ query }) => listOrganizations(app, query),
    }),
    route({
      method: "put",
      path: "/api/admin/organizations/:tenant/storage-limit",
      id: "setStorageLimit",
      summary:
        "Set the storage limit of an organization, or remove it so that the limit of the service applies",
      tag: "Administration",
      auth: "administrator",
      params: AdminOrganizationParams,
      body: StorageLimit,
      data: AdminOrganizationPayload,
      handle: ({ actor, params, body }) => setStorageLimit(app, actor, params.tenant, body),
    }),
  ];
}

async function listOrganizations(
  app: App,
  { query, cursor, limit }: AdminOrganizationQuery,
): Promise<Page<AdminOrganizationPayload>> {
  const { tenants } = app.storage;
  const named = query !== undefined && isId(query) ? await tenants.find(query) : null;
  if (named) return new Page(await present(app, [named]), null);
  const [after] = decodeCursor(cursor, Cursor) ?? [];
  const prefix = query === undefined ? undefined : foldName(query);
  const rows = await app.storage.overviews.listTenants(prefix, after, limit + 1);
  const page = pageOf(rows, limit, (last) => [last.slug]);
  return new Page(await present(app, page.items), page.nextCursor);
}

async function setStorageLimit(
  app: App,
  actor: Actor,
  id: string,
  { limitBytes, reason }: StorageLimit,
): Promise<AdminOrganizationPayload> {
  const tenant = await app.storage.tenants.find(id);
  if (!tenant) throw notFound("organization", id);
  const subject = {
    resourceType: "organization" as const,
    resourceId: id,
    metadata: { slug: tenant.slug, limitBytes, reason },
  };
  const name = "organization.storage_limit_changed";
  const events = [
    makeEvent(app, actor, name, { ...serviceLog, ...subject }),
    makeSystemEvent(app, name, { tenantId: id, ...subject }),
  ];
  const changed = await app.storage.tenants.change(id, {
    patch: { storageLimitBytes: limitBytes },
    now: app.now(),
    events,
  });
  if (!changed) throw notFound("organization", id);
  flushEvents(app, app.storage.tenants, id, events);
  countStorageSoon(app, id, 0);
  const [presented] = await present(app, [changed]);
  return presented!;
}

async function present(app: App, tenants: readonly TenantDoc[]): Promise<AdminOrganizationPayload[]> {
  const ids = tenants.map(({ _id }) => _id);
  const { connections, users } = app.storage;
  const ownersOf = ({ ownerIds }: TenantDoc) => ownerIds.slice(0, ownersShown);
  const [sizes, connected, owners] = await Promise.all([
    sizesOf(app, ids),
    connections.listOfTenants(ids, ids.length + 1),
    users.listByIds([...new Set(tenants.flatMap(ownersOf))]),
  ]);
  const names = new Map(owners.map(({ _id, username }) => [_id, username]));
  return tenants.map((tenant) => ({
    id: tenant._id,
    slug: tenant.slug,
    formerSlugs: tenant.slugs.slice(1),
    name: tenant.name,
    owners: ownersOf(tenant).flatMap((id) => {
      const username = names.get(id);
      return username === undefined ? [] : [{ id, username }];
    }),
    ...presentSize(sizes.get(tenant._id)!),
    storage: presentStorage(app, tenant),
    connected: connected.some(({ tenantId }) => tenantId === tenant._id),
    deletionAt: tenant.deletionAt?.toISOString() ?? null,
    createdAt: tenant.createdAt.toISOString(),
  }));
}

const presentSize = ({ members, skills, countedAt }: OrganizationSize) => ({
  members,
  skills,
  countedAt: countedAt.toISOString(),
});
