/** The connections of organizations, those with problems first: as many pages as were requested. */
import type { AdminConnectionPayload } from "../../contract/payloads/jobs.ts";
import { api, messageOf } from "./api.ts";
import { h, part, show } from "./dom.ts";
import { ago, duration } from "./words.ts";

const pageSize = 50;
const mostPerCall = 100;

export interface ConnectionList {
  /** Reads what is shown again. */
  read(): Promise<void>;
  /** Adds the next page. */
  more(): Promise<void>;
}

export function openConnectionList(): ConnectionList {
  const target = part("connections", HTMLElement);
  let shown = pageSize;
  /** Answers to what is not asked any more are thrown away. */
  let asked = 0;

  // From the beginning each time, since a connection changes its position when its status changes.
  const read = async () => {
    const mine = ++asked;
    // A connection that changes its position concurrently may occur twice.
    const connections = new Map<string, AdminConnectionPayload>();
    let cursor: string | null | undefined;
    try {
      while (cursor !== null && connections.size < shown) {
        const limit = Math.min(shown - connections.size, mostPerCall);
        const page = await api.connections({ limit, cursor });
        if (mine !== asked) return;
        for (const one of page.items) connections.set(one.id, one);
        cursor = page.nextCursor;
      }
    } catch (error) {
      if (mine === asked) show(target, h("p", { class: "alert" }, messageOf(error)));
      return;
    }
    show(
      target,
      connectionTable([...connections.values()]),
      cursor !== null &&
        h(
          "button",
          { class: "second", "data-act": "more-connections", key: "more" },
          "Show more connections",
        ),
    );
  };
  return {
    read,
    more() {
      shown += pageSize;
      return read();
    },
  };
}

const heads = ["Repository", "Status", "Last commit", "Last sync", "Lag", "Last failure"];

function connectionTable(connections: readonly AdminConnectionPayload[]): Element {
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
    failureCell(one),
  );
}

/** The current problem, or else the last one, which is over. */
function failureCell({ problem, lastProblem, failures }: AdminConnectionPayload): Element {
  if (problem)
    return h(
      "td",
      { class: "error" },
      `${problem.message} (${problem.code}, ${ago(problem.at)}, ${failures} in a row)`,
    );
  if (lastProblem === null) return h("td", {}, "–");
  const { code, message, at } = lastProblem;
  return h("td", { class: "soft" }, `Over: ${message} (${code}, ${ago(at)})`);
}
