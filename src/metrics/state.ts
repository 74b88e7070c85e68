/** State that the page of metrics shows: read when it is requested, and at most once in a few seconds. */
import { withinTime } from "../../contract/concurrency/within-time.ts";
import type { App } from "../app.ts";
import { nextExpiries } from "../jobs/expiries.ts";
import { checkDisks } from "../jobs/health.ts";
import { queueNames } from "../queue/index.ts";
import type { Release } from "../release.ts";
import type { GaugeName } from "./definitions.ts";

export interface Reading {
  gauge: GaugeName;
  labels?: Record<string, string>;
  value: number;
}

/** Several servers may scrape one process. */
const keptMs = 5000;
const readMs = 4000;

/** Returns a function that reads the state. A part that can't be read is absent. */
export function stateReader(app: App, release: Release, role: string): () => Promise<Reading[]> {
  const { version, commit = "" } = release;
  const build: Reading = { gauge: "build", labels: { version, commit, role }, value: 1 };
  const parts = [queueCounts, oldestJobs, syncs, disks, expiries, backup, forwarding, nearLimits];
  let kept: { at: number; readings: Promise<Reading[]> } | undefined;
  const read = async () => {
    const found = parts.map((part) => withinTime(part(app), readMs, () => []).catch(() => []));
    return [build, ...(await Promise.all(found)).flat()];
  };
  return () => {
    const now = performance.now();
    if (kept === undefined || now - kept.at > keptMs) kept = { at: now, readings: read() };
    return kept.readings;
  };
}

async function queueCounts({ queue }: App): Promise<Reading[]> {
  const counts = await queue.counts();
  return queueNames.flatMap((name) =>
    Object.entries(counts[name]).map(([state, value]): Reading => ({
      gauge: "jobs",
      labels: { queue: name, state },
      value: Number(value),
    })),
  );
}

async function oldestJobs({ queue, now }: App): Promise<Reading[]> {
  const found = await Promise.all(queueNames.map((name) => queue.inspector.waitingSince(name)));
  return queueNames.map((name, index) => ({
    gauge: "oldest",
    labels: { queue: name },
    value: ageOf(found[index], now()),
  }));
}

async function syncs({ storage, now }: App): Promise<Reading[]> {
  const { connections, problems, oldest } = await storage.operationState.readSyncs();
  const at = now();
  const since = new Map(oldest.map((one) => [one.status, one.since]));
  return [
    ...connections.map(({ status, count }): Reading => ({
      gauge: "connections",
      labels: { status },
      value: count,
    })),
    ...problems.map(({ code, count }): Reading => ({ gauge: "problems", labels: { code }, value: count })),
    ...(["active", "failing", "blocked"] as const).map((status): Reading => ({
      gauge: "lag",
      labels: { status },
      value: ageOf(since.get(status), at),
    })),
  ];
}

async function disks(app: App): Promise<Reading[]> {
  return (await checkDisks(app)).flatMap(({ name: disk, freeBytes, totalBytes }) =>
    freeBytes === null || totalBytes === null
      ? []
      : [
          { gauge: "diskFree" as const, labels: { disk }, value: freeBytes },
          { gauge: "diskSize" as const, labels: { disk }, value: totalBytes },
        ],
  );
}

async function expiries(app: App): Promise<Reading[]> {
  const { certificate, metadata, encryptionKey, served } = await nextExpiries(app);
  const kinds = {
    base_url_certificate: served,
    identity_provider_certificate: certificate,
    identity_provider_metadata: metadata,
    encryption_key: encryptionKey,
  };
  return Object.entries(kinds).flatMap(([kind, at]) =>
    at ? [{ gauge: "expiry" as const, labels: { kind }, value: at.getTime() / 1000 }] : [],
  );
}

async function backup({ storage }: App): Promise<Reading[]> {
  const found = (await storage.serviceSettings.find())?.backup;
  if (!found) return [];
  const { succeededAt, problem } = found;
  return [
    { gauge: "backupFailed", value: problem === undefined ? 0 : 1 },
    ...(succeededAt ? [{ gauge: "backup" as const, value: succeededAt.getTime() / 1000 }] : []),
  ];
}

async function forwarding({ storage, now }: App): Promise<Reading[]> {
  const at = now();
  const { since } = await storage.auditForwardings.readFailing(at);
  return [{ gauge: "forwarding", value: ageOf(since, at) }];
}

async function nearLimits({ storage: { tenants } }: App): Promise<Reading[]> {
  const { warned, full } = await tenants.countNearLimit();
  return [
    { gauge: "nearLimit", labels: { level: "warning" }, value: warned },
    { gauge: "nearLimit", labels: { level: "full" }, value: full },
  ];
}

const ageOf = (since: Date | undefined, now: Date) =>
  since ? Math.max(0, (now.getTime() - since.getTime()) / 1000) : 0;
