/** Conditions of the service that need an administrator. */
import os from "node:os";
import { countText } from "../../../contract/text/count-text.ts";
import type { OperatorConditionDoc } from "../../../storage/maintenance/operator-conditions.ts";
import type { App } from "../../app.ts";
import { nextExpiries } from "../../jobs/expiries.ts";
import { checkDisks } from "../../jobs/health.ts";

export interface Condition {
  key: string;
  /** A sentence, without names of organizations or people. */
  text: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A request for a sync, or an entry for a receiver, that is older is behind. */
const maxLagMs = hourMs;
/** Time without a failure after which a job counts as working again. */
const failureMs = hourMs;
const expiryMs = 14 * dayMs;
/** Free share of a disk below which it is full soon, before the service itself is in danger. */
const leastFreeShare = 0.1;

const host = os.hostname();

/** Whether a condition is one of another machine, which has reported it within a day: this one can't see its end. */
export function isElsewhere({ _id, updatedAt }: OperatorConditionDoc, now: Date): boolean {
  const isOther = _id.startsWith("disk ") && !_id.endsWith(` ${host}`);
  return isOther && now.getTime() - updatedAt.getTime() < dayMs;
}

/** Throws if a part of the state can't be read: nothing is then known to have ended. */
export async function findConditions(app: App): Promise<Condition[]> {
  const found = await Promise.all([
    failedJobs(app),
    fullDisks(app),
    lateSyncs(app),
    expiries(app),
    failedBackup(app),
    fullOrganizations(app),
    failingReceivers(app),
  ]);
  return found.flat();
}

async function failedJobs({ storage, now }: App): Promise<Condition[]> {
  const names = await storage.jobMetrics.listFailed(new Date(now().getTime() - failureMs));
  return names.map((name) => ({
    key: `job-failed ${name}`,
    text: `The job "${name}" has failed permanently within the last hour.`,
  }));
}

async function fullDisks(app: App): Promise<Condition[]> {
  return (await checkDisks(app)).flatMap(({ name, freeBytes, totalBytes }) => {
    if (freeBytes === null || totalBytes === null || freeBytes >= totalBytes * leastFreeShare) return [];
    const percent = Math.floor((100 * freeBytes) / totalBytes);
    return [{ key: `disk ${name} ${host}`, text: `The disk of "${name}" at ${host} has ${percent} % left.` }];
  });
}

async function lateSyncs({ storage, now }: App): Promise<Condition[]> {
  const { oldest } = await storage.operationState.readSyncs();
  const since = oldest.find(({ status }) => status === "active")?.since;
  if (!since || now().getTime() - since.getTime() <= maxLagMs) return [];
  return [{ key: "sync-lag", text: `A sync has waited since ${since.toISOString()}.` }];
}

const expiring = {
  certificate: "A certificate of an identity provider",
  metadata: "The metadata of an identity provider",
  encryptionKey: "A key for encrypted sign-ins through an identity provider",
  served: "The certificate of BASE_URL",
} as const;

async function expiries(app: App): Promise<Condition[]> {
  const { now } = app;
  const next = await nextExpiries(app);
  return (Object.keys(expiring) as (keyof typeof expiring)[]).flatMap((kind) => {
    const at = next[kind];
    if (!at || at.getTime() - now().getTime() > expiryMs) return [];
    const verb = at <= now() ? "expired" : "expires";
    return [{ key: `expiry ${kind}`, text: `${expiring[kind]} ${verb} at ${at.toISOString()}.` }];
  });
}

async function failedBackup({ storage }: App): Promise<Condition[]> {
  const backup = (await storage.serviceSettings.find())?.backup;
  if (backup?.problem === undefined) return [];
  return [
    { key: "backup", text: `The backup of ${backup.endedAt.toISOString()} has failed: ${backup.problem}` },
  ];
}

async function fullOrganizations({ storage }: App): Promise<Condition[]> {
  const { warned, full } = await storage.tenants.countNearLimit();
  if (warned + full === 0) return [];
  const text = `${countText(warned + full, "organization uses", "organizations use")} 80 % or more of the storage`;
  return [{ key: "organization-storage", text: `${text}; ${full} of them can't publish any more.` }];
}

async function failingReceivers({ storage, now }: App): Promise<Condition[]> {
  const { count } = await storage.auditForwardings.readFailing(new Date(now().getTime() - maxLagMs));
  if (count === 0) return [];
  const text = `${countText(count, "receiver of an audit log has", "receivers of audit logs have")} failed for an hour.`;
  return [{ key: "audit-forwarding", text }];
}
