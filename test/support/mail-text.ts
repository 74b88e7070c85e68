/** Reads mails as a mail program does: headers unfolded and decoded, parts by their type. */

export interface ReadMail {
  headers: Record<string, string>;
  text: string;
  html: string;
  /** The first link of the text. */
  link: string;
}

export function readMail(message: string): ReadMail {
  const { headers, body } = split(message);
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1];
  const parts = boundary === undefined ? [message] : body.split(`--${boundary}`).slice(1, -1);
  const byType = new Map(
    parts.map((part) => {
      const read = split(part.replace(/^\r\n/, ""));
      const type = (read.headers["content-type"] ?? "").split(";")[0]!;
      return [type, decode(read.body, read.headers["content-transfer-encoding"] ?? "7bit")];
    }),
  );
  const text = byType.get("text/plain") ?? "";
  return { headers, text, html: byType.get("text/html") ?? "", link: /https?:\/\/\S+/.exec(text)?.[0] ?? "" };
}

function split(message: string) {
  const [head = "", ...rest] = message.split("\r\n\r\n");
  const headers: Record<string, string> = {};
  for (const line of head.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const [name = "", ...value] = line.split(": ");
    headers[name.toLowerCase()] = decodeWords(value.join(": "));
  }
  return { headers, body: rest.join("\r\n\r\n") };
}

function decode(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body.replaceAll("\r\n", "\n");
  return quotedPrintable(body.replace(/=\r\n/g, "")).replaceAll("\r\n", "\n");
}

const quotedPrintable = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

/** RFC 2047. */
const decodeWords = (value: string) =>
  value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(text, "base64").toString("utf8")
        : quotedPrintable(text.replaceAll("_", " ")),
    );
