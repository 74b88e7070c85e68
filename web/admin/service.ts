/** System health and admin activity. */
import type { AuditLogPayload } from "../../contract/payloads/audit.ts";
import type { HealthPayload } from "../../contract/payloads/jobs.ts";
import { h } from "./dom.ts";
import { ago, bytes, duration, payloadText } from "./words.ts";

export function healthList(health: HealthPayload): Element {
  const { database, queue, git, disks, versions, process } = health;
  const disk = ({ freeBytes, totalBytes }: HealthPayload["disks"][number]) =>
    freeBytes === null ? "can't be read" : `${bytes(freeBytes)} free of ${bytes(totalBytes)}`;
  const answered = (ms: number | null) => (ms === null ? "" : `, in ${duration(ms)}`);
  const rows: [name: string, ok: boolean, detail: string][] = [
    ["Database", database.ok, database.detail + answered(database.ms)],
    ["Queue", queue.ok, queue.detail + answered(queue.ms)],
    ["Git", git.ok, git.detail],
    ...disks.map((one): [string, boolean, string] => [
      one.name === "data" ? "Disk of the data" : "Disk of the repositories",
      one.ok,
      disk(one),
    ]),
  ];
  return h(
    "dl",
    { class: "health" },
    ...rows.flatMap(([name, ok, detail]) => [
      h("dt", {}, name),
      h("dd", {}, h("strong", { class: ok ? "good" : "bad" }, ok ? "OK" : "Problem"), ` ${detail}`),
    ]),
    h("dt", {}, "This process"),
    h(
      "dd",
      {},
      `version ${versions.service}, Node ${versions.node}, ${bytes(process.memoryBytes)} of memory, up since ${ago(
        new Date(Date.now() - process.uptimeSeconds * 1000).toISOString(),
      )}`,
    ),
  );
}

const did: Record<string, string> = {
  "queue.paused": "paused",
  "queue.resumed": "resumed",
  "queue.failed_retried": "retried every failed job of",
  "job.retried": "retried",
  "job.promoted": "ran at once",
  "job.removed": "removed",
};

export function actList({ entries, total }: AuditLogPayload): Element[] {
  if (entries.length === 0) return [h("p", { class: "soft" }, "Nothing yet.")];
  const list = h(
    "ul",
    { class: "log" },
    ...entries.map(({ id, action, actor, resourceType, resourceId, metadata, createdAt }) => {
      const { queue, job, payload } = metadata as { queue?: string; job?: string; payload?: object };
      const what = resourceType === "queue" ? `the queue ${resourceId}` : `job #${resourceId} of ${queue}`;
      const more = job === undefined ? "" : ` (${job}: ${payloadText({ ...payload })})`;
      return h(
        "li",
        { key: id },
        `${ago(createdAt)}: `,
        h("strong", {}, actor.name),
        ` ${did[action] ?? action} ${what}${more}`,
      );
    }),
  );
  const rest = total - entries.length;
  return rest > 0 ? [list, h("p", { class: "soft" }, `And ${rest} before these.`)] : [list];
}
