/** The collection in the index of an organization, and the skills that the index has and leaves out. */
import { limits } from "../../../contract/limits.ts";
import type {
  SkillIndexPayload,
  SkillIndexSettingsPayload,
} from "../../../contract/payloads/discovery/indexes.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { invalidRequest, ServiceError } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { loadCollection } from "../../skills/collections/load.ts";
import { listPublicSkills } from "../public-skills.ts";
import { entriesOf } from "./entries.ts";

/** Throws `not_found` for an organization without a public skill. */
export async function readPublicIndex(app: App, actor: Actor, org: string): Promise<SkillIndexPayload> {
  const index = await readIndex(app, actor, org);
  if (!index)
    throw new ServiceError("not_found", "Organization not found, or it has no public skills.", {
      kind: "organization",
    });
  return index;
}

async function readIndex(app: App, actor: Actor, org: string): Promise<SkillIndexPayload | undefined> {
  const found = await listPublicSkills(app, actor.origin, org, { limit: limits.indexedSkills });
  if (!found) return undefined;
  const { entries, omitted } = await entriesOf(app, found.skills);
  const url = `${app.config.baseUrl}/${found.tenant.slug}`;
  return { url, skills: entries.length, hasMore: found.hasMore, omitted };
}

export async function readIndexSettings(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<SkillIndexSettingsPayload> {
  return present(app, actor, await loadTenant(app, actor, tenantRef, "member"));
}

/** Chooses a collection of the organization, which all members can read, or none. Requires `organization:update`. */
export async function chooseIndexCollection(
  app: App,
  actor: Actor,
  tenantRef: string,
  ref: string | null,
): Promise<SkillIndexSettingsPayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "organization:update");
  const chosen = ref === null ? null : (await loadCollection(app, actor, tenant, ref, "read")).collection;
  if (chosen && chosen.folderId !== null)
    throw invalidRequest(`"${chosen.slug}" is in a folder: choose a collection that is in no folder.`, {
      kind: "collection",
      ref: chosen.slug,
    });
  const indexCollectionId = chosen?._id ?? null;
  if ((tenant.indexCollectionId ?? null) === indexCollectionId) return present(app, actor, tenant);
  const event = makeEvent(app, actor, "organization.updated", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { indexCollection: chosen?.slug ?? null },
  });
  const { tenants } = app.storage;
  const updated = await tenants.change(tenant._id, {
    patch: { indexCollectionId },
    now: app.now(),
    events: [event],
  });
  if (updated) flushEvents(app, tenants, tenant._id, [event]);
  return readIndexSettings(app, actor, tenant._id);
}

async function present(app: App, actor: Actor, tenant: TenantDoc): Promise<SkillIndexSettingsPayload> {
  const { _id, slug, indexCollectionId } = tenant;
  const [collection, index] = await Promise.all([
    indexCollectionId === undefined ? null : app.storage.skillCollections.find(_id, indexCollectionId),
    readIndex(app, actor, slug),
  ]);
  return { collection: collection?.slug ?? null, index: index ?? null };
}
