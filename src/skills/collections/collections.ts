/** Collections of an organization: list, read, create, change, order, delete. */
import slugify from "@sindresorhus/slugify";
import { limits } from "../../../contract/limits.ts";
import { everyone } from "../../../contract/vocabulary.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import { outboxFields } from "../../../storage/outbox.ts";
import type { SkillCollectionDoc } from "../../../storage/skills/skill-collections.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import { decideCollection, decideTenant, type AccessContext } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { hasAll } from "../../audit/unchanged.ts";
import { forbidden, invalidRequest, notFound, ServiceError } from "../../errors.ts";
import { accessContextIn, authorizeFolder, loadFolderView } from "../../folders/load.ts";
import { managedFolder } from "../../folders/tree/refusals.ts";
import { requireFreeSlot } from "../../orgs/named-records.ts";
import { loadTenant } from "../../orgs/service.ts";
import { freeSlug } from "../publish/slug.ts";
import { inOrder, keepReadable, loadCollection, type SeenCollection } from "./load.ts";
import { checkSize, findMembers, mergeMembers } from "./members.ts";
import type { CreateCollection, UpdateCollection } from "./schema.ts";

/** All that the caller may read, in the organization's order. */
export async function listCollections(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<{ tenant: TenantDoc; seen: SeenCollection[] }> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const all = await app.storage.skillCollections.list(tenant._id);
  return { tenant, seen: await keepReadable(app, actor, inOrder(tenant, all)) };
}

export async function readCollection(
  app: App,
  actor: Actor,
  { tenant: tenantRef, collection: ref }: { tenant: string; collection: string },
): Promise<SeenCollection> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  return loadCollection(app, actor, tenant, ref, "read");
}

/**
 * Throws `already_exists` for a slug that is taken, `limit_reached`, `forbidden`, and `not_found` for a folder or skill
 * that the caller may not see.
 */
export async function createCollection(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateCollection,
): Promise<SeenCollection> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const { skillCollections } = app.storage;
  const context = await requireLocation(app, actor, tenant, input.folderId);
  if (input.requiredFor.length > 0) await requireTeams(app, actor, tenant, input.requiredFor);
  const skillIds = await findMembers(app, actor, tenant._id, input.skills);
  checkSize(skillIds);
  const existing = await skillCollections.list(tenant._id);
  requireFreeSlot("collection", existing.length, limits.collectionsPerOrganization);
  const slug = input.slug ?? freeSlugOf(input.name, existing);
  const event = makeEvent(app, actor, "collection.created", {
    tenantId: tenant._id,
    resourceType: "collection",
    resourceId: app.newId(),
    metadata: {
      slug,
      name: input.name,
      folderId: input.folderId,
      public: input.public,
      requiredFor: input.requiredFor,
      skills: skillIds,
    },
  });
  const now = app.now();
  const collection: SkillCollectionDoc = {
    _id: event.resourceId,
    tenantId: tenant._id,
    slug,
    nameKey: slug,
    name: input.name,
    description: input.description,
    folderId: input.folderId,
    isPublic: input.public,
    requiredFor: input.requiredFor,
    skillIds,
    revision: 1,
    active: true,
    createdBy: actorId(actor),
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
  await skillCollections.insert(collection).catch((error: unknown) => {
    throw isDuplicate(error, "collection_slug") ? slugTaken(tenant.slug, slug) : error;
  });
  flushEvents(app, skillCollections, collection._id, [event]);
  return { collection, context };
}

/** Requires the right to change the collections of a folder, or of the root. */
async function requireLocation(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  folderId: string | null,
): Promise<AccessContext | null> {
  if (folderId === null) {
    if (decideCollection(actor, "update", { tenantId: tenant._id, context: null }) === "allowed") return null;
    throw forbidden(
      `Your role or token does not allow organization:update in "${tenant.slug}", which a collection outside of ` +
        "folders requires. Choose a folder that you may update.",
    );
  }
  const view = await loadFolderView(app, actor, tenant._id);
  authorizeFolder(view, "folder:update", folderId, folderId);
  if (view.tree.ancestry(folderId).some(({ managed }) => managed))
    throw managedFolder(view.tree.path(folderId), "put the collection into another folder");
  return accessContextIn(view.tree, actor, folderId);
}

/**
 * Requires the right to say what the members of teams have to install, which the right to change a folder does not
 * include. Throws `not_found` for a team.
 */
async function requireTeams(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  requiredFor: readonly string[],
): Promise<void> {
  requireOrganizationUpdate(actor, tenant);
  const ids = requiredFor.filter((id) => id !== everyone);
  const found = new Set(
    (await app.storage.teams.listByIds(ids))
      .filter(({ tenantId }) => tenantId === tenant._id)
      .map(({ _id }) => _id),
  );
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound("team", missing);
}

function requireOrganizationUpdate(actor: Actor, tenant: TenantDoc): void {
  if (decideTenant(actor, "organization:update", tenant._id) !== "allowed")
    throw forbidden(`Your role or token does not allow organization:update in "${tenant.slug}".`);
}

/** Throws `conflict` after a concurrent change. A change that changes nothing has no effect. */
export async function updateCollection(
  app: App,
  actor: Actor,
  params: { tenant: string; collection: string },
  { revision, public: isPublic, skills, ...fields }: UpdateCollection,
): Promise<SeenCollection> {
  const tenant = await loadTenant(app, actor, params.tenant, "member");
  const { collection, context } = await loadCollection(app, actor, tenant, params.collection, "update");
  if (revision !== undefined && revision !== collection.revision) throw changedConcurrently(collection);
  if (isPublic && collection.folderId !== null)
    throw invalidRequest("A collection in a folder can't be public: create one of the organization.", {
      kind: "collection",
      ref: collection.slug,
    });
  const wanted = skills && (await findMembers(app, actor, tenant._id, skills));
  const skillIds = wanted && (await mergeMembers(app, actor, collection, wanted));
  // A collection whose limit was lowered can still be made smaller.
  if (skillIds && skillIds.length > collection.skillIds.length) checkSize(skillIds);
  const changes = { ...fields, isPublic, skillIds };
  const before = { ...collection, requiredFor: collection.requiredFor ?? [] };
  if (hasAll(before, changes)) return { collection, context };
  const { requiredFor = before.requiredFor } = fields;
  // The editors of a folder don't decide what people have to install.
  if (requiredFor.length + before.requiredFor.length > 0 && !hasAll(before, { requiredFor, skillIds }))
    await requireTeams(app, actor, tenant, requiredFor);
  const event = makeEvent(app, actor, "collection.updated", {
    tenantId: tenant._id,
    resourceType: "collection",
    resourceId: collection._id,
    metadata: {
      slug: collection.slug,
      folderId: collection.folderId,
      changed: { ...fields, public: isPublic, skills: skillIds },
    },
  });
  const { skillCollections } = app.storage;
  const updated = await skillCollections.change(collection._id, {
    revision: collection.revision,
    set: changes,
    now: app.now(),
    events: [event],
  });
  if (!updated) throw changedConcurrently(collection);
  flushEvents(app, skillCollections, collection._id, [event]);
  return { collection: updated, context };
}

/** The skills in it stay. */
export async function deleteCollection(
  app: App,
  actor: Actor,
  params: { tenant: string; collection: string },
): Promise<void> {
  const tenant = await loadTenant(app, actor, params.tenant, "member");
  const { collection } = await loadCollection(app, actor, tenant, params.collection, "update");
  const { _id: id, slug, name, folderId } = collection;
  const event = makeEvent(app, actor, "collection.deleted", {
    tenantId: tenant._id,
    resourceType: "collection",
    resourceId: id,
    metadata: { slug, name, folderId },
  });
  const { skillCollections } = app.storage;
  if (!(await skillCollections.markRemoved(id, app.now(), [event])))
    throw notFound("collection", params.collection);
  flushEvents(app, skillCollections, id, [event]);
}

/**
 * Sets the order in which pages show the collections, which requires `organization: update`. Those that are not named
 * follow in their previous order. Throws `not_found` for one that the caller may not read.
 */
export async function orderCollections(
  app: App,
  actor: Actor,
  tenantRef: string,
  refs: readonly string[],
): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  requireOrganizationUpdate(actor, tenant);
  const all = inOrder(tenant, await app.storage.skillCollections.list(tenant._id));
  const readable = (await keepReadable(app, actor, all)).map(({ collection }) => collection);
  const named = refs.map((ref) => {
    const found = readable.find(({ slug }) => slug === ref) ?? readable.find(({ _id }) => _id === ref);
    if (!found) throw notFound("collection", ref);
    return found;
  });
  const ordered = [...new Set([...named, ...all])];
  const collectionOrder = ordered.map(({ _id }) => _id);
  if (ordered.every((one, at) => one === all[at])) return;
  const event = makeEvent(app, actor, "organization.collections_ordered", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { collections: ordered.map(({ slug }) => slug) },
  });
  const { tenants } = app.storage;
  const change = { set: { collectionOrder }, now: app.now(), events: [event] };
  if (!(await tenants.change(tenant._id, change))) throw notFound("organization", tenantRef);
  flushEvents(app, tenants, tenant._id, [event]);
}

function freeSlugOf(name: string, existing: readonly SkillCollectionDoc[]): string {
  const base = slugify(name).slice(0, limits.collectionSlug).replace(/-+$/, "");
  if (base === "")
    throw invalidRequest(`No slug can be made from the name "${name}": send one as "slug".`, {
      kind: "collection",
    });
  return freeSlug(
    base,
    existing.map(({ slug }) => slug),
  );
}

/** Reports only that the slug is taken, since the caller may not be allowed to see what has it. */
function slugTaken(org: string, slug: string): ServiceError {
  return new ServiceError(
    "already_exists",
    `The collection slug "${slug}" is taken in "${org}": choose another.`,
    { kind: "collection", ref: slug },
  );
}

function changedConcurrently({ slug }: SkillCollectionDoc): ServiceError {
  return new ServiceError(
    "conflict",
    `"${slug}" was changed concurrently: read it again, then repeat your change.`,
    { kind: "collection", ref: slug },
  );
}
