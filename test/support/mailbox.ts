/** Delivers the mails that wait in accounts, as the worker does, and reads them. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { App } from "../../src/app.ts";
import { sendAccountMails } from "../../workers/mail/account.ts";
import { readMail, type ReadMail } from "./mail-text.ts";

export interface Delivered extends ReadMail {
  to: string;
  subject: string;
  /** Of the link in it. */
  token: string;
}

/** Everything that waits, in the order in which it was noted; what was delivered before is not among it. */
export async function deliverMails(app: App): Promise<Delivered[]> {
  const inAMinute = new Date(app.now().getTime() + 60_000);
  const waiting = await app.storage.users.listMailsDue(inAMinute, 1000);
  for (const userId of waiting) await sendAccountMails(app, { userId });
  return takeMails(app);
}

/** Takes the mails that were written to files. */
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
