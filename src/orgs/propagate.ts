/** Copies the names, requirements and deletion of an organization to the documents that repeat them. */
import { withinTime } from "../../contract/concurrency/within-time.ts";
import { hasReviewRules } from "../../storage/memberships/memberships.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { publishEvents } from "../audit/events.ts";
import { requestSync } from "../queue/request-sync.ts";

/**
 * Copies an organization's names, requirements and deletion to its memberships and skills. The reconcile job repeats it
 * after a crash. Of concurrent calls the slowest may write outdated values, so each repeats until its values are
 * current.
 */
export async function propagateTenant(app: App, tenant: TenantDoc): Promise<void> {
  let written: TenantDoc;
  let now: TenantDoc | null = tenant;
  do {
    written = now;
    await app.storage.memberships.follow(written);
    await app.storage.tenantSkills.rename(written._id, written.slug);
    await followDeletion(app, written);
    now = await app.storage.tenants.find(written._id);
  } while (
    now &&
    (now.slug !== written.slug ||
      now.name !== written.name ||
      now.maxTokenDays !== written.maxTokenDays ||
      hasReviewRules(now) !== hasReviewRules(written) ||
      now.ssoProviderIds?.join() !== written.ssoProviderIds?.join() ||
      now.mfaRequirement?.from.getTime() !== written.mfaRequirement?.from.getTime() ||
      isDeleted(now) !== isDeleted(written))
  );
}

/** Longest time that a response waits for the propagation; that of many skills continues in the background. */
const followMs = 5000;

/**
 * Propagates a change of an organization, then publishes its events. The reconcile job completes both after a crash.
 */
export async function propagateTenantSoon(app: App, tenant: TenantDoc, events: EventRow[]): Promise<void> {
  const followed = propagateTenant(app, tenant);
  app.background("propagate an organization", async () => {
    await followed;
    await publishEvents(app, app.storage.tenants, tenant._id, events);
  });
  await withinTime(followed, followMs, () => undefined);
}

/** Hides the skills of an organization that is to be erased, or shows them again. */
async function followDeletion(app: App, tenant: TenantDoc): Promise<void> {
  const { tenantSkills } = app.storage;
  if (tenant.deletionAt) return tenantSkills.suspend(tenant._id);
  if (!(await tenantSkills.resume(tenant._id))) return;
  // Syncs that were due in the meantime were skipped, and their requests are closed.
  await requestSync(app, { tenantId: tenant._id });
  // Folders may have changed while their skills were being hidden.
  app.background("follow folders", () =>
    app.queue.enqueue("folders.update-access", { tenantId: tenant._id }, { jobId: tenant._id }),
  );
}

const isDeleted = (tenant: TenantDoc) => tenant.deletionAt !== undefined;
