/** Removes what has lapsed. Every reader checks dates itself, so this frees room and decides nothing. */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../contract/limits.ts";
import type { App } from "../../src/app.ts";
import { purgeAnonymous } from "../../src/auth/anonymous.ts";
import { purgeDeviceCodes } from "../../src/auth/device.ts";
import { purgeSessions } from "../../src/auth/sessions.ts";
import { pruneFolders } from "../folders/tend.ts";
import { pruneOrganizations } from "../orgs/tend.ts";
import { discardUpload, uploadFolder } from "../../src/skills/uploads.ts";
import { purgeTokens } from "../../src/tokens/service.ts";

const dayMs = 86_400_000;
/** Mails kept as files, a day beyond the longest life of a link in them. */
const mailDays = 8;
/** Raw download rows; their daily counts stay. */
const downloadRowDays = 90;
/** The host offers a delivery again for three days. */
const deliveryDays = 7;
/** The administrators' plot goes back so far. */
const jobMinuteDays = 7;
const slice = 200;

export async function purge(app: App): Promise<void> {
  const now = app.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  await purgeSessions(app);
  await purgeDeviceCodes(app);
  await purgeTokens(app);
  await purgeAnonymous(app);
  await app.storage.idempotency.removeExpired(now);
  await purgeUploads(app);
  await pruneFolders(app);
  await pruneOrganizations(app);
  await app.mail.removeBefore(daysAgo(mailDays));
  await inSlices(() => app.storage.auditEvents.removeBefore(daysAgo(limits.auditRetentionDays)));
  await inSlices(() => app.storage.downloads.removeBefore(daysAgo(downloadRowDays)));
  await inSlices(() => app.storage.jobMetrics.removeBefore(daysAgo(jobMinuteDays)));
  await inSlices(() => app.storage.webhookDeliveries.removeBefore(daysAgo(deliveryDays)));
  await inSlices(() => app.storage.syncRuns.removeBefore(daysAgo(limits.syncHistoryDays)));
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
}

/** Parts of uploads whose process was killed: older than any upload can be. */
async function removeStrayFiles(app: App): Promise<void> {
  const folder = uploadFolder(app);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > 2 * limits.uploadMs) await rm(file, { force: true });
  }
}
