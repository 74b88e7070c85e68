/**
 * Organizations as anyone sees them. Only one with a public skill exists here: any other looks like a name that never
 * existed, and the same queries are made for it.
 */
import type { PublicOrganizationPayload } from "../../../contract/payloads/discovery/catalog.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";

const maxCounted = 10_000;
const missingId = "0".repeat(24);

/** By the slug or a previous one. Throws `not_found`. */
export async function readPublicOrganization(app: App, slug: string): Promise<PublicOrganizationPayload> {
  const { tenant, skills, downloads } = await loadPublic(app, slug);
  const { avatar } = tenant;
  const address = `${app.config.baseUrl}/api/explore/organizations/${tenant.slug}/avatar`;
  return {
    slug: tenant.slug,
    name: tenant.name,
    description: tenant.description ?? "",
    avatarUrl: avatar ? `${address}?v=${avatar.id}` : null,
    publicSkills: Math.min(skills, maxCounted),
    publicSkillsIsExact: skills <= maxCounted,
    downloads,
  };
}

/** The avatar of such an organization. Throws `not_found`. */
export async function readPublicAvatar(
  app: App,
  slug: string,
): Promise<{ id: string; etag: string; bytes: Buffer }> {
  const { tenant } = await loadPublic(app, slug);
  const bytes = tenant.avatar ? await app.storage.avatars.findBytes(tenant.avatar.id) : null;
  if (!tenant.avatar || !bytes) throw notPublic();
  return { ...tenant.avatar, bytes };
}

/** An organization with a public skill. Throws `not_found`. */
export const loadPublicTenant = async (app: App, slug: string): Promise<TenantDoc> =>
  (await loadPublic(app, slug)).tenant;

async function loadPublic(
  app: App,
  slug: string,
): Promise<{ tenant: TenantDoc; skills: number; downloads: number }> {
  const tenant = await app.storage.tenants.findBySlug(slug);
  const totals = await app.storage.catalog.totalsOfTenant(tenant?._id ?? missingId, maxCounted + 1);
  if (!tenant || tenant.deletionAt || tenant.erasing || totals.skills === 0) throw notPublic();
  return { tenant, ...totals };
}

/** The message does not repeat the name. */
function notPublic(): ServiceError {
  return new ServiceError("not_found", "Organization not found, or it has no public skills.", {
    kind: "organization",
  });
}
