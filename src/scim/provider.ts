/** SCIM of an organization, for its owners: its state, enable, rotate the token, disable. */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { ScimStatePayload, ScimTokenPayload } from "../../contract/payloads/accounts/scim.ts";
import { isDuplicate } from "../../storage/database.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import type { ScimProviderDoc } from "../../storage/scim/providers.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";
import { hashSecret } from "../secrets.ts";
import { requireUser } from "../users/load.ts";
import { requireRecentVerification } from "../users/recent-verification.ts";
import { tokenPrefix } from "./authenticate.ts";

const mappedShown = 1000;

export async function readState(app: App, actor: Actor, tenantRef: string): Promise<ScimStatePayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "scim:manage");
  const { scimProviders, scimUsers, scimGroups } = app.storage;
  const [provider, active, inactive, invited, groups, mapped] = await Promise.all([
    scimProviders.findOfTenant(tenant._id),
    scimUsers.countInState(tenant._id, "active"),
    scimUsers.countInState(tenant._id, "inactive"),
    scimUsers.countInState(tenant._id, "invited"),
    scimGroups.count(tenant._id),
    scimGroups.listMapped(tenant._id, mappedShown),
  ]);
  const teams = await app.storage.teams.listByIds(mapped.map(({ _id }) => _id));
  const timeOf = (time: Date | undefined) => time?.toISOString() ?? null;
  return {
    enabled: provider?.enabled !== undefined,
    baseUrl: provider ? baseUrlOf(app, provider) : null,
    enabledAt: timeOf(provider?.enabled?.at),
    enabledBy: provider?.enabled?.by.username ?? null,
    tokenCreatedAt: timeOf(provider?.tokenMadeAt),
    formerTokenUntil: timeOf(formerUntil(app, provider)),
    lastUsedAt: timeOf(provider?.lastUsedAt),
    users: { active, inactive, invited },
    groups,
    teams: teams.map(({ _id, name }) => ({ id: _id, name })),
  };
}

const baseUrlOf = (app: App, { _id }: ScimProviderDoc) => `${app.config.baseUrl}/scim/v2/${_id}`;

function formerUntil(app: App, provider: ScimProviderDoc | null): Date | undefined {
  const until = provider?.former?.validUntil;
  return until && until > app.now() ? until : undefined;
}

function newToken(app: App) {
  const token = `${tokenPrefix}${randomBytes(32).toString("hex")}`;
  return { token, fields: { tokenHash: hashSecret(token), tokenMadeAt: app.now() } };
}

/** The organization and its owner. Throws unless the owner has verified who they are a short time ago. */
export async function loadOwned(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<{ tenant: TenantDoc; user: UserActor }> {
  const tenant = await loadTenant(app, actor, tenantRef, "scim:manage");
  const user = requireUser(actor);
  requireRecentVerification(app, user, "change SCIM", tenant._id);
  return { tenant, user };
}

export function providerEvent(
  app: App,
  actor: Actor,
  name: "scim.provider_created" | "scim.provider_updated" | "scim.provider_deleted",
  tenantId: string,
  providerId: string,
  metadata: Record<string, unknown> = {},
): EventRow {
  return makeEvent(app, actor, name, {
    tenantId,
    resourceType: "provider",
    resourceId: providerId,
    metadata,
  });
}

/** Enables SCIM; the token is in this response only. Throws `conflict` if it is enabled. */
export async function enableScim(app: App, actor: Actor, tenantRef: string): Promise<ScimTokenPayload> {
  const { tenant, user } = await loadOwned(app, actor, tenantRef);
  const { scimProviders } = app.storage;
  const known = await scimProviders.findOfTenant(tenant._id);
  const { token, fields } = newToken(app);
  const enabled = { at: app.now(), by: { userId: user.userId, username: user.username } };
  const id = known?._id ?? app.newId();
  const event = providerEvent(app, actor, "scim.provider_created", tenant._id, id);
  const provider: ScimProviderDoc | null = known
    ? await scimProviders.change(id, {
        revision: known.revision,
        when: { enabled: { $exists: false } },
        set: { ...fields, enabled },
        events: [event],
      })
    : await insertProvider(app, {
        _id: id,
        tenantId: tenant._id,
        enabled,
        ...fields,
        revision: 0,
        createdAt: app.now(),
        ...outboxFields([event]),
      });
  if (!provider)
    throw new ServiceError("conflict", "SCIM is enabled already: rotate its token to get another one.");
  flushEvents(app, scimProviders, id, [event]);
  return { baseUrl: baseUrlOf(app, provider), token, formerTokenUntil: null };
}

async function insertProvider(app: App, provider: ScimProviderDoc): Promise<ScimProviderDoc | null> {
  try {
    await app.storage.scimProviders.insert(provider);
    return provider;
  } catch (error) {
    if (isDuplicate(error, "scim_provider_tenant")) return null;
    throw error;
  }
}

/** Replaces the token; the current one stays valid for a day. Throws `conflict` after a concurrent change. */
export async function rotateToken(app: App, actor: Actor, tenantRef: string): Promise<ScimTokenPayload> {
  const { tenant } = await loadOwned(app, actor, tenantRef);
  const provider = await loadProvider(app, tenant);
  const { token, fields } = newToken(app);
  const validUntil = new Date(app.now().getTime() + limits.scimTokenOverlapMs);
  const former = { tokenHash: provider.tokenHash!, validUntil };
  const event = providerEvent(app, actor, "scim.provider_updated", tenant._id, provider._id, {
    change: "token rotated",
    formerTokenUntil: validUntil,
  });
  const { scimProviders } = app.storage;
  const rotated = await scimProviders.change(provider._id, {
    revision: provider.revision,
    when: { enabled: { $exists: true } },
    set: { ...fields, former },
    events: [event],
  });
  if (!rotated) throw new ServiceError("conflict", "SCIM was changed concurrently: try again.");
  flushEvents(app, scimProviders, provider._id, [event]);
  return { baseUrl: baseUrlOf(app, provider), token, formerTokenUntil: validUntil.toISOString() };
}

/** Disables SCIM: its tokens end with this write. Members, teams and records stay. */
export async function disableScim(app: App, actor: Actor, tenantRef: string): Promise<void> {
  const { tenant } = await loadOwned(app, actor, tenantRef);
  const provider = await loadProvider(app, tenant);
  const event = providerEvent(app, actor, "scim.provider_deleted", tenant._id, provider._id);
  const disabled = await app.storage.scimProviders.change(provider._id, {
    when: { enabled: { $exists: true } },
    unset: ["enabled", "tokenHash", "tokenMadeAt", "former"],
    inc: { revision: 1 },
    events: [event],
  });
  if (!disabled) throw notEnabled(tenant);
  flushEvents(app, app.storage.scimProviders, provider._id, [event]);
}

/** Throws `not_found` if SCIM is not enabled. */
export async function loadProvider(app: App, tenant: TenantDoc): Promise<ScimProviderDoc> {
  const provider = await app.storage.scimProviders.findOfTenant(tenant._id);
  if (!provider?.enabled) throw notEnabled(tenant);
  return provider;
}

function notEnabled({ slug }: TenantDoc): ServiceError {
  return new ServiceError("not_found", `SCIM is not enabled in "${slug}": enable it first.`, {
    kind: "provider",
    ref: slug,
  });
}
