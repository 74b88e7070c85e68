/** Organizations, for administrators of the service: who owns them, never their skills. */
import { z } from "zod";
import { AdminOrganizationPayload } from "../../contract/payloads/administration.ts";
import { isId } from "../../storage/database.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { App } from "../app.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { Page, route, type Route } from "../http/route.ts";
import { foldName } from "../users/schema.ts";
import { sizesOf, type OrganizationSize } from "./organization-sizes.ts";
import { AdminOrganizationQuery } from "./schema.ts";

const ownersShown = 10;
const Cursor = z.tuple([z.string().max(100)]);

export function organizationAdministrationRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/organizations",
      summary: "List all organizations by slug, with their size and state, without their skills",
      tag: "Administration",
      auth: "administrator",
      query: AdminOrganizationQuery,
      data: AdminOrganizationPayload,
      page: true,
      handle: ({ query }) => listOrganizations(app, query),
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
