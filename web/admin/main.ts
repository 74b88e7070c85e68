/**
 * The page of the service's workers (`docs/reference/workers.md`): its state is in its address, and it updates live.
 */
import type { JobDetailPayload, QueuePayload } from "../../contract/payloads/jobs.ts";
import { jobStates, metricRanges, type JobState } from "../../contract/vocabulary.ts";
import { api, CallError, messageOf } from "./api.ts";
import { openConnectionList } from "./connections.ts";
import { ask, closeJob, onJobClosed, showJob } from "./dialogs.ts";
import { h, part, show } from "./dom.ts";
import { tabs } from "./jobs.ts";
import { openJobList } from "./list.ts";
import { listen, type LiveState } from "./live.ts";
import { addressOf, readViewState, type ViewState } from "./view-state.ts";
import { plot } from "./plot.ts";
import { queueTable } from "./queues.ts";
import { actList, healthList } from "./service.ts";

const plotMs = 10_000;
const serviceMs = 30_000;
const actsShown = 10;

const list = openJobList();
const connections = openConnectionList();
let view = readViewState(location.search);
let queues: QueuePayload[] | undefined;
let marks: Record<string, string> | undefined;
let job: JobDetailPayload | undefined;

const liveTexts: Record<LiveState, string> = {
  connecting: "Connecting…",
  live: "Live",
  polling: "Not live: the figures are asked for every few seconds.",
  trouble: "Not live: the queue does not answer. The figures are old.",
  away: "Not live: the service does not answer. The figures are old.",
  ended: "Not live: your session has ended. Sign in again.",
};

/** Changes the state of the page, with a new entry in the browser's history. */
function go(change: Partial<ViewState>): void {
  const next = { ...view, ...change };
  if (addressOf(next) !== addressOf(view)) history.pushState(null, "", addressOf(next));
  applyView(next);
}

function applyView(next: ViewState): void {
  const before = view;
  view = next;
  if (next.queue !== before.queue || next.state !== before.state)
    void list.open({ queue: next.queue, state: next.state });
  if (next.queue !== before.queue || next.range !== before.range) void readPlot();
  if (next.job?.id !== before.job?.id || next.job?.queue !== before.job?.queue) {
    job = undefined;
    if (next.job) void readJob();
    else closeJob();
  }
  render();
}

function render(): void {
  const shown = queues?.filter(({ name }) => view.queue === "" || name === view.queue);
  const sums =
    shown && (Object.fromEntries(jobStates.map((state) => [state, sumOf(shown, state)])) as Counts);
  if (queues) show(part("queues", HTMLElement), queueTable(queues, view.queue));
  show(part("tabs", HTMLElement), ...tabs(view.state, sums));
  part("jobs", HTMLElement).setAttribute("aria-labelledby", `tab-${view.state}`);
  const choice = part("queue", HTMLSelectElement);
  // Before the queues are loaded, the one that the address names.
  const names = queues?.map(({ name }) => name) ?? (view.queue === "" ? [] : [view.queue]);
  show(
    choice,
    h("option", { value: "" }, "all queues"),
    ...names.map((name) => h("option", { value: name }, name)),
  );
  choice.value = view.queue;
  for (const range of metricRanges)
    part(`range-${range}`, HTMLButtonElement).setAttribute("aria-pressed", String(range === view.range));
}

type Counts = Record<JobState, number>;
const sumOf = (of: readonly QueuePayload[], state: JobState) =>
  of.reduce((sum, { counts }) => sum + counts[state], 0);

/** Shows the result of an action, or its error. */
function announce(message: string, isError = false): void {
  const line = part("message", HTMLElement);
  line.className = message === "" ? "" : isError ? "alert" : "notice";
  line.textContent = message;
}

async function readPlot(): Promise<void> {
  const { range, queue } = view;
  const target = part("plot", HTMLElement);
  try {
    const metrics = await api.metrics(range, queue);
    if (range !== view.range || queue !== view.queue) return;
    show(target, plot(metrics, queue === "" ? "All queues" : queue));
  } catch (error) {
    // Figures that are shown already stay: the line above states that the page is not live.
    if (target.querySelector("svg") === null) show(target, h("p", { class: "alert" }, messageOf(error)));
  }
}

async function readService(): Promise<void> {
  const target = part("health", HTMLElement);
  try {
    show(target, healthList(await api.health()));
  } catch (error) {
    show(target, h("p", { class: "alert" }, messageOf(error)));
  }
}

async function readActs(): Promise<void> {
  const target = part("acts", HTMLElement);
  try {
    show(target, ...actList(await api.acts(actsShown)));
  } catch (error) {
    if (target.querySelector("ul") === null) show(target, h("p", { class: "alert" }, messageOf(error)));
  }
}

async function readJob(): Promise<void> {
  const wanted = view.job;
  if (!wanted) return;
  if (job === undefined) showJob(undefined, "Reading…");
  try {
    const found = await api.job(wanted.queue, wanted.id);
    if (wanted !== view.job) return;
    job = found;
    showJob(job, "");
  } catch (error) {
    if (wanted !== view.job) return;
    job = undefined;
    const isGone = error instanceof CallError && error.status === 404;
    showJob(undefined, isGone ? "This job no longer exists." : messageOf(error));
  }
}

/** Runs an action on the queue, shows its result, and reads again what it may have changed. */
async function act(
  work: () => Promise<unknown>,
  done: string | ((result: unknown) => string),
): Promise<void> {
  try {
    const result = await work();
    announce(typeof done === "string" ? done : done(result));
  } catch (error) {
    announce(messageOf(error), true);
  }
  list.changed();
  await Promise.all([readJob(), readActs(), refresh()]);
}

async function refresh(): Promise<void> {
  try {
    queues = await api.queues();
    render();
  } catch {
    // The failed action, or the line about the live state, has reported it already.
  }
}

/** The actions of buttons, by their `data-act`. */
const acts: Record<string, (data: DOMStringMap) => unknown> = {
  queue: ({ queue = "" }) => go({ queue: view.queue === queue ? "" : queue }),
  state: ({ state }) => go({ state: jobStates.find((one) => one === state) ?? view.state }),
  range: ({ range }) => go({ range: metricRanges.find((one) => one === range) ?? view.range }),
  open: ({ queue = "", id = "" }) => go({ job: { queue, id } }),
  close: () => closeJob(),
  more: () => list.more(),
  "more-connections": () => connections.more(),
  reload: () => list.reload(),
  retry: ({ queue = "", id = "" }) => act(() => api.retry(queue, id), `Job #${id} waits to run again.`),
  promote: ({ queue = "", id = "" }) => act(() => api.promote(queue, id), `Job #${id} runs now.`),
  async remove({ queue = "", id = "" }) {
    if (!(await ask(`Remove job #${id} of ${queue}? What it was to do is not done.`, "Remove"))) return;
    await act(() => api.remove(queue, id), `Job #${id} is removed.`);
    if (view.job?.id === id) closeJob();
  },
  async pause({ queue = "" }) {
    const question = `Pause ${queue}? No job of it begins until it is resumed, in any process.`;
    if (await ask(question, "Pause")) await act(() => api.pause(queue), `${queue} is paused.`);
  },
  resume: ({ queue = "" }) => act(() => api.resume(queue), `${queue} goes on.`),
  async "retry-failed"({ queue = "" }) {
    if (!(await ask(`Retry every failed job of ${queue}?`, "Retry all"))) return;
    await act(
      () => api.retryFailed(queue),
      (result) => {
        const { retried, left } = result as { retried: number; left: number };
        return `${retried} jobs wait to run again${left > 0 ? `, ${left} are left` : ""}.`;
      },
    );
  },
};

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-act]") : null;
  if (!(button instanceof HTMLElement)) return;
  void acts[button.dataset["act"] ?? ""]?.(button.dataset);
});

/** Arrow keys select the next or previous tab. */
part("tabs", HTMLElement).addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const at = (jobStates.indexOf(view.state) + step + jobStates.length) % jobStates.length;
  go({ state: jobStates[at] ?? view.state });
  part(`tab-${view.state}`, HTMLButtonElement).focus();
  event.preventDefault();
});

part("queue", HTMLSelectElement).addEventListener("change", (event) => {
  go({ queue: (event.target as HTMLSelectElement).value });
});
onJobClosed(() => go({ job: undefined }));
addEventListener("popstate", () => applyView(readViewState(location.search)));

listen({
  state(state) {
    const line = part("live", HTMLElement);
    line.className = state === "live" ? "live on" : "live off";
    if (line.textContent !== liveTexts[state]) line.textContent = liveTexts[state];
  },
  queues(next, nextMarks) {
    const isSame = (name: string) => nextMarks !== undefined && marks?.[name] === nextMarks[name];
    const changed = next.map(({ name }) => name).filter((name) => !isSame(name));
    const isFirst = queues === undefined;
    queues = next;
    marks = nextMarks;
    render();
    if (isFirst) return;
    if (changed.some((name) => view.queue === "" || name === view.queue)) list.changed();
    if (view.job && changed.includes(view.job.queue)) void readJob();
  },
});
render();
void list.open(view);
void readPlot();
void readService();
void connections.read();
void readActs();
if (view.job) void readJob();
setInterval(() => {
  list.tick();
  void readPlot();
}, plotMs);
setInterval(() => {
  void readService();
  void connections.read();
  void readActs();
}, serviceMs);
