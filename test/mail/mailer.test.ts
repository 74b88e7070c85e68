import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { openLog } from "../../src/log.ts";
import { composeMail } from "../../src/mail/compose.ts";
import { MailError, openMailer, type Mail } from "../../src/mail/mailer.ts";
import { readMail } from "../support/mail-text.ts";
import { startSmtpServer, type SmtpServer } from "../support/smtp-server.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-mail-"));
const logged: string[] = [];
const log = openLog("debug", { write: (line) => logged.push(line) });
after(() => rmSync(folder, { recursive: true, force: true }));

const url = "https://skills.example/invitations?token=s3cret-of-the-link";
const mail: Mail = {
  to: "zoë@example.org",
  ...composeMail("https://skills.example", {
    subject: "Join “Straße & Söhne”",
    before: ['Ada <ada> invites you to "Straße & Söhne".'],
    link: { label: "See the invitation", url },
    after: ["It ends in 7 days."],
  }),
};

const open = (environment: Record<string, string>) =>
  openMailer({
    ...readConfig({ DATA_DIR: folder, BASE_URL: "https://skills.example", ...environment }),
    log,
  });

const failsWith = (retryable: boolean, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof MailError);
  assert.equal(error.retryable, retryable, error.message);
  assert.match(error.message, words);
  assert.ok(!`${error.message} ${error.stack}`.includes("example.org"), "an address in the failure");
  return true;
};

describe("a mail server", () => {
  let server: SmtpServer;
  before(async () => {
    server = await startSmtpServer();
  });
  after(() => server.close());
  afterEach(() => {
    server.received.length = 0;
    server.replies = {};
    server.commands.length = 0;
    logged.length = 0;
  });

  it("gets one mail for one address, as text and as HTML", async () => {
    await open({ SMTP_URL: server.url, MAIL_FROM: "Ops <ops@skills.example>" }).send(mail);

    assert.equal(server.received.length, 1);
    const { from, to, message } = server.received[0]!;
    assert.deepEqual([from, to], ["ops@skills.example", ["zoë@example.org"]]);
    const { headers, text, html } = readMail(message);
    assert.equal(headers["subject"], "Join “Straße & Söhne”");
    assert.equal(headers["from"], "Ops <ops@skills.example>");
    assert.equal(headers["to"], "zoë@example.org");
    assert.equal(headers["auto-submitted"], "auto-generated");
    assert.match(headers["content-type"]!, /^multipart\/alternative/);
    assert.ok(text.includes('Ada <ada> invites you to "Straße & Söhne".'));
    assert.ok(text.includes(`\n${url}\n`));
    assert.ok(html.includes("Ada &lt;ada&gt; invites you to &quot;Straße &amp; Söhne&quot;."));
    assert.ok(html.includes(`href="${url}"`));
  });

  it("is sent no mailer name and no remote content", async () => {
    await open({ SMTP_URL: server.url }).send(mail);

    const { headers, html } = readMail(server.received[0]!.message);
    assert.equal(headers["x-mailer"], undefined);
    assert.equal(headers["from"], "Skill registry <no-reply@skills.example>");
    assert.doesNotMatch(html, /<img|<link|<script|url\(|src=/);
  });

  it("gets no header that a subject injects", async () => {
    const subject = "Hello\r\nBcc: victim@example.org\r\n\r\nbody";
    await open({ SMTP_URL: server.url }).send({ ...mail, subject });

    const { to, message } = server.received[0]!;
    assert.deepEqual(to, ["zoë@example.org"]);
    assert.equal(readMail(message).headers["bcc"], undefined);
    assert.equal(readMail(message).headers["subject"], "Hello Bcc: victim@example.org body");
  });

  for (const to of [
    "a@example.org, b@example.org",
    "a@example.org\r\nRCPT TO:<b@example.org>",
    "A <a@example.org>",
    "",
  ])
    it(`never gets a mail to ${JSON.stringify(to)}`, async () => {
      await assert.rejects(
        open({ SMTP_URL: server.url }).send({ ...mail, to }),
        failsWith(false, /one address/),
      );
      assert.equal(server.received.length, 0);
      assert.deepEqual(server.commands, []);
    });

  for (const [command, reply, retryable] of [
    ["RCPT", "550 5.1.1 <zoë@example.org>: no such user", false],
    ["RCPT", "451 4.7.1 <zoë@example.org>: greylisted", true],
    ["MAIL", "553 not from you", false],
    ["DATA", "452 disk full", true],
    ["END", "554 looks like spam", false],
    ["END", "421 closing", true],
  ] as const)
    it(`that responds to ${command} with ${reply.slice(0, 3)} is ${retryable ? "retried" : "not retried"}`, async () => {
      server.replies = { [command]: [reply] };
      await assert.rejects(
        open({ SMTP_URL: server.url }).send(mail),
        failsWith(retryable, new RegExp(`\\(E\\w+ ${reply.slice(0, 3)}\\)`)),
      );
      assert.equal(server.received.length, 0);
    });

  it("is retried if it is unavailable, or refuses the sign-in", async (t) => {
    const gone = await startSmtpServer();
    await gone.close();
    await assert.rejects(open({ SMTP_URL: gone.url }).send(mail), failsWith(true, /ESOCKET|ECONN/));

    const strict = await startSmtpServer({ extensions: ["AUTH PLAIN"] });
    t.after(() => strict.close());
    strict.replies = { AUTH: ["535 wrong password"] };
    const { host } = new URL(strict.url);
    await assert.rejects(
      open({ SMTP_URL: `smtp://me:p%40ss@${host}` }).send(mail),
      failsWith(true, /EAUTH 535/),
    );
    await open({ SMTP_URL: `smtp://me:p%40ss@${host}` }).send(mail);
    assert.equal(strict.received.length, 1);
    const sent = strict.commands.find((line) => line.startsWith("AUTH PLAIN "))!;
    assert.equal(Buffer.from(sent.slice(11), "base64").toString(), "\0me\0p@ss");
  });

  it("gets no password in plain text beyond this machine", async (t) => {
    const plain = await startSmtpServer({ extensions: ["AUTH PLAIN"] });
    t.after(() => plain.close());
    const { port } = new URL(plain.url);
    // Resolves to this machine as well, but is not one of the known names for it.
    const elsewhere = `0.0.0.0:${port}`;

    await assert.rejects(
      open({ SMTP_URL: `smtp://me:secret@${elsewhere}` }).send(mail),
      failsWith(true, /ETLS/),
    );

    assert.deepEqual(
      plain.commands.filter((line) => line.startsWith("AUTH")),
      [],
    );
  });

  it("leaves no address, no link and no subject in the log", async () => {
    await open({ SMTP_URL: server.url }).send(mail);

    assert.equal(logged.length, 1);
    assert.doesNotMatch(logged.join(), /example\.org|s3cret|Straße/);
  });
});

describe("mail without a server", () => {
  const mailFolder = path.join(folder, "mail");
  afterEach(() => {
    rmSync(mailFolder, { recursive: true, force: true });
    logged.length = 0;
  });

  it("is a file that only the service's user can read", async () => {
    await open({}).send(mail);

    const [name] = readdirSync(mailFolder);
    assert.match(name!, /^[\dTZ-]+-[0-9a-f]{8}\.eml$/);
    const file = path.join(mailFolder, name!);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(mailFolder).mode & 0o777, 0o700);
    const message = readFileSync(file, "utf8");
    assert.equal(message.replaceAll("\r\n", "").includes("\n"), false, "lines end in CR LF (RFC 5322)");
    const read = readMail(message);
    assert.equal(read.headers["subject"], mail.subject);
    assert.equal(read.link, url);
    assert.ok(read.headers["date"] && read.headers["message-id"]);
  });

  it("is named in the log, without its address and its link", async () => {
    await open({}).send(mail);

    const lines = logged.map((line) => JSON.parse(line) as { file: string; msg: string });
    assert.equal(lines.length, 1);
    assert.equal(lines[0]!.file, path.join(mailFolder, readdirSync(mailFolder)[0]!));
    assert.doesNotMatch(logged.join(), /example\.org|s3cret|Straße/);
  });

  it("is one file for each of many concurrent mails, removed when it is old", async () => {
    const mailer = open({});
    await Promise.all(Array.from({ length: 20 }, () => mailer.send(mail)));
    const names = readdirSync(mailFolder);
    assert.equal(names.length, 20);
    const old = new Date(Date.now() - 86_400_000);
    for (const name of names.slice(0, 5)) utimesSync(path.join(mailFolder, name), old, old);

    assert.equal(await mailer.removeBefore(new Date(Date.now() - 3_600_000)), 5);
    assert.equal(readdirSync(mailFolder).length, 15);
  });

  it("has nothing to remove if none was written", async () => {
    assert.equal(await open({}).removeBefore(new Date()), 0);
  });
});

describe("the configuration of mail", () => {
  it("accepts a sender with and without a name", () => {
    const from = (text: string) => readConfig({ MAIL_FROM: text }).mailFrom;

    assert.deepEqual(from("ops@skills.example"), { name: "", address: "ops@skills.example" });
    assert.deepEqual(from('"The Ops" <ops@skills.example>'), {
      name: "The Ops",
      address: "ops@skills.example",
    });
    assert.deepEqual(from("Ops Ö <ops@skills.example>"), { name: "Ops Ö", address: "ops@skills.example" });
    for (const faulty of ["ops", "a@b, c@d", "Ops <ops>", "Ops\n <a@b>", "a@b>", "<a@b"])
      assert.throws(() => from(faulty), /MAIL_FROM/, faulty);
  });

  it("defaults to a sender at the host of the base URL", () => {
    const of = (base: string) => readConfig({ BASE_URL: base }).mailFrom.address;

    assert.equal(of("https://skills.example:8443/"), "no-reply@skills.example");
    assert.equal(of("http://[::1]:3000"), "no-reply@localhost");
    assert.equal(of("http://10.0.0.7"), "no-reply@localhost");
  });

  it("accepts mail servers by URL only", () => {
    for (const faulty of ["http://mail.example", "mail.example", "file:///etc/passwd"])
      assert.throws(() => readConfig({ SMTP_URL: faulty }), /SMTP_URL/, faulty);
    assert.equal(readConfig({ SMTP_URL: "smtps://mail.example" }).smtpUrl, "smtps://mail.example");
    assert.equal(readConfig({}).smtpUrl, undefined);
  });
});
