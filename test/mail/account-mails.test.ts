import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { MailError } from "../../src/mail/mailer.ts";
import { sendAccountMails } from "../../workers/mail/account.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { processors } from "../../workers/processors.ts";
import { readMail } from "../support/mail-text.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter, setUpService } from "../support/set-up.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { until } from "../support/until.ts";

let now = new Date();
const logged: string[] = [];

const server = await closedAfter(startSmtpServer());
const { service } = await setUpService({ ownQueue: true, smtpUrl: server.url, now: () => now, logged });

afterEach(async () => {
  await service.settled();
  await service.empty();
  server.received.length = 0;
  server.replies = {};
  logged.length = 0;
});

const waiting = async (user: TestUser) => (await service.app.storage.users.findWithMails(user.id))!.mailsDue!;
const send = (user: TestUser) => sendAccountMails(service.app, { userId: user.id });
const subjects = () => server.received.map(({ message }) => readMail(message).headers["subject"]);

/** An account without the mail about its first token. */
async function newUser(username: string): Promise<TestUser> {
  const user = await service.newUser(username);
  await service.app.storage.database.collection("tokens").updateMany({}, { $unset: { notice: true } });
  return user;
}

describe("the mails of an account", () => {
  it("are sent by the job that a sign-up queues, and their links work", async (t) => {
    const consumers = service.app.queue.startConsumers(processors(service.app), { concurrency: 1 });
    t.after(() => consumers.close());
    const user = await service.newUser("ada");
    await service.settled();

    const isConfirmation = (subject: string | undefined) => subject === "Confirm your e-mail address";
    // The other one reports the token of the test; it must not arrive during the next test.
    await until("both mails are sent", () => subjects().some(isConfirmation) && subjects().length === 2);

    assert.equal(subjects().filter(isConfirmation).length, 1);
    const mail = server.received[subjects().findIndex(isConfirmation)]!;
    assert.deepEqual(mail.to, ["ada@example.com"]);
    const { link, text, html } = readMail(mail.message);
    const installing = `curl -fsSL ${service.app.config.baseUrl}/cli/install.sh | sh`;
    assert.ok(text.includes(`\n${installing}\n`) && html.includes(`>${installing}</pre>`), text);
    const token = new URL(link).searchParams.get("token");
    const confirmed = await service.call("POST", "/api/user/email/confirm", {
      cookie: user.cookie,
      body: { token },
    });
    assert.equal(confirmed.status, 200);
    await until("no mail is due", async () => (await waiting(user)).length === 0);
    assert.doesNotMatch(logged.join("\n"), /ada@example|confirm-email\?token/);
  });

  it("wait if the server is busy, and are sent with the next attempt, the others now", async () => {
    const user = await newUser("ada");
    await service.call("POST", "/api/auth/password/forgot", { body: { email: "ada@example.com" } });
    await service.settled();
    server.replies = { RCPT: ["451 <ada@example.com> later"] };

    await assert.rejects(send(user), (error) => error instanceof MailError && error.retryable);

    assert.deepEqual(subjects(), ["Choose a new password"]);
    assert.deepEqual(
      (await waiting(user)).map(({ kind }) => kind),
      ["confirm-email"],
    );
    await send(user);
    assert.deepEqual(subjects(), ["Choose a new password", "Confirm your e-mail address"]);
    assert.deepEqual(await waiting(user), []);
    await send(user);
    assert.equal(server.received.length, 2);
  });

  it("are dropped if the server rejects them permanently, without logging the address", async () => {
    const user = await newUser("ada");
    server.replies = { RCPT: ["550 <ada@example.com> unknown"] };

    await send(user);

    assert.equal(server.received.length, 0);
    assert.deepEqual(await waiting(user), []);
    const [line] = logged.filter((text) => text.includes("EENVELOPE"));
    assert.ok(line?.includes("EENVELOPE 550"), logged.join("\n"));
    assert.doesNotMatch(logged.join("\n"), /ada@example/);
  });

  it("are found by the reconcile job if they were not queued, and queued once", async () => {
    const { queue } = service.app;
    const queued: { name: string; payload: object; options: object | undefined }[] = [];
    const accountMails = () => queued.filter((job) => job.name === "mail.account");
    service.app.queue = { ...queue, enqueue: () => Promise.reject(new Error("away")) };
    const user = await service.newUser("ada");
    await service.settled();
    service.app.queue = {
      ...queue,
      enqueue: async (name, payload, options) => void queued.push({ name, payload, options }),
    };
    try {
      await reconcile(service.app);
      assert.deepEqual(accountMails(), [], "what is young may still be queued by its own process");
      now = new Date(now.getTime() + 61_000);
      await reconcile(service.app);
    } finally {
      service.app.queue = queue;
    }

    assert.deepEqual(accountMails(), [
      { name: "mail.account", payload: { userId: user.id }, options: { jobId: user.id } },
    ]);
  });

  it("bring forward a job that waits for the next attempt of another mail, which may be after their expiry", async () => {
    const user = await service.newUser("ada");
    await service.settled();
    const { queue } = service.app;
    const queued: unknown[] = [];
    service.app.queue = {
      ...queue,
      enqueue: async (name, payload, options) => void queued.push([name, payload, options]),
    };
    try {
      await service.call("POST", "/api/auth/password/forgot", { body: { email: "ada@example.com" } });
      await service.settled();
    } finally {
      service.app.queue = queue;
    }

    assert.deepEqual(queued, [["mail.account", { userId: user.id }, { jobId: user.id, retime: true }]]);
  });

  it("of a deleted account are dropped", async () => {
    await sendAccountMails(service.app, { userId: "66aa00000000000000000001" });

    assert.equal(server.received.length, 0);
  });

  it("do not accumulate without limit", async () => {
    const user = await service.newUser("ada");
    for (let i = 0; i < 30; i++)
      await service.call("POST", "/api/auth/password/forgot", { body: { email: "ada@example.com" } });
    await service.settled();

    assert.equal((await waiting(user)).length, 20);
  });
});
