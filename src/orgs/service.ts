/** Organizations: create, list, read, update. */
import slugify from "@sindresorhus/slugify";
import { limits } from "../../contract/limits.ts";
import { reservedSlugs } from "../../contract/names/reserved-slugs.ts";
import { isAnonymousName, type Permission } from "../../contract/vocabulary.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant, membershipIn } from "../access/decide.ts";
import { isPermitted } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { hasAll } from "../audit/unchanged.ts";
import { ServiceError, forbidden, notFound, unauthenticated } from "../errors.ts";
import { requireUnrestricted } from "../users/load.ts";
import { memberNames } from "../users/member-names.ts";
import { refuseUnproved } from "../users/requirements.ts";
import { propagateTenant, propagateTenantSoon } from "./propagate.ts";
import type { CreateTenant, UpdateTenant } from "./schema.ts";

/**
 * Creates an organization whose owner is the caller. Throws `already_exists` or `limit_reached`.
 *
 * The membership is written first and counts once the organization exists: a crash in between leaves an unused
 * membership, instead of an organization that no one can access.
 */
export async function createTenant(app: App, actor: Actor, input: CreateTenant): Promise<TenantDoc> {
  const user = requireUnrestricted(actor, "create organizations");
  if (user.memberships.length >= limits.organizationsPerUser) {
    throw new ServiceError(
      "limit_reached",
      `You belong to ${limits.organizationsPerUser} organizations, which is the limit for creating more.`,
      { limit: limits.organizationsPerUser },
    );
  }
  const now = app.now();
  const id = app.newId();
  const slug = input.slug ?? slugOf(input.name);
  const event = makeEvent(app, actor, "organization.created", {
    tenantId: id,
    resourceType: "organization",
    resourceId: id,
    metadata: { name: input.name, slug },
  });
  const tenant: TenantDoc = {
    _id: id,
    slug,
    slugs: [slug],
    name: input.name,
    ownerIds: [user.userId],
    createdBy: user.userId,
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
  const membershipId = app.newId();
  await app.storage.memberships.insert({
    _id: membershipId,
    tenantId: id,
    tenantSlug: slug,
    tenantName: input.name,
    userId: user.userId,
    ...memberNames(user),
    role: "owner",
    createdAt: now,
    pending: true,
  });
  try {
    await app.storage.tenants.insert(tenant);
  } catch (error) {
    await app.storage.memberships.remove(membershipId);
    throw slugTaken(error, slug);
  }
  await propagateTenant(app, tenant);
  flushEvents(app, app.storage.tenants, id, [event]);
  return tenant;
}

/**
 * Organizations of the caller, by slug, including those to be erased that the caller owns. For an organization's token,
 * that organization.
 */
export async function listTenants(app: App, actor: Actor): Promise<TenantDoc[]> {
  if (actor.kind === "anonymous") throw unauthenticated();
  return app.storage.tenants.listByIds(actor.memberships.map((m) => m.tenantId));
}

/**
 * Finds an organization by id or slug and checks a permission in it. It exists for its members only; one that is to be
 * erased exists for its owners only, who can read it and cancel the deletion.
 */
export async function loadTenant(
  app: App,
  actor: Actor,
  ref: string,
  permission: Permission | "member",
): Promise<TenantDoc> {
  const { tenants } = app.storage;
  // A slug may look like an id.
  const tenant = (isId(ref) ? await tenants.find(ref) : null) ?? (await tenants.findBySlug(ref));
  const verdict = decideTenant(actor, permission, tenant?._id);
  if (verdict === "unauthenticated") throw unauthenticated();
  if (verdict === "absent") refuseUnproved(actor, tenant?._id);
  if (verdict === "absent") refuseOldToken(actor, tenant?._id);
  if (verdict === "absent" || !tenant || tenant.erasing) throw notFound("organization", ref);
  // The copies in memberships may lag behind.
  const held = membershipIn(actor, tenant._id)?.permissions;
  if (tenant.deletionAt && !isPermitted(held, "organization:delete")) throw notFound("organization", ref);
  if (tenant.deletionAt && permission !== "member" && permission !== "organization:delete")
    throw forbidden(
      `"${tenant.slug}" will be erased at ${tenant.deletionAt.toISOString()}: restore it first.`,
    );
  if (verdict === "refused")
    throw forbidden(`Your role or token does not allow ${permission} in "${tenant.slug}".`);
  return tenant;
}

/** Explains to a member why their token finds nothing in an organization. Throws `forbidden`. */
function refuseOldToken(actor: Actor, tenantId: string | undefined): void {
  if (actor.kind !== "user" || actor.via.kind !== "token") return;
  const left = actor.via.tooOldFor?.find((membership) => membership.tenantId === tenantId);
  if (!left) return;
  const { tenantSlug, maxTokenDays } = left;
  throw forbidden(
    `"${tenantSlug}" accepts API tokens up to an age of ${maxTokenDays} days, and this one is older: ` +
      "log in again, or create another token.",
    { kind: "token", maxTokenDays },
  );
}

/**
 * Changes settings. Previous slugs still lead to the organization, and no other organization can take one. Throws
 * `limit_reached` for one more new slug than `limits.formerOrgSlugs` allows.
 */
export async function updateTenant(
  app: App,
  actor: Actor,
  ref: string,
  input: UpdateTenant,
): Promise<TenantDoc> {
  let tenant = await loadTenant(app, actor, ref, "organization:update");
  if (input.maxTokenDays !== undefined || input.scanPolicy)
    await loadTenant(app, actor, ref, "security:manage");
  if (hasAll(tenant, input)) return tenant;
  const event = makeEvent(app, actor, "organization.updated", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { ...input, formerSlug: input.slug === undefined ? undefined : tenant.slug },
  });
  const { versionScans } = app.storage;
  const of = { tenantId: tenant._id };
  // Scans apply the policy.
  if (input.scanPolicy) await versionScans.requestFlagged(of, app.now(), "delayed");
  for (;;) {
    const updated = await applySettings(app, tenant, input, event);
    if (updated) {
      if (input.scanPolicy) await versionScans.requestFlagged(of, app.now(), "now");
      await propagateTenantSoon(app, updated, [event]);
      return updated;
    }
    // The slug was changed concurrently: each round is one such change.
    tenant = await loadTenant(app, actor, tenant._id, "organization:update");
  }
}

async function applySettings(
  app: App,
  tenant: TenantDoc,
  input: UpdateTenant,
  event: EventRow,
): Promise<TenantDoc | null> {
  const { slug } = input;
  const slugs =
    slug === undefined ? undefined : [slug, ...tenant.slugs.filter((previous) => previous !== slug)];
  if (slugs && slugs.length > 1 + limits.formerOrgSlugs && slugs.length > tenant.slugs.length)
    throw new ServiceError(
      "limit_reached",
      `The organization has had ${limits.formerOrgSlugs} other slugs, which is the limit: choose a previous one.`,
      { limit: limits.formerOrgSlugs },
    );
  try {
    return await app.storage.tenants.change(tenant._id, {
      when: slugs && { slugs: tenant.slugs },
      patch: { ...input, slugs },
      now: app.now(),
      events: [event],
    });
  } catch (error) {
    throw slugTaken(error, slug ?? tenant.slug);
  }
}

/** A slug made from a display name; names without Latin letters or digits need one from the caller. */
function slugOf(name: string): string {
  const slug = slugify(name).slice(0, limits.orgSlug.max).replace(/-+$/, "");
  const isReserved = (reservedSlugs as readonly string[]).includes(slug) || isAnonymousName(slug);
  if (slug.length < limits.orgSlug.min || isReserved) {
    throw new ServiceError("refused", `No slug can be made from "${name}": send one as "slug".`);
  }
  return slug;
}

function slugTaken(error: unknown, slug: string): unknown {
  if (!isDuplicate(error, "tenant_slugs")) return error;
  return new ServiceError(
    "already_exists",
    `The organization slug "${slug}" is taken: choose another.`,
    { kind: "organization", ref: slug },
    { cause: error },
  );
}
