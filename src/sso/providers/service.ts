/** Identity providers of an organization: create, read, update, delete. Only owners manage them. */
import { limits } from "../../../contract/limits.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { hasAll } from "../../audit/unchanged.ts";
import { ServiceError } from "../../errors.ts";
import { insertRecord, newRecord, requireFreeSlot, updateRecord } from "../../orgs/named-records.ts";
import { permissionsOfRoles, requirePermissions } from "../../orgs/permission-checks.ts";
import { loadTenant } from "../../orgs/service.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { foldName } from "../../users/schema.ts";
import type { CreateSsoProvider, UpdateSsoProvider } from "../schema.ts";
import { oidcConnection, samlConnection } from "./connection.ts";
import { mailSsoChange, setEnforcement } from "./enforce.ts";
import { isEnforced, loadProvider, requireConnection, unknownProvider, type LoadedProvider } from "./load.ts";

const act = "change single sign-on";

/** All providers, oldest first: there are at most `limits.ssoProviders`. */
export async function listProviders(app: App, actor: Actor, tenantRef: string): Promise<LoadedProvider[]> {
  const tenant = await loadTenant(app, actor, tenantRef, "sso:manage");
  const providers = await app.storage.ssoProviders.list(tenant._id);
  return providers.map((provider) => ({ tenant, provider }));
}

/**
 * Adds a provider. It may come without a connection, since the identity provider needs the addresses of this service,
 * which have its id, before it offers its own. Throws `already_exists`, `limit_reached`, `refused`,
 * `reauthentication_required`, `forbidden` or `not_found`.
 */
export async function createProvider(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateSsoProvider,
): Promise<LoadedProvider> {
  const tenant = await loadTenant(app, actor, tenantRef, "sso:manage");
  requireRecentVerification(app, requireUser(actor), act, tenant._id);
  const { ssoProviders } = app.storage;
  requireFreeSlot("provider", await ssoProviders.count(tenant._id), limits.ssoProviders);
  await requireGivableRole(app, actor, tenant._id, input.jit.role);
  const id = app.newId();
  const { name, type, enabled, jit, groupsAttribute, absentGroups } = input;
  const connection = {
    saml: input.saml ? await samlConnection(app, input.saml) : undefined,
    oidc: input.oidc ? await oidcConnection(app, id, input.oidc) : undefined,
  };
  const event = makeEvent(app, actor, "sso.provider_created", {
    tenantId: tenant._id,
    resourceType: "provider",
    resourceId: id,
    metadata: { name, type, enabled, jit, groupsAttribute, absentGroups, ...described(connection) },
  });
  const record: SsoProviderDoc = {
    ...newRecord(app, actor, name, event),
    type,
    enabled,
    jit,
    groupsAttribute,
    absentGroups,
    ...connection,
    groupMappings: [],
    epoch: 0,
  };
  return { tenant, provider: await insertRecord(app, "provider", ssoProviders, record) };
}

/**
 * Changes a provider. A change of its connection makes sign-ins in progress fail, and a provider can be enforced only
 * after a success with its current connection. Throws what `createProvider` throws, and `conflict`.
 */
export async function updateProvider(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  input: UpdateSsoProvider,
): Promise<LoadedProvider> {
  const loaded = await loadProvider(app, actor, tenantRef, id);
  requireRecentVerification(app, requireUser(actor), act, loaded.tenant._id);
  const { enforced, ...changed } = input;
  if (input.jit) await requireGivableRole(app, actor, loaded.tenant._id, input.jit.role);
  // The enforcement ends before its provider is disabled, and begins after it is enabled.
  const endsEnforcement = enforced === false || changed.enabled === false;
  const tenant = endsEnforcement ? await setEnforcement(app, actor, loaded, false) : loaded.tenant;
  const provider =
    Object.keys(changed).length > 0
      ? await changeFields(app, actor, { ...loaded, tenant }, changed)
      : loaded.provider;
  if (enforced !== true) return { tenant, provider };
  if (changed.enabled === false) throw refused("A disabled provider can't be enforced.");
  return { tenant: await setEnforcement(app, actor, { tenant, provider }, true), provider };
}

async function changeFields(
  app: App,
  actor: Actor,
  { tenant, provider }: LoadedProvider,
  { name, saml, oidc, ...rest }: Omit<UpdateSsoProvider, "enforced">,
): Promise<SsoProviderDoc> {
  if (provider.type === "saml" ? oidc : saml)
    throw refused("The type of a provider can't be changed: create another.");
  const connection = {
    saml: saml ? await samlConnection(app, saml) : undefined,
    oidc: oidc ? await changedOidc(app, provider, oidc) : undefined,
  };
  const isReconnected = !hasAll(provider, connection);
  if (rest.enabled === true && !isReconnected) requireConnection(provider);
  const event = makeEvent(app, actor, "sso.provider_updated", {
    tenantId: provider.tenantId,
    resourceType: "provider",
    resourceId: provider._id,
    metadata: {
      name: provider.name,
      changed: { ...rest, name, ...described(connection) },
    },
  });
  const fields = {
    ...rest,
    ...connection,
    ...(name === undefined ? {} : { name, nameKey: foldName(name) }),
    ...(isReconnected ? { epoch: provider.epoch + 1, testedAt: null } : {}),
  };
  if (isReconnected && isEnforced(tenant, provider._id))
    await mailSsoChange(app, actor, { tenant, provider }, event._id, "connection");
  return updateRecord(app, "provider", app.storage.ssoProviders, provider, fields, event);
}

/** The stored secret belongs to its issuer: with another one, it would be sent to a stranger. */
function changedOidc(
  app: App,
  { _id, oidc }: SsoProviderDoc,
  input: NonNullable<UpdateSsoProvider["oidc"]>,
): ReturnType<typeof oidcConnection> {
  const { issuer = oidc?.issuer, clientId = oidc?.clientId, clientSecret } = input;
  if (issuer === undefined || clientId === undefined || (!oidc && clientSecret === undefined))
    throw refused("A new connection needs issuer, clientId and clientSecret: send all three.");
  const isSameIssuer = issuer === oidc?.issuer;
  return oidcConnection(app, _id, {
    issuer,
    clientId,
    clientSecret,
    sealedSecret: oidc && isSameIssuer ? oidc.sealedSecret : undefined,
  });
}

/** Deletes a provider with the identities that people have at it. Their accounts and memberships stay. */
export async function deleteProvider(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const loaded = await loadProvider(app, actor, tenantRef, id);
  requireRecentVerification(app, requireUser(actor), act, loaded.tenant._id);
  if (isEnforced(loaded.tenant, id)) await setEnforcement(app, actor, loaded, false);
  const event = makeEvent(app, actor, "sso.provider_deleted", {
    tenantId: loaded.tenant._id,
    resourceType: "provider",
    resourceId: id,
    metadata: { name: loaded.provider.name, type: loaded.provider.type },
  });
  const { ssoProviders, ssoIdentities } = app.storage;
  if (!(await ssoProviders.markRemoved(id, app.now(), [event]))) throw unknownProvider(id);
  flushEvents(app, ssoProviders, id, [event]);
  await ssoIdentities.removeOfProvider(id);
}

/** New members get this role without anyone's further consent. Throws `forbidden` or `not_found`. */
async function requireGivableRole(app: App, actor: Actor, tenantId: string, role: string): Promise<void> {
  requirePermissions(actor, tenantId, await permissionsOfRoles(app, tenantId, [role]), "give this role");
}

/** A connection for the log, without its secret. */
function described({ saml, oidc }: Pick<SsoProviderDoc, "saml" | "oidc">): Record<string, unknown> {
  if (saml) {
    const { entityId, ssoUrl, metadataUrl, certificates } = saml;
    const fingerprints = certificates.map(({ fingerprint }) => fingerprint);
    return { saml: { entityId, ssoUrl, metadataUrl: metadataUrl || undefined, fingerprints } };
  }
  return oidc ? { oidc: { issuer: oidc.issuer, clientId: oidc.clientId } } : {};
}

const refused = (message: string) => new ServiceError("refused", message, { kind: "provider" });
