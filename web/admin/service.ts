/** What the service stands on, and the connections of organizations. */
import type { AdminConnectionPayload, HealthPayload } from "../../contract/payloads-jobs.ts";
import { h } from "./dom.ts";
import { ago, bytes, duration } from "./words.ts";

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
      one.repository,
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
