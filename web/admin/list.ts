/** The list of jobs that the page shows: read by pages, and read again whenever it has changed. */
import type { JobPayload } from "../../contract/payloads/jobs.ts";
import type { JobState } from "../../contract/vocabulary.ts";
import { api, CallError } from "./api.ts";
import { h, part, show } from "./dom.ts";
import { jobTable, stateNames } from "./jobs.ts";

const pageSize = 50;
/** More than one answer holds is not read again by itself: the reader is told instead. */
const mostReread = 200;
/** Changes come in bursts. */
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
  /** Reads what is shown again: now, or soon where that was just done. */
  changed(): void;
  reload(): Promise<void>;
  /** Says again how long ago everything was. */
  tick(): void;
}

export function openJobList(): JobList {
  const place = part("jobs", HTMLElement);
  let wanted: Wanted = { queue: "", state: "failed" };
  let jobs: JobPayload[] | undefined;
  let cursor: string | null = null;
  let trouble: string | undefined;
  let isStale = false;
  /** Answers to what is not asked any more are thrown away. */
  let asked = 0;
  let timer: number | undefined;
  let readAt = 0;

  const render = () => {
    const { state, queue } = wanted;
    const of = queue === "" ? "" : ` of the queue ${queue}`;
    show(
      place,
      trouble !== undefined &&
        h(
          "p",
          { class: "alert", role: "alert", key: "trouble" },
          `${trouble} `,
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
        ? trouble === undefined && h("p", { class: "soft", key: "wait" }, "Reading…")
        : jobs.length === 0
          ? h("p", { class: "soft", key: "none" }, `No ${stateNames[state].toLowerCase()} job${of}.`)
          : h("div", { key: "table" }, jobTable(jobs, state)),
      cursor !== null && h("button", { class: "second", "data-act": "more", key: "more" }, "Show more"),
    );
    place.setAttribute("aria-busy", String(jobs === undefined && trouble === undefined));
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
      trouble = undefined;
      if (from === undefined) isStale = false;
    } catch (error) {
      if (mine !== asked || !(error instanceof CallError)) return;
      trouble = error.message;
    }
    render();
  };
  return {
    async open(next) {
      wanted = next;
      jobs = undefined;
      cursor = null;
      trouble = undefined;
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
