/**
 * Sends mail: to the configured SMTP server, or else as files to a folder, for trials. Called by worker processors
 * only, since a server may be slow or unavailable. The log contains neither addresses nor content, so that its readers
 * can't use links that were sent to others.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import { unprintable } from "../../contract/checks/unsafe-characters.ts";
import { emailAddress } from "../../contract/names/email-address.ts";
import { measured } from "../../contract/observation.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";

export interface Mail {
  /** One address; never a list. */
  to: string;
  subject: string;
  text: string;
  /** A complete document. It loads nothing, so that opening it can't be tracked. */
  html: string;
  /** Address that ends the mails of this kind by a POST without a sign-in (RFC 8058). */
  unsubscribeUrl?: string;
}

export interface Mailer {
  kind: "smtp" | "file";
  /** Resolves once the server or the disk has it. Throws MailError; one that is not `retryable` fails its job. */
  send(mail: Mail): Promise<void>;
  /** Removes mail files written before a time, and returns their number; 0 with a server. */
  removeBefore(time: Date): Promise<number>;
}

/**
 * A mail that could not be sent. The message never contains the address, unlike the text of many servers. A retry may
 * help unless the server refused permanently (RFC 5321, section 4.2.1: a reply of 5xx).
 */
export class MailError extends Error {
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean) {
    super(message);
    this.name = "MailError";
    this.retryable = retryable;
  }
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
/** Templates are our own, but what is put into them is not: no value may name a file or an address to fetch. */
const confined = { disableFileAccess: true, disableUrlAccess: true };

export function openMailer(options: Pick<Config, "smtpUrl" | "mailFrom" | "dataDir"> & { log: Log }): Mailer {
  const { smtpUrl, mailFrom, log } = options;
  const mailer =
    smtpUrl === undefined
      ? openFolder(path.join(options.dataDir, "mail"), mailFrom, log)
      : openSmtp(smtpUrl, mailFrom, log);
  return {
    ...mailer,
    send: (mail) => measured("mail", { transport: mailer.kind }, () => mailer.send(mail)),
  };
}

function openSmtp(smtpUrl: string, from: Config["mailFrom"], log: Log): Mailer {
  const transport = openTransport(smtpUrl);
  return {
    kind: "smtp",
    async send(mail) {
      const started = performance.now();
      try {
        await transport.sendMail(messageOf(mail, from));
      } catch (error) {
        throw smtpError(error);
      }
      log.info({ ms: Math.round(performance.now() - started) }, "a mail was handed to the mail server");
    },
    removeBefore: async () => 0,
  };
}

const openTransport = (smtpUrl: string) =>
  createTransport({
    url: smtpUrl,
    ...timeouts,
    ...confined,
    requireTLS: isSecretInClear(smtpUrl) ? true : undefined,
  });

/** Connects to a mail server and signs in as for a mail. Throws an Error without text of the server. */
export async function verifyMailServer(smtpUrl: string): Promise<void> {
  const transport = openTransport(smtpUrl);
  try {
    await transport.verify();
  } catch (error) {
    const { code, responseCode, message } = error as Error & { code?: string; responseCode?: number };
    // Messages of other errors may have text of the server.
    const isOfConnection = /^(ESOCKET|ECONNECTION|EDNS|ETIMEDOUT|ETLS)$/.test(code ?? "");
    const parts = isOfConnection ? [message] : [code, responseCode].filter((part) => part !== undefined);
    const reason = parts.join(" ") || "an unknown error";
    const remedy = code === "EAUTH" ? "correct the user and the password in SMTP_URL" : "check SMTP_URL";
    throw new Error(`The mail server ${new URL(smtpUrl).host} can't be used (${reason}): ${remedy}.`, {
      cause: error,
    });
  } finally {
    transport.close();
  }
}

/** Credentials must not cross a network in clear: without TLS from the start, STARTTLS becomes a condition. */
function isSecretInClear(smtpUrl: string): boolean {
  const url = new URL(smtpUrl);
  const isHere = url.hostname === "localhost" || /^(127\.|\[::1\])/.test(url.hostname);
  return url.protocol === "smtp:" && url.username !== "" && !isHere && !url.searchParams.has("requireTLS");
}

function smtpError(error: unknown): MailError {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  if (code === undefined && responseCode === undefined) throw error;
  // All other failures, such as those of the sign-in or TLS, are for the operator to fix; waiting mails are sent once
  // that is done.
  const isFinal = (responseCode ?? 0) >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  const reason = [code, responseCode].filter((part) => part !== undefined).join(" ");
  return new MailError(`The mail server did not take a mail (${reason}).`, !isFinal);
}

function openFolder(folder: string, from: Config["mailFrom"], log: Log): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows", ...confined });
  return {
    kind: "file",
    async send(mail) {
      const { message } = await transport.sendMail(messageOf(mail, from));
      const stamp = new Date().toISOString().replace(/[:.]/g, "-");
      const file = path.join(folder, `${stamp}-${randomBytes(4).toString("hex")}.eml`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Complete before it gets its name, so that a reader of the folder never reads half a mail.
      await writeFile(`${file}.part`, message as Buffer, { flag: "wx", mode: 0o600 });
      await rename(`${file}.part`, file);
      log.info({ file }, "a mail was written to a file, since SMTP_URL is not set");
    },
    async removeBefore(time) {
      let removed = 0;
      for (const name of await readdir(folder).catch(() => [])) {
        const file = path.join(folder, name);
        const found = await stat(file).catch(() => undefined);
        if (!found?.isFile() || found.mtime >= time) continue;
        await rm(file, { force: true });
        removed++;
      }
      return removed;
    },
  };
}

/** Addresses go in as parts, so that nothing in them is read as a second one. */
function messageOf(mail: Mail, from: Config["mailFrom"]): SendMailOptions {
  if (!emailAddress.test(mail.to)) throw new MailError("A mail goes to exactly one address.", false);
  return {
    from,
    to: { name: "", address: mail.to },
    envelope: { from: from.address, to: [mail.to] },
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    xMailer: false,
    headers: {
      // RFC 3834, section 5: no holiday notice comes back.
      "Auto-Submitted": "auto-generated",
      ...(mail.unsubscribeUrl !== undefined && {
        "List-Unsubscribe": `<${mail.unsubscribeUrl}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
  };
}

const longestSubject = 200;

/** A header of one line: no line breaks, and no invisible characters that reorder or hide its text. */
const oneLine = (text: string) =>
  Array.from(text.replace(unprintable, " ").trim()).slice(0, longestSubject).join("");
