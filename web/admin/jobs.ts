/** The list of jobs of one state, and one job in full. */
import type { JobDetailPayload, JobPayload } from "../../contract/payloads/jobs.ts";
import { jobStates, type JobState } from "../../contract/vocabulary.ts";
import { h } from "./dom.ts";
import { ago, clock, count, duration, payloadText } from "./words.ts";

export const stateNames: Record<JobState, string> = {
  active: "Running",
  waiting: "Waiting",
  delayed: "Delayed",
  failed: "Failed",
  completed: "Completed",
};

export function tabs(chosen: JobState, counts: Record<JobState, number> | undefined): Element[] {
  return jobStates.map((state) =>
    h(
      "button",
      {
        key: state,
        id: `tab-${state}`,
        role: "tab",
        "aria-selected": String(state === chosen),
        "aria-controls": "jobs",
        tabindex: state === chosen ? 0 : -1,
        "data-act": "state",
        "data-state": state,
      },
      `${stateNames[state]} `,
      counts !== undefined && h("span", { class: "count" }, count(counts[state])),
    ),
  );
}

const idOf = ({ queue, id }: JobPayload) => ({ "data-queue": queue, "data-id": id });

export function jobTable(jobs: readonly JobPayload[], state: JobState): Element {
  const time = { active: "Since", waiting: "Since", delayed: "Runs", failed: "When", completed: "When" };
  const heads = ["Job", "For", "Attempts", time[state], ...(state === "completed" ? [] : ["Last error"])];
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": `${stateNames[state]} jobs` },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...[...heads, "Actions"].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...jobs.map(row)),
    ),
  );
}

function row(job: JobPayload): Element {
  const { state } = job;
  return h(
    "tr",
    { key: `${job.queue}/${job.id}` },
    h(
      "th",
      { scope: "row" },
      h("button", { class: "plain", "data-act": "open", ...idOf(job) }, job.name),
      h("small", {}, `#${job.id}`),
    ),
    h("td", { class: "payload" }, payloadText(job.payload)),
    h("td", {}, `${job.attemptsMade} of ${job.attempts}`),
    h("td", {}, timeOf(job)),
    state !== "completed" && h("td", { class: "error" }, job.error ?? "–"),
    h("td", { class: "acts" }, ...actions(job)),
  );
}

/** The actions on a job in its state. The next job of a schedule is created again after each removal. */
export function actions(job: JobPayload): Element[] {
  const { state, scheduled } = job;
  const offered: [act: string, text: string, isOffered: boolean][] = [
    ["retry", "Retry", state === "failed"],
    ["promote", "Run now", state === "delayed"],
    ["remove", "Remove", state !== "active" && !(state === "delayed" && scheduled)],
  ];
  return offered.flatMap(([act, text, isOffered]) =>
    isOffered
      ? [
          h(
            "button",
            {
              key: act,
              class: "second small",
              "data-act": act,
              ...idOf(job),
              "aria-label": `${text}: ${job.name} #${job.id}`,
            },
            text,
          ),
        ]
      : [],
  );
}

function timeOf(job: JobPayload): Element {
  const iso = {
    active: job.startedAt,
    waiting: job.createdAt,
    delayed: job.runsAt,
    failed: job.finishedAt,
    completed: job.finishedAt,
  }[job.state];
  const at = iso ?? job.createdAt;
  return h("time", { datetime: at, title: clock(at, true) }, ago(at));
}

export function jobDetail(job: JobDetailPayload): Element[] {
  const ran = job.startedAt && job.finishedAt ? Date.parse(job.finishedAt) - Date.parse(job.startedAt) : null;
  const facts: [string, string | null][] = [
    ["State", stateNames[job.state]],
    ["Queue", job.queue],
    ["For", payloadText(job.payload)],
    ["Attempts", `${job.attemptsMade} of ${job.attempts}`],
    ["Queued", clock(job.createdAt, true)],
    ["Runs", job.runsAt && clock(job.runsAt, true)],
    ["Last begun", job.startedAt && clock(job.startedAt, true)],
    ["Ended", job.finishedAt && clock(job.finishedAt, true)],
    ["Last attempt took", ran === null ? null : duration(ran)],
    ["Processes lost", job.stalls > 0 ? count(job.stalls) : null],
    ["Made by", job.scheduled ? "a schedule" : null],
  ];
  return [
    h(
      "dl",
      {},
      ...facts.flatMap(([name, value]) => (value === null ? [] : [h("dt", {}, name), h("dd", {}, value)])),
    ),
    ...(job.error === null ? [] : [h("h3", {}, "Last error"), h("p", { class: "alert" }, job.error)]),
    h("h3", {}, "History"),
    job.log.length === 0
      ? h("p", { class: "soft" }, "No attempt has failed.")
      : h("ol", { class: "log" }, ...job.log.map((line) => h("li", {}, line))),
    ...(job.stacks.length === 0
      ? []
      : [
          h(
            "details",
            {},
            h("summary", {}, job.stacks.length === 1 ? "The stack" : `The ${job.stacks.length} stacks`),
            ...job.stacks.map((stack) => h("pre", { tabindex: 0, "aria-label": "Stack" }, stack)),
          ),
        ]),
  ];
}
