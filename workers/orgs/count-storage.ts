/** Counts the storage of an organization, and warns its owners by mail when it is nearly or completely used. */
import type { App } from "../../src/app.ts";
import { mailOwners } from "../../src/orgs/owner-mails.ts";
import {
  levelOf,
  storageRefusal,
  storageText,
  type CountedTenant,
  type StorageLevel,
} from "../../src/orgs/storage/usage.ts";
import { requestSync } from "../../src/queue/request-sync.ts";

const levels: readonly StorageLevel[] = ["normal", "warning", "full"];

/** A crash between a mail and its record sends the mail twice. */
export async function countStorage(app: App, tenantId: string): Promise<void> {
  const tenant = await app.storage.tenants.find(tenantId);
  if (!tenant) return;
  const bytes = await app.storage.tenantSkills.sumStoredBytes(tenantId);
  const level = levelOf(app, tenant, bytes);
  const before = tenant.storage?.level ?? "normal";
  const storage = { bytes, countedAt: app.now(), level };
  const mailedLevel = tenant.storage?.mailed ?? "normal";
  if (level !== "normal" && levels.indexOf(level) > levels.indexOf(mailedLevel)) {
    await warnOwners(app, { ...tenant, storage }, level);
    await app.storage.tenants.noteStorage(tenantId, { ...storage, mailed: level });
  } else {
    // Owners are warned again once it was below the warning.
    const mailed = level === "normal" ? undefined : tenant.storage?.mailed;
    await app.storage.tenants.noteStorage(tenantId, { ...storage, mailed });
  }
  // This process knows at once; another one within seconds.
  storageRefusal(app, { ...tenant, storage });
  // A sync now imports the content that it had no space for.
  if (before === "full" && level !== "full") await requestSync(app, { tenantId });
}

async function warnOwners(app: App, tenant: CountedTenant, level: StorageLevel): Promise<void> {
  const effect =
    level === "full"
      ? "New skills and versions are refused until there is space again."
      : "At the limit, new skills and versions are refused.";
  await mailOwners(app, tenant._id, "storage-limit", {
    id: app.newId(),
    organization: { slug: tenant.slug, text: `${storageText(app, tenant)} ${effect}` },
  });
}
