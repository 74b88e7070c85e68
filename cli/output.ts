/**
 * The only place that writes to the terminal: one JSON document, or text for people. What names, messages and paths
 * from elsewhere hold that would move a cursor is spelled out here, whoever forgot it before.
 */
import { styleText } from "node:util";
import type { Io } from "./context.ts";
import { type CliError, presentError } from "./errors.ts";
import { shownText } from "./shown.ts";
import { openStatusLine } from "./status-line.ts";

type Style = "bold" | "dim" | "underline" | "red" | "green" | "yellow" | "cyan";

export interface Progress {
  update: (done: number, total: number) => void;
  end: (message?: string) => void;
}

export interface Output {
  /** Applies a style when the stream that it goes to shows colours. */
  paint: (styles: Style | readonly Style[], text: string, stream?: "stdout" | "stderr") => string;
  /** A remark beside the result; people only. */
  note: (text: string) => void;
  warn: (text: string) => void;
  /** A line of JSON ahead of the result; only `login` has one. Nothing for people. */
  event: (data: unknown) => void;
  /** The command's result. */
  result: (data: unknown, text: string) => void;
  failure: (error: CliError) => void;
  /** How far something has come, while it takes long; shown on a terminal only. */
  progress: (label: string) => Promise<Progress>;
  /** Tells what is waited for, while it takes long; shown on a terminal only. */
  waiting: <T>(label: string, work: () => Promise<T>) => Promise<T>;
  columns: number;
}

export function openOutput(io: Io, json: boolean): Output {
  // One at a time: given several styles, Node 20 applies them whether the stream shows colours or not.
  const paint: Output["paint"] = (styles, text, stream = "stdout") =>
    json
      ? text
      : [styles].flat().reduce((painted, style) => styleText(style, painted, { stream: io[stream] }), text);
  const status = openStatusLine(io, json);
  const writeText = (stream: "stdout" | "stderr", text: string) =>
    io[stream].write(`${shownText(text, paint("bold", "x", stream) !== "x")}\n`);
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
        return await work();
      } finally {
        shown.end();
      }
    },
    columns: io.stdout.isTTY === true ? io.stdout.columns || 80 : Infinity,
  };
}

/**
 * What a person needs beside the message: the candidates of an ambiguous name, the reasons of each target. They may be
 * the service's, so nothing is taken for granted about their form.
 */
function explain(error: CliError): string[] {
  const { candidates, skipped } = error.details ?? {};
  return [
    ...linesOf(candidates, ["tenantSlug", "slug", "publicId", "path"], "  "),
    ...linesOf(skipped, ["platform", "reason"], ": "),
  ];
}

function linesOf(value: unknown, keys: readonly string[], between: string): string[] {
  const objects: unknown[] = Array.isArray(value) ? value : [];
  return objects.flatMap((object) => {
    const fields = { ...(object as Record<string, unknown> | null) };
    const words = keys.flatMap((key) => (typeof fields[key] === "string" ? [fields[key]] : []));
    return words.length === 0 ? [] : [words.join(between)];
  });
}
