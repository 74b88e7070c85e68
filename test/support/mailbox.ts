/** Delivers the mails that are stored in accounts, as the worker does, and reads them. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { App } from "../../src/app.ts";
import { sendAccountMails } from "../../workers/mail/account.ts";
import { readMail, type ReadMail } from "./mail-text.ts";

export interface Delivered extends ReadMail {
  to: string;
  subject: string;
  /** The token of the link in it. */
  token: string;
}

/**
 * All waiting mails in the order in which they were written, without those delivered before. Mails about new sessions
 * and tokens, which most tests cause as a side effect, are left out.
 */
export async function deliverMails(app: App): Promise<Delivered[]> {
  return (await deliverAll(app)).filter((mail) => !isNotice(mail));
}

/** The mails about new sessions and tokens. */
export async function deliverNotices(app: App): Promise<Delivered[]> {
  return (await deliverAll(app)).filter(isNotice);
}

const isNotice = ({ link }: Delivered) => /\/(end-access\?|forgot-password$)/.test(link);

async function deliverAll(app: App): Promise<Delivered[]> {
  const inAMinute = new Date(app.now().getTime() + 60_000);
  const { users, sessions, tokens } = app.storage;
  const lists = [users.listMailsDue, sessions.listNoticesDue, tokens.listNoticesDue];
  const waiting = await Promise.all(lists.map((list) => list(inAMinute, 1000)));
  for (const userId of new Set(waiting.flat())) await sendAccountMails(app, { userId });
  return takeMails(app);
}

/** Reads and removes the mails that were written to files. */
export function takeMails(app: App): Delivered[] {
  const folder = path.join(app.config.dataDir, "mail");
  return listFiles(folder).map((file) => {
    const read = readMail(readFileSync(file, "utf8"));
    rmSync(file);
    const token = read.link === "" ? "" : (new URL(read.link).searchParams.get("token") ?? "");
    return { ...read, to: read.headers["to"] ?? "", subject: read.headers["subject"] ?? "", token };
  });
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}
