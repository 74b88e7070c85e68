/** Keys of this service by which a provider encrypts assertions: added, replaced and removed by owners. */
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { updateRecord } from "../../orgs/named-records.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { createEncryptionKey, encryptionKeys } from "../saml/encryption-keys.ts";
import { loadProvider, type LoadedProvider } from "./load.ts";

/**
 * Adds a key, which the metadata has from now on. The one before it still decrypts. Throws `refused`, `limit_reached`,
 * `conflict`, `reauthentication_required`, `forbidden` or `not_found`.
 */
export async function addEncryptionKey(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<LoadedProvider> {
  const loaded = await loadChangeable(app, actor, tenantRef, id);
  const { provider } = loaded;
  if (provider.type !== "saml")
    throw new ServiceError("refused", "Only SAML providers encrypt assertions.", { kind: "provider" });
  const { current, previous } = provider.encryption ?? {};
  if (previous)
    throw new ServiceError(
      "limit_reached",
      "A provider has at most two keys for encryption: remove the previous one first.",
      { limit: 2 },
    );
  const added = await createEncryptionKey(app, id);
  return store(app, actor, loaded, current ? { current: added, previous: current } : { current: added });
}

/**
 * Removes a key; if it is the current one, the previous one takes its part. Throws what `addEncryptionKey` throws.
 */
export async function removeEncryptionKey(
  app: App,
  actor: Actor,
  tenantRef: string,
  { id, fingerprint }: { id: string; fingerprint: string },
): Promise<LoadedProvider> {
  const loaded = await loadChangeable(app, actor, tenantRef, id);
  const keys = encryptionKeys(loaded.provider);
  if (!keys.some((key) => key.fingerprint === fingerprint))
    throw new ServiceError("not_found", "The provider has no such key for encryption.", {
      kind: "provider",
      ref: fingerprint,
    });
  const current = keys.find((key) => key.fingerprint !== fingerprint);
  return store(app, actor, loaded, current ? { current } : null);
}

async function loadChangeable(app: App, actor: Actor, tenantRef: string, id: string) {
  const loaded = await loadProvider(app, actor, tenantRef, id);
  requireRecentVerification(app, requireUser(actor), "change single sign-on", loaded.tenant._id);
  return loaded;
}

/** Sign-ins in progress go on, since their keys stay or were removed on purpose. */
async function store(
  app: App,
  actor: Actor,
  { tenant, provider }: LoadedProvider,
  encryption: NonNullable<SsoProviderDoc["encryption"]> | null,
): Promise<LoadedProvider> {
  const fingerprints = encryptionKeys({ ...provider, encryption }).map(({ fingerprint }) => fingerprint);
  const event = makeEvent(app, actor, "sso.provider_updated", {
    tenantId: provider.tenantId,
    resourceType: "provider",
    resourceId: provider._id,
    metadata: {
      name: provider.name,
      changed: { encryptionKeys: fingerprints },
    },
  });
  const { ssoProviders } = app.storage;
  return {
    tenant,
    provider: await updateRecord(app, "provider", ssoProviders, provider, { encryption }, event),
  };
}
