/**
 * The animated status line at a terminal, shown once an operation takes longer than a moment. It is always the
 * last line of stderr, and is cleared before anything else is printed.
 */
import { onInterrupt } from "../interrupt.ts";
import type { Io } from "./io.ts";
import { fit, plainLine } from "./table.ts";

/** Delay, so that short operations don't flicker. */
const delayMs = 300;
const frameMs = 80;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const plainFrames = ["|", "/", "-", "\\"];
const hideCursor = "\u001B[?25l";
const showCursor = "\u001B[?25h";
const clearLine = "\r\u001B[2K";

export interface StatusLine {
  /** Shows a text until it is removed; of several texts, the first one, or one that is to be first. */
  show: (text: string, isFirst?: boolean) => { update: (text: string) => void; end: () => void };
  /** Clears the line; the next frame shows it again. */
  clear: () => void;
  /** Removes the line permanently. */
  close: () => void;
}

const noLine: StatusLine = {
  show: () => ({ update() {}, end() {} }),
  clear() {},
  close() {},
};

/** A line that does nothing without a terminal, or if the terminal can't move its cursor. */
export function openStatusLine(io: Io, json: boolean): StatusLine {
  const { env, stderr } = io;
  if (json || stderr.isTTY !== true || (env["CI"] ?? "") !== "" || env["TERM"] === "dumb") return noLine;
  const moving = /utf-?8/i.test(env["LC_ALL"] ?? env["LC_CTYPE"] ?? env["LANG"] ?? "") ? frames : plainFrames;
  const texts: { text: string; since: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  let isShown = false;
  let unregister = () => {};

  const clear = () => {
    if (!isShown) return;
    isShown = false;
    stderr.write(clearLine + showCursor);
  };
  const draw = () => {
    const [first] = texts;
    if (first === undefined || performance.now() - first.since < delayMs) return;
    const columns = stderr.columns ?? 80;
    const line = fit(
      `${moving[frame++ % moving.length]!} ${plainLine(first.text)}`,
      Math.max(1, columns - 1),
    );
    stderr.write(`${isShown ? "" : hideCursor}${clearLine}${line}`);
    isShown = true;
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    unregister();
    clear();
  };
  return {
    clear,
    close() {
      texts.length = 0;
      stop();
    },
    show(text, isFirst = false) {
      const entry = { text, since: performance.now() };
      if (isFirst) texts.unshift(entry);
      else texts.push(entry);
      if (timer === undefined) {
        timer = setInterval(draw, frameMs);
        timer.unref();
        unregister = onInterrupt(clear);
      }
      return {
        update: (next) => void (entry.text = next),
        end() {
          const at = texts.indexOf(entry);
          if (at === -1) return;
          texts.splice(at, 1);
          if (texts.length === 0) stop();
        },
      };
    },
  };
}
