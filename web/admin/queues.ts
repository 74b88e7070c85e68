/** The table of queues. */
import type { QueuePayload } from "../../contract/payloads/jobs.ts";
import { h } from "./dom.ts";
import { count, duration } from "./words.ts";

const heads = ["Queue", "Running", "Waiting", "Delayed", "Failed", "Per minute", "Average", "Actions"];

export function queueTable(queues: readonly QueuePayload[], chosen: string): Element {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of queues" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...queues.map((queue) => row(queue, queue.name === chosen))),
    ),
  );
}

function row({ name, jobs, paused, concurrency, counts, rates }: QueuePayload, isChosen: boolean): Element {
  return h(
    "tr",
    { key: name, class: isChosen && "chosen" },
    h(
      "th",
      { scope: "row" },
      h(
        "button",
        { class: "plain", "data-act": "queue", "data-queue": name, "aria-pressed": String(isChosen) },
        name,
      ),
      paused && h("strong", { class: "badge" }, "paused"),
      h("small", {}, `${jobs.length === 1 ? "1 kind" : `${jobs.length} kinds`}, ${concurrency} at once`),
    ),
    h("td", {}, count(counts.active)),
    h("td", {}, count(counts.waiting)),
    h("td", {}, count(counts.delayed)),
    h("td", { class: counts.failed > 0 && "bad" }, count(counts.failed)),
    h("td", {}, `${rates.completed} done`, rates.failed > 0 && `, ${rates.failed} failed`),
    h("td", {}, duration(rates.averageMs)),
    h(
      "td",
      { class: "acts" },
      button(paused ? "resume" : "pause", name, paused ? "Resume" : "Pause"),
      counts.failed > 0 && button("retry-failed", name, "Retry failed"),
    ),
  );
}

function button(act: string, queue: string, text: string): Element {
  const named = { "aria-label": `${text} in ${queue}`, key: act };
  return h("button", { class: "second small", "data-act": act, "data-queue": queue, ...named }, text);
}
