/** The list of jobs that the page shows: read in pages, and again after each change. */
import type { JobPayload } from "../../contract/payloads/jobs.ts";
import type { JobState } from "../../contract/vocabulary.ts";
import { api, CallError } from "./api.ts";
import { h, part, show } from "./dom.ts";
import { jobTable, stateNames } from "./jobs.ts";

const pageSize = 50;
/** A longer list is not read again automatically: a notice is shown instead. */
const mostReread = 200;
/** Minimum time between reads, since changes occur in bursts. */
const restMs = 700;

interface Wanted {
  queue: string;
  state: JobState;
}

export interface JobList {
  /** Shows another list from its beginning. */
  open(wanted: Wanted): Promise<void>;
  /** Adds the next page. */
  more(): Promise<void>;
  /** Reads the shown jobs again, at once or after the minimum time between reads. */
  changed(): void;
  reload(): Promise<void>;
  /** Updates the relative times. */
  tick(): void;
}

export function openJobList(): JobList {
  const target = part("jobs", HTMLElement);
  let wanted: Wanted = { queue: "", state: "failed" };
  let jobs: JobPayload[] | undefined;
  let cursor: string | null = null;
  let problem: string | undefined;
  let isStale = false;
  /** Number of the last request; responses to earlier ones are discarded. */
  let asked = 0;
  let timer: number | undefined;
  let readAt = 0;

  const render = () => {
    const { state, queue } = wanted;
    const of = queue === "" ? "" : ` of the queue ${queue}`;
    show(
      target,
      problem !== undefined &&
        h(
          "p",
          { class: "alert", role: "alert", key: "problem" },
          `${problem} `,
          h("button", { class: "plain", "data-act": "reload" }, "Try again"),
        ),
      isStale &&
        h(
          "p",
          { class: "notice", key: "stale" },
          "This list has changed. ",
          h("button", { class: "plain", "data-act": "reload" }, "Show it from its beginning"),
        ),
      jobs === undefined
        ? problem === undefined && h("p", { class: "soft", key: "wait" }, "Reading…")
        : jobs.length === 0
          ? h("p", { class: "soft", key: "none" }, `No ${stateNames[state].toLowerCase()} job${of}.`)
          : h("div", { key: "table" }, jobTable(jobs, state)),
      cursor !== null && h("button", { class: "second", "data-act": "more", key: "more" }, "Show more"),
    );
    target.setAttribute("aria-busy", String(jobs === undefined && problem === undefined));
  };
  const read = async (limit: number, from?: string) => {
    const mine = ++asked;
    clearTimeout(timer);
    timer = undefined;
    readAt = Date.now();
    try {
      const page = await api.jobs({ ...wanted, limit, cursor: from });
      if (mine !== asked) return;
      jobs = from === undefined ? page.items : [...(jobs ?? []), ...page.items];
      cursor = page.nextCursor;
      problem = undefined;
      if (from === undefined) isStale = false;
    } catch (error) {
      if (mine !== asked || !(error instanceof CallError)) return;
      problem = error.message;
    }
    render();
  };
  return {
    async open(next) {
      wanted = next;
      jobs = undefined;
      cursor = null;
      problem = undefined;
      isStale = false;
      render();
      await read(pageSize);
    },
    more: async () => {
      if (cursor !== null) await read(pageSize, cursor);
    },
    changed() {
      if ((jobs?.length ?? 0) > mostReread) {
        isStale = true;
        return render();
      }
      const size = Math.max(pageSize, jobs?.length ?? 0);
      timer ??= setTimeout(() => void read(size), Math.max(0, readAt + restMs - Date.now()));
    },
    reload: () => read(pageSize),
    tick: render,
  };
}
