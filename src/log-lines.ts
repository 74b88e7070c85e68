/** Lines of the log for a person at a terminal. */
import { hiddenCharacters } from "../contract/checks/unsafe-characters.ts";

interface Entry extends Record<string, unknown> {
  level: string;
  time: string;
  msg?: string;
  error?: { stack?: string; message?: string };
}

const colors: Record<string, number> = { warn: 33, error: 31, fatal: 31, debug: 90, trace: 90 };

/** The line of an entry, with the trace of its error. Characters that would move the cursor are removed. */
export function readableLine(json: string): string {
  const { level, time, msg = "", error, ...fields } = JSON.parse(json) as Entry;
  const word = level.toUpperCase().padEnd(5);
  const color = colors[level];
  const shown = [
    time.slice(11, 23),
    color === undefined ? word : `\u001b[${color}m${word}\u001b[0m`,
    plain(msg),
    ...Object.entries(fields).map(([name, value]) => `${name}=${plain(textOf(value))}`),
  ];
  const trace = error ? `\n${plain(error.stack ?? error.message ?? "")}` : "";
  return `${shown.join(" ")}${trace}\n`;
}

const plain = (text: string) => text.replace(hiddenCharacters, "");

/** Quoted, unless it is one word. */
const textOf = (value: unknown) =>
  typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);
