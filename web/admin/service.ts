/** What the service stands on, the connections of organizations, and what administrators did. */
import type { AuditLogPayload } from "../../contract/payloads-audit.ts";
import type { AdminConnectionPayload, HealthPayload } from "../../contract/payloads-jobs.ts";
import { h } from "./dom.ts";
import { ago, bytes, duration, payloadText } from "./words.ts";

export function healthList(health: HealthPayload): Element {
  const { database, queue, git, disks, versions, process } = health;
  const disk = ({ freeBytes, totalBytes }: HealthPayload["disks"][number]) =>
    freeBytes === null ? "can't be read" : `${bytes(freeBytes)} free of ${bytes(totalBytes)}`;
  const answered = (ms: number | null) => (ms === null ? "" : `, in ${duration(ms)}`);
  const rows: [name: string, ok: boolean, told: string][] = [
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
    ...rows.flatMap(([name, ok, told]) => [
      h("dt", {}, name),
      h("dd", {}, h("strong", { class: ok ? "good" : "bad" }, ok ? "well" : "trouble"), ` ${told}`),
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

const heads = ["Repository", "Status", "Last commit", "Last sync", "Lag", "Last failure"];

export function connectionTable(connections: readonly AdminConnectionPayload[]): Element {
  if (connections.length === 0)
    return h("p", { class: "soft" }, "No organization has connected a repository.");
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of connections" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...connections.map(row)),
    ),
  );
}

function row(one: AdminConnectionPayload): Element {
  const isWell = one.status === "active";
  const waits = one.waitingSince === null ? "" : `, waits since ${ago(one.waitingSince)}`;
  return h(
    "tr",
    { key: one.id },
    h(
      "th",
      { scope: "row" },
      one.url === null
        ? one.repository
        : h("a", { href: one.url, rel: "noreferrer", target: "_blank" }, one.repository),
      h("small", {}, `${one.branch}, ${one.host}, organization ${one.tenantId}`),
    ),
    h("td", { class: !isWell && "bad" }, `${one.status}${waits}`),
    h("td", {}, one.lastCommit === null ? "–" : h("code", {}, one.lastCommit.slice(0, 10))),
    h("td", {}, one.lastSyncAt === null ? "never" : ago(one.lastSyncAt)),
    h("td", {}, duration(one.lastLagMs)),
    h(
      "td",
      { class: "error" },
      one.problem === null
        ? "–"
        : `${one.problem.message} (${one.problem.code}, ${ago(one.problem.at)}, ${one.failures} in a row)`,
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
