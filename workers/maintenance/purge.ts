/** Removes expired documents and files. Every reader checks dates itself, so this only frees space. */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../contract/limits.ts";
import type { App } from "../../src/app.ts";
import { purgeAnonymous } from "../../src/auth/anonymous/anonymous.ts";
import { purgeDeviceCodes } from "../../src/auth/device/device.ts";
import { purgeSessions } from "../../src/auth/sessions.ts";
import { removeOrphans } from "../../src/connectors/remove.ts";
import { purgeOauth } from "../../src/oauth/grants.ts";
import { removeStrayObjects, uploadFolder } from "../../src/skills/publish/content/upload-bytes.ts";
import { discardUpload } from "../../src/skills/publish/content/uploads.ts";
import { purgeTokens } from "../../src/tokens/service.ts";
import { pruneFolders } from "../folders/reconcile-folders.ts";
import { pruneOrganizations } from "../orgs/reconcile-organizations.ts";

const dayMs = 86_400_000;
/** Age limit of mails kept as files: a day longer than an invitation is valid. */
const mailDays = 8;
/** Age limit of raw download rows; their daily counts stay. */
const downloadRowDays = 90;
/** Hosts redeliver webhook calls for up to three days. */
const deliveryDays = 7;
/** Period shown by the administrators' chart. */
const jobMinuteDays = 7;
/** Maximum age of an assertion: until then, its attempt recognizes it. */
const assertionMs = limits.ssoAttemptMs + 2 * limits.ssoClockSkewMs;
const slice = 200;

export async function purge(app: App): Promise<void> {
  const now = app.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  await purgeSessions(app);
  await purgeDeviceCodes(app);
  await purgeTokens(app);
  await purgeOauth(app);
  await purgeAnonymous(app);
  await app.storage.idempotency.removeExpired(now);
  await inSlices(() => app.storage.ssoAttempts.removeExpired(new Date(now.getTime() - assertionMs)));
  await inSlices(() => app.storage.ssoSignIns.removeBefore(daysAgo(limits.ssoLogDays)));
  await app.storage.mailBudgets.removeExpired(now);
  await purgeUploads(app);
  await pruneFolders(app);
  await pruneOrganizations(app);
  await app.mail.removeBefore(daysAgo(mailDays));
  await inSlices(() =>
    app.storage.auditEvents.removeBefore(
      daysAgo(limits.auditRetentionDays),
      daysAgo(limits.auditForwardingDays),
    ),
  );
  await inSlices(() => app.storage.scimLog.removeBefore(daysAgo(limits.scimLogDays)));
  for (const tenantId of await app.storage.scimProviders.listTenants())
    await inSlices(() => app.storage.scimLog.removeBeyond(tenantId, limits.scimLogEntries));
  await inSlices(() => app.storage.downloads.removeBefore(daysAgo(downloadRowDays)));
  await inSlices(() => app.storage.followedChanges.removeBefore(daysAgo(limits.followedChangeDays)));
  await inSlices(() => app.storage.jobMetrics.removeBefore(daysAgo(jobMinuteDays)));
  await inSlices(() => app.storage.skillReports.removeBefore(daysAgo(limits.closedReportDays)));
  await inSlices(() => app.storage.webhookDeliveries.removeBefore(daysAgo(deliveryDays)));
  await inSlices(() => app.storage.webhookMessages.removeBefore(daysAgo(limits.webhookMessageDays)));
  await inSlices(() => app.storage.syncRuns.removeBefore(daysAgo(limits.syncHistoryDays)));
  await removeOrphans(app);
  await inSlices(() => app.storage.connectorCalls.removeBefore(daysAgo(limits.connectorCallDays)));
  await inSlices(() => app.storage.syncConflicts.removeBefore(daysAgo(limits.syncHistoryDays)));
}

async function inSlices(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) > 0);
}

async function purgeUploads(app: App): Promise<void> {
  for (;;) {
    const expired = await app.storage.uploads.listExpired(app.now(), slice);
    for (const upload of expired) await discardUpload(app, upload._id);
    if (expired.length < slice) break;
  }
  await removeStrayFiles(app);
  await removeStrayObjects(app);
}

/** Removes partial uploads of killed processes: those older than any upload can be. */
async function removeStrayFiles(app: App): Promise<void> {
  const folder = uploadFolder(app);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > 2 * limits.uploadMs) await rm(file, { force: true });
  }
}
