/**
 * Storage of an organization: the packs of its skills' repositories, with all versions. Each version adds the bytes of
 * its pack to the skill's document in the write that creates it; a job sums them up soon after.
 */
import { LRUCache } from "lru-cache";
import type { StorageUsagePayload } from "../../../contract/payloads/organizations/organizations.ts";
import { bytesText } from "../../../contract/text/size-text.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { perApp } from "../../per-app.ts";
import { loadTenant } from "../service.ts";

/** Time in which the changes of an organization are counted together. */
const countDelayMs = 5000;
/** Share of the limit from which owners are warned. */
const warningShare = 0.8;

export type StorageLevel = "normal" | "warning" | "full";

/** Time for which an organization that had space is not looked at again. */
const spaceMs = 10_000;
/** Organizations that had space. One without space is looked at each time, so that it may publish again at once. */
const withSpace = perApp(() => new LRUCache<string, true>({ max: 10_000, ttl: spaceMs }));

type Limited = Pick<TenantDoc, "storageLimitBytes">;

/** The organization's own limit, or that of the service; undefined if there is none. */
const limitOf = (app: App, { storageLimitBytes }: Limited): number | undefined =>
  storageLimitBytes ?? app.config.organizationStorageBytes;

export function levelOf(app: App, tenant: Limited, bytes: number): StorageLevel {
  const limit = limitOf(app, tenant);
  if (limit === undefined || bytes < limit * warningShare) return "normal";
  return bytes < limit ? "warning" : "full";
}

/** Counts the storage of an organization in a few seconds. */
export function countStorageSoon(app: App, tenantId: string, delayMs = countDelayMs): void {
  app.background("count the storage of an organization", () =>
    app.queue.enqueue("orgs.count-storage", { tenantId }, { jobId: tenantId, delayMs }),
  );
}

export type CountedTenant = TenantDoc & Required<Pick<TenantDoc, "storage">>;

/** The use of a limited storage as a sentence. */
export function storageText(app: App, tenant: CountedTenant): string {
  const limit = limitOf(app, tenant);
  const of = limit === undefined ? "" : ` of its ${bytesText(limit)}`;
  return `"${tenant.slug}" uses ${bytesText(tenant.storage.bytes)}${of} of storage.`;
}

/** The error of a write that adds content; undefined if the organization has space. */
export function storageRefusal(app: App, tenant: TenantDoc): ServiceError | undefined {
  const bytes = tenant.storage?.bytes ?? 0;
  if (levelOf(app, tenant, bytes) !== "full") {
    withSpace(app).set(tenant._id, true);
    return undefined;
  }
  withSpace(app).delete(tenant._id);
  const limitBytes = limitOf(app, tenant)!;
  return new ServiceError(
    "quota_exceeded",
    `"${tenant.slug}" uses ${bytesText(bytes)} of its ${bytesText(limitBytes)} of storage: delete skills, or ask an ` +
      "administrator of the service for a higher limit.",
    { kind: "organization", ref: tenant.slug, bytes, limitBytes },
  );
}

/**
 * `storageRefusal` for a caller without the organization's document. It never rejects, so that it can be awaited later:
 * without the database, the write that depends on it fails too.
 */
export async function findStorageRefusal(app: App, tenantId: string): Promise<ServiceError | undefined> {
  if (withSpace(app).has(tenantId)) return undefined;
  const tenant = await app.storage.tenants.find(tenantId).catch(() => null);
  return tenant ? storageRefusal(app, tenant) : undefined;
}

export function presentStorage(app: App, tenant: TenantDoc): StorageUsagePayload {
  return {
    bytes: tenant.storage?.bytes ?? null,
    countedAt: tenant.storage?.countedAt.toISOString() ?? null,
    limitBytes: limitOf(app, tenant) ?? null,
    hasOwnLimit: tenant.storageLimitBytes !== undefined,
  };
}

export const readStorage = async (app: App, actor: Actor, ref: string): Promise<StorageUsagePayload> =>
  presentStorage(app, await loadTenant(app, actor, ref, "member"));
