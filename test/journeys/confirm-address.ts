/** A person who opens the link of the mail that confirms their address. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Account, callApi } from "../support/http-client.ts";
import { readMail } from "../support/mail-text.ts";
import type { Server } from "../support/server.ts";
import { until } from "../support/until.ts";

/** Invitations are sent by, and shown to, accounts with a confirmed address. */
export async function confirmAddress(server: Server, account: Account): Promise<void> {
  const folder = path.join(server.dataDir, "mail");
  const link = await until(
    `a mail to ${account.email}`,
    () =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .filter((name) => name.endsWith(".eml"))
        .map((name) => readMail(readFileSync(path.join(folder, name), "utf8")))
        .find((mail) => mail.headers["to"]?.includes(account.email) && mail.link.includes("/confirm-email"))
        ?.link,
    { timeoutMs: 120_000 },
  );
  const { status, error } = await callApi(server.url, "POST", "/api/user/email/confirm", {
    cookie: account.cookie,
    body: { token: new URL(link).searchParams.get("token") },
  });
  assert.equal(status, 200, error);
}
