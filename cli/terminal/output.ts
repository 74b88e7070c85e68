/**
 * The only module that writes to the terminal: one JSON document, or text for people. It escapes characters of names,
 * messages and paths that would move the cursor.
 */
import { styleText } from "node:util";
import { type CliError, presentError } from "../errors.ts";
import { escapeText } from "./escape-control.ts";
import type { Io } from "./io.ts";
import { openStatusLine } from "./status-line.ts";

type Style = "bold" | "dim" | "underline" | "red" | "green" | "yellow" | "cyan";

export interface Progress {
  update: (done: number, total: number) => void;
  end: (message?: string) => void;
}

export interface Output {
  /** Applies a style if the stream shows colours. */
  paint: (styles: Style | readonly Style[], text: string, stream?: "stdout" | "stderr") => string;
  /** A remark on stderr; for people only. */
  note: (text: string) => void;
  warn: (text: string) => void;
  /** A line of JSON before the result, used by `login` only; not for people. */
  event: (data: unknown) => void;
  /** A line before the result, of a command whose result has no end: one JSON document, or text. */
  line: (data: unknown, text: string) => void;
  /** The command's result. */
  result: (data: unknown, text: string) => void;
  failure: (error: CliError) => void;
  /** Progress of a long operation; shown at a terminal only. */
  progress: (label: string) => Promise<Progress>;
  /** Description of a long operation, which the operation may change; shown at a terminal only. */
  waiting: <T>(label: string, work: (update: (label: string) => void) => Promise<T>) => Promise<T>;
  /** Shows the description of a pause instead of the operation's own until the pause ends. */
  pausing: <T>(label: string, work: () => Promise<T>) => Promise<T>;
  columns: number;
}

export function openOutput(io: Io, json: boolean): Output {
  // One at a time: Node 20 applies several styles even if the stream shows no colours.
  const paint: Output["paint"] = (styles, text, stream = "stdout") =>
    json
      ? text
      : [styles].flat().reduce((painted, style) => styleText(style, painted, { stream: io[stream] }), text);
  const status = openStatusLine(io, json);
  const writeText = (stream: "stdout" | "stderr", text: string) =>
    io[stream].write(`${escapeText(text, paint("bold", "x", stream) !== "x")}\n`);
  const remark = (text: string) => {
    status.clear();
    if (!json) writeText("stderr", text);
  };
  const writeJson = (stream: "stdout" | "stderr", data: unknown) =>
    io[stream].write(`${JSON.stringify(data)}\n`);

  return {
    paint,
    note: remark,
    warn: (text) => remark(`${paint("yellow", "warning", "stderr")} ${text}`),
    event(data) {
      if (json) writeJson("stdout", data);
    },
    line(data, text) {
      status.clear();
      if (json) writeJson("stdout", data);
      else writeText("stdout", text);
    },
    result(data, text) {
      status.close();
      if (json) {
        if (data !== undefined) writeJson("stdout", data);
      } else if (text !== "") writeText("stdout", text.replace(/\n$/, ""));
    },
    failure(error) {
      if (json) {
        writeJson("stderr", presentError(error));
        return;
      }
      status.close();
      writeText("stderr", `${paint(["red", "bold"], "error", "stderr")} ${error.message}`);
      for (const line of explain(error)) writeText("stderr", `  ${line}`);
      writeText("stderr", `  ${paint("dim", error.code, "stderr")}`);
    },
    async progress(label) {
      const shown = status.show(`${label}…`);
      return {
        update(done, total) {
          const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
          shown.update(`${label}… ${percent} %`);
        },
        end(message) {
          shown.end();
          if (message !== undefined) remark(message);
        },
      };
    },
    async waiting(label, work) {
      const shown = status.show(`${label}…`);
      try {
        return await work((next) => shown.update(`${next}…`));
      } finally {
        shown.end();
      }
    },
    async pausing(label, work) {
      const shown = status.show(`${label}…`, true);
      try {
        return await work();
      } finally {
        shown.end();
      }
    },
    columns: io.stdout.isTTY === true ? io.stdout.columns || 80 : Infinity,
  };
}

/**
 * Details for people: the candidates of an ambiguous name, the reasons of each target. They may come from
 * the service, so their form is checked.
 */
function explain(error: CliError): string[] {
  const { candidates, skipped } = error.details ?? {};
  return [
    ...linesOf(candidates, ({ ref, tenantSlug, slug, publicId, path }) => {
      const qualified = [tenantSlug, slug].filter(isText).join("/");
      return [ref ?? (qualified === "" ? undefined : qualified), publicId, path].filter(isText).join("  ");
    }),
    ...linesOf(skipped, ({ platform, reason, snippet }) =>
      [
        [platform, reason].filter(isText).join(": "),
        ...snippetLines(isText(snippet) ? snippet : undefined).map((line) => `    ${line}`),
      ].join("\n"),
    ),
  ];
}

/** A text that a person adds to a file. */
export function snippetLines(snippet: string | undefined): string[] {
  return snippet === undefined ? [] : ["Add this by hand:", ...snippet.trimEnd().split("\n")];
}

const isText = (value: unknown): value is string => typeof value === "string";

/** The lines of a list of objects; those without any of the fields have none. */
function linesOf(value: unknown, lineOf: (fields: Record<string, unknown>) => string): string[] {
  const objects: unknown[] = Array.isArray(value) ? value : [];
  return objects
    .map((object) => lineOf({ ...(object as Record<string, unknown> | null) }))
    .filter((line) => line !== "");
}
