/** Jobs over time: done above, failed below, each with its own scale, so that colour is not the only distinction. */
import type { JobMetricsPayload } from "../../contract/payloads/jobs.ts";
import { h } from "./dom.ts";
import { clock, count, duration } from "./words.ts";

type Step = JobMetricsPayload["steps"][number];

interface Bar {
  value: number;
  kind: string;
}

const height = { done: 100, failed: 50 };
const stepWidth = 10;

/** The figure with both panels, their legend, and the same figures as a table. */
export function plot(metrics: JobMetricsPayload, of: string): Element {
  const { steps, stepSeconds, range } = metrics;
  const withDay = range !== "hour";
  const each = stepSeconds === 60 ? "minute" : duration(stepSeconds * 1000).replace(" 0 s", "");
  const total = (kind: "completed" | "failed" | "retried") =>
    steps.reduce((sum, step) => sum + step[kind], 0);
  const sums = { completed: total("completed"), failed: total("failed"), retried: total("retried") };
  const summary =
    `${of}: ${count(sums.completed)} done, ${count(sums.failed)} failed permanently, ` +
    `${count(sums.retried)} attempts failed and were tried again.`;
  return h(
    "figure",
    { class: "plot" },
    h("figcaption", { id: "plot-summary" }, `${summary} Each bar is one ${each}.`),
    panel("Done", steps, height.done, withDay, (step) => [{ value: step.completed, kind: "done" }]),
    panel("Failed", steps, height.failed, withDay, (step) => [
      { value: step.failed, kind: "failed" },
      { value: step.retried, kind: "retried" },
    ]),
    h(
      "p",
      { class: "axis", "aria-hidden": "true" },
      ...[0, Math.floor(steps.length / 2), steps.length - 1].map((at) =>
        h("span", {}, steps[at] ? clock(steps[at].at, withDay) : ""),
      ),
    ),
    h(
      "p",
      { class: "legend" },
      ...(["done", "failed", "retried"] as const).map((kind) =>
        h(
          "span",
          {},
          h("span", { class: `swatch ${kind}`, "aria-hidden": "true" }),
          { done: "done", failed: "failed permanently", retried: "failed, tried again" }[kind],
        ),
      ),
    ),
    figures(steps, withDay),
  );
}

function panel(
  title: string,
  steps: readonly Step[],
  size: number,
  withDay: boolean,
  barsOf: (step: Step) => Bar[],
): Element {
  const most = Math.max(1, ...steps.map((step) => sumOf(barsOf(step))));
  const bars = steps.flatMap((step, at) => {
    let from = 0;
    return barsOf(step).flatMap(({ value, kind }) => {
      if (value === 0) return [];
      const length = Math.max(1, (value / most) * size);
      const y = size - from - length;
      from += length;
      const name = `${clock(step.at, withDay)}: ${count(value)}`;
      const shape = { x: at * stepWidth + 1, y, width: stepWidth - 2, height: length, class: kind };
      return [h("rect", shape, h("title", {}, name))];
    });
  });
  const width = steps.length * stepWidth;
  return h(
    "div",
    { class: "panel" },
    h("p", { class: "scale" }, h("span", {}, title), h("span", { class: "soft" }, `to ${count(most)}`)),
    h(
      "svg",
      {
        viewBox: `0 0 ${width} ${size}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `${title} over time`,
        class: title.toLowerCase(),
      },
      h("line", { x1: 0, x2: width, y1: 0.5, y2: 0.5, class: "grid" }),
      h("line", { x1: 0, x2: width, y1: size / 2, y2: size / 2, class: "grid" }),
      h("line", { x1: 0, x2: width, y1: size - 0.5, y2: size - 0.5, class: "base" }),
      ...bars,
    ),
  );
}

const sumOf = (bars: readonly Bar[]) => bars.reduce((sum, { value }) => sum + value, 0);

function figures(steps: readonly Step[], withDay: boolean): Element {
  const busy = steps.filter((step) => step.completed + step.failed + step.retried > 0).toReversed();
  const rows = busy.map((step) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, clock(step.at, withDay)),
      h("td", {}, count(step.completed)),
      h("td", {}, count(step.failed)),
      h("td", {}, count(step.retried)),
      h("td", {}, duration(step.averageMs)),
      h("td", {}, duration(step.maxMs)),
    ),
  );
  const heads = ["From", "Done", "Failed", "Tried again", "Average", "Longest"];
  return h(
    "details",
    {},
    h("summary", {}, "The figures"),
    rows.length === 0
      ? h("p", { class: "soft" }, "No job ran in this time.")
      : h(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures of the plot" },
          h(
            "table",
            {},
            h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
            h("tbody", {}, ...rows),
          ),
        ),
  );
}
