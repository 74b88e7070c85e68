/**
 * Commit messages: what the publisher wrote, a blank line, one block of `Svc-…: value` trailers written by the
 * service. Only the last paragraph is ever read as trailers, and no line of a publisher can pass for one.
 */

const trailerLine = /^(Svc-[A-Za-z-]+): (.*)$/;
const looksLikeTrailer = /^ *Svc-[A-Za-z-]*\s*:/i;

/** NUL and CR would truncate or garble the object; other control characters would reach terminals through `git log`. */
function normalise(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // oxlint-disable-next-line no-control-regex -- control characters are what this removes
      .replace(/[\0-\x08\x0b-\x1f\x7f]/g, "")
      .replace(/(?<![ \t])[ \t]+$/gm, "")
      .replace(/^\n+|(?<!\n)\n+$/g, "")
  );
}

/** The text of a commit; trailer values are brought onto one line. */
export function formatMessage(message: string, trailers: Record<string, string>): string {
  const body = normalise(message)
    .split("\n")
    .map((line) => (looksLikeTrailer.test(line) ? ` ${line}` : line))
    .join("\n");
  const block = Object.entries(trailers)
    .map(([key, value]) => `${key}: ${normalise(value).replace(/(?<!\s)\s*\n\s*/g, " ")}\n`)
    .join("");
  return body === "" ? block : block === "" ? `${body}\n` : `${body}\n\n${block}`;
}

/** Takes a stored message apart again; the message is the published one, with its line ends normalised. */
export function parseMessage(stored: string): { message: string; trailers: Record<string, string> } {
  const text = stored.replace(/\n+$/, "");
  const cut = text.lastIndexOf("\n\n");
  const lines = text.slice(cut === -1 ? 0 : cut + 2).split("\n");
  const matches = lines.map((line) => trailerLine.exec(line)).filter((match) => match !== null);
  const whole = matches.length === lines.length;
  const trailers: Record<string, string> = {};
  if (whole) for (const [, key, value] of matches) trailers[key!] = value!;
  const body = whole ? text.slice(0, Math.max(cut, 0)) : text;
  const message = body
    .split("\n")
    .map((line) => (line.startsWith(" ") && looksLikeTrailer.test(line) ? line.slice(1) : line))
    .join("\n");
  return { message, trailers };
}

/** The trailers of a stored message: its last paragraph, if every line of it is one. */
export function parseTrailers(stored: string): Record<string, string> {
  return parseMessage(stored).trailers;
}
