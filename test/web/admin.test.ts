/** The administration of the service in a real browser: jobs as they change, accounts, connections, settings. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import { openRunCounter } from "../../src/jobs/metrics.ts";
import { type Consumers, type Processors, queueNames } from "../../src/queue/index.ts";
import { accessibilityProblems, whyNoBrowser } from "../support/browser.ts";
import { connectionDoc } from "../support/connection.ts";
import { newMember } from "../support/organization.ts";
import { everyProcessor } from "../support/processors.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const permanently = (message: string) => Object.assign(new Error(message), { retryable: false });

describe("the administration", { skip: whyNoBrowser() ?? false }, async () => {
  const { service } = await setUpService({ ownQueue: true });
  const dashboard = await setUpDashboard(service);
  let consumers: Consumers | undefined;
  const admin = await service.newUser("chief");
  const ann = await service.newUser("ann");
  const org = await service.newOrg(ann, "lumen");

  afterEach(async () => {
    await consumers?.close();
    consumers = undefined;
    const { inspector } = service.app.queue;
    for (const queue of queueNames) {
      await inspector.resume(queue);
      for (const state of ["waiting", "delayed", "failed", "completed"] as const)
        for (const id of await inspector.ids(queue, state, 0, 2000)) await inspector.remove(queue, id);
    }
  });

  function consume(processors: Partial<Processors>) {
    const counter = openRunCounter(service.app);
    const started = service.app.queue.startConsumers(
      { ...everyProcessor(async () => {}), ...processors },
      { concurrency: 5, observe: (run) => counter.count(run) },
    );
    consumers = {
      async close() {
        await started.close();
        await counter.close();
      },
    };
  }

  const open = (user: TestUser | undefined, path: string) => dashboard.open(path, { user });
  const live = (page: Page, text: RegExp) => page.locator(".live", { hasText: text }).waitFor();
  const isLive = (page: Page) => live(page, /^Live$/);
  const jobRow = (page: Page, text: string) =>
    page.getByRole("region", { name: "Jobs" }).getByRole("row", { name: text });
  const addMail = (userId: string, delayMs?: number) =>
    service.app.queue.enqueue("mail.account", { userId }, delayMs === undefined ? {} : { delayMs });
  const signedIn = async (user: TestUser) =>
    (await service.call("GET", "/api/user/profile", { cookie: user.cookie })).status === 200;

  it("finds a person, suspends them with a reason, and restores them", async () => {
    const { page, troubles, outside } = await open(admin, "/admin/users");
    await page.getByRole("textbox", { name: "Find accounts" }).fill("an");
    await page.getByRole("row", { name: /chief/ }).waitFor({ state: "detached" });
    const row = page.getByRole("row", { name: /ann@example\.com/ });
    await row.getByText("lumen").waitFor();
    assert.equal(await signedIn(ann), true);

    await row.getByRole("button", { name: "Actions for ann" }).click();
    await page.getByRole("menuitem", { name: "Suspend" }).click();
    const dialog = page.getByRole("dialog", { name: "Suspend ann" });
    await dialog.getByRole("textbox", { name: "Reason" }).fill("<b>Spam</b> in three skills");
    assert.deepEqual(await accessibilityProblems(page), []);
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await row.getByText("<b>Spam</b> in three skills (by chief").filter({ visible: true }).waitFor();
    assert.equal(await signedIn(ann), false);

    await row.getByRole("button", { name: "Actions for ann" }).click();
    await page.getByRole("menuitem", { name: "Restore" }).click();
    const restore = page.getByRole("dialog", { name: "Restore ann" });
    await restore.getByRole("button", { name: "Restore" }).click();
    assert.equal(await restore.count(), 1, "a reason is required");
    await restore.getByRole("textbox", { name: "Reason" }).fill("Resolved");
    await restore.getByRole("button", { name: "Restore" }).click();
    await row.getByText("suspended", { exact: true }).first().waitFor({ state: "detached" });

    await page.getByRole("navigation", { name: "Administration" }).getByText("Audit log").click();
    const entry = page.getByRole("row", { name: /user\.suspended/ });
    assert.match(
      await entry.innerText(),
      /chief suspended the account ann\s+user\.suspended\s+<b>Spam<\/b> in three skills/,
    );
    await page.getByRole("row", { name: /user\.unsuspended.*Resolved/ }).waitFor();
    assert.deepEqual(troubles, []);
    assert.deepEqual(outside, []);
  });

  it("hands over the administrator's right, and sets who can sign up", async () => {
    const deputy = await service.newUser("deputy");
    const { page } = await open(admin, "/admin/users?query=dep");
    await page.getByRole("button", { name: "Actions for deputy" }).click();
    await page.getByRole("menuitem", { name: "Make administrator" }).click();
    await page.getByRole("textbox", { name: "Reason" }).fill("Holidays");
    await page.getByRole("dialog").getByRole("button", { name: "Make administrator" }).click();
    await page.locator(".badge.accent").filter({ visible: true }).waitFor();

    const other = await open(deputy, "/admin/settings");
    await other.page.getByRole("radio", { name: "By invitation" }).click();
    await other.page.getByRole("textbox", { name: "Reason" }).fill("Customers only");
    await other.page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
    await other.page.getByRole("radio", { name: "By invitation", checked: true }).waitFor();
    const about = await service.call<{ signUpOpen: boolean }>("GET", "/api/service");
    assert.equal(about.data.signUpOpen, false);
    await other.page.goto(`${service.url}/admin/users?only=administrators`);
    await other.page.getByRole("button", { name: "Actions for deputy" }).click();
    await other.page.getByRole("menuitem", { name: "Remove administrator" }).click();
    await other.page.getByText("This is your own account.").waitFor();
    await other.page.getByRole("textbox", { name: "Reason" }).fill("Back from holidays");
    await other.page.getByRole("dialog").getByRole("button", { name: "Remove administrator" }).click();
    await other.page.getByRole("heading", { name: "Not found" }).waitFor();
    const log = await service.call<AuditLogPayload>("GET", "/api/admin/audit-log?limit=3", admin);
    assert.deepEqual(
      log.data.entries.map(({ action, metadata }) => [action, metadata["reason"]]),
      [
        ["user.administrator_removed", "Back from holidays"],
        ["service.sign_up_changed", "Customers only"],
        ["user.administrator_granted", "Holidays"],
      ],
    );
    await service.call("PATCH", "/api/admin/settings", {
      cookie: admin.cookie,
      body: { signUp: "open", reason: "the next test" },
    });
  });

  it("shows a job fail as it happens, with its error and history, and retries and removes it", async () => {
    let isMended = false;
    consume({
      async "mail.account"() {
        if (!isMended) throw permanently("the <b>mail</b> server is away");
      },
    });
    const { page, troubles, outside } = await open(admin, "/admin/jobs");
    await isLive(page);
    await page.getByText("No failed job.").waitFor();

    await addMail(ann.id);
    await jobRow(page, "user ann").waitFor();
    assert.equal(await page.locator("main td b").count(), 0, "an error's text is no markup");
    await page.getByRole("link", { name: /^Failed 1$/ }).waitFor();
    await page
      .getByRole("row", { name: /^Mail/ })
      .getByRole("button", { name: "Retry failed in mail" })
      .waitFor();

    await jobRow(page, "user ann").getByRole("button", { name: "Send account mails" }).click();
    const dialog = page.getByRole("dialog", { name: "Send account mails" });
    await dialog.getByText("the <b>mail</b> server is away", { exact: true }).waitFor();
    await dialog.getByText(/attempt 1 failed after \d+ ms/).waitFor();
    await dialog.getByText("1 stack", { exact: true }).click();
    assert.match(await dialog.locator("pre").innerText(), /is away\n\s+at .*admin\.test\.(ts|js)/);
    assert.match(page.url(), /\?job=mail(\/|%2F)/);
    assert.deepEqual(await accessibilityProblems(page), []);

    isMended = true;
    await dialog.getByRole("button", { name: /^Retry/ }).click();
    await dialog.getByText("Completed", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("No failed job.").waitFor();
    assert.ok(!page.url().includes("job="));

    isMended = false;
    await addMail("u2");
    const remove = jobRow(page, "user u2").getByRole("button", { name: /^Remove/ });
    await remove.click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assert.equal((await service.app.queue.counts()).mail.failed, 1);
    await remove.click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No failed job.").waitFor();
    assert.equal((await service.app.queue.counts()).mail.failed, 0);
    await page.locator(".plot rect.failed").first().waitFor({ state: "attached" });
    assert.deepEqual(troubles, []);
    assert.deepEqual(outside, []);
  });

  it("pauses a queue and resumes it, and runs a delayed job now by keyboard alone", async () => {
    let ran = 0;
    consume({ "mail.account": async () => void ran++ });
    const { page, troubles } = await open(admin, "/admin/jobs?queue=mail");
    await isLive(page);
    await addMail("later", 600_000);

    await page.getByRole("link", { name: /^Delayed/ }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/state=delayed/);
    await jobRow(page, "user later").waitFor();
    const current = page.getByRole("navigation", { name: "State of the jobs" }).locator("[aria-current]");
    assert.match((await current.allTextContents()).join(), /^Delayed \d+$/);
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const label: unknown = await page.evaluate("document.activeElement.getAttribute('aria-label')");
      if (String(label).startsWith("Run now")) break;
    }
    await page.keyboard.press("Enter");
    await page.getByText("No delayed job in mail.").waitFor();
    await until("it ran", () => ran === 1);

    await page.getByRole("button", { name: "Pause mail" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("row", { name: /^Mail/ }).getByText("paused", { exact: true }).waitFor();
    await page.getByRole("link", { name: /^Waiting/ }).click();
    await addMail("held");
    await jobRow(page, "user held").waitFor();
    await page.getByRole("button", { name: "Resume mail" }).click();
    await page.getByText("No waiting job in mail.").waitFor();
    assert.equal(await service.app.queue.inspector.isPaused("mail"), false);
    await page.goto(`${service.url}/admin`);
    await page.getByText(`resumed the queue mail`).first().waitFor();
    assert.deepEqual(troubles, []);
  });

  it("keeps its view in the address, also the previous one, through reloads and the back button", async () => {
    const { page } = await open(admin, "/admin/workers?queue=orgs&range=day");
    await page.waitForURL(/\/admin\/jobs\?queue=orgs&range=day$/);
    await page.getByText("No failed job in Organizations.").waitFor();
    await page.getByRole("link", { name: /^Completed/ }).click();
    await page.getByText("No completed job in Organizations.").waitFor();
    await page.reload();
    await page.getByText("No completed job in Organizations.").waitFor();
    assert.equal(await page.getByRole("radio", { name: "Last day" }).isChecked(), true);
    assert.equal(await page.getByRole("combobox", { name: "Queue" }).inputValue(), "Organizations");
    await page.goBack();
    await page.getByText("No failed job in Organizations.").waitFor();
  });

  it("shows that it is not live when its stream is cut or silent, polls instead, and reconnects", async () => {
    const { page } = await open(admin, "/admin/jobs?state=waiting");
    await isLive(page);
    await page.route("**/api/admin/events", (route) => route.abort());
    await page.reload();
    await live(page, /^Not live: the figures are updated/);
    await addMail("polled");
    await jobRow(page, "user polled").waitFor();
    await page.route("**/api/admin/**", (route) => route.abort());
    await live(page, /^Not live: the service does not respond/);
    await page.unrouteAll();
    await page.locator(".live", { hasText: /^Live$/ }).waitFor();
    // A stream that sends what the test requests, with a simulated clock.
    const silent = await open(admin, "/");
    await silent.page.clock.install();
    await silent.page.addInitScript(
      "const Source = window.EventSource; window.EventSource = class extends EventTarget { constructor(url) { super(); if (!url.includes('admin')) return new Source(url); window.stream = this; } close() {} }",
    );
    const say = (event: string, data: string) =>
      silent.page.evaluate(`stream.dispatchEvent(new MessageEvent("${event}", { data: '${data}' }))`);
    await silent.page.goto(`${service.url}/admin/jobs`);
    await until("the stream", () => silent.page.evaluate<boolean>("window.stream !== undefined"));
    await say("queues", '{"queues":[],"marks":{}}');
    await isLive(silent.page);
    await silent.page.clock.runFor(26_000);
    await live(silent.page, /^Not live: the figures are updated/);
    await say("alive", "{}");
    await isLive(silent.page);
    await silent.context.close();
  });

  it("shows hundreds of jobs by pages, and retries all of them", async () => {
    consume({
      async "mail.account"({ userId }) {
        throw permanently(`no mail for ${userId}`);
      },
    });
    for (let i = 0; i < 120; i++) await addMail(`u${i}`);
    await until("every mail fails", async () => (await service.app.queue.counts()).mail.failed === 120, {
      timeoutMs: 60_000,
    });
    await consumers?.close();
    const { page } = await open(admin, "/admin/jobs?queue=mail");
    await page.getByRole("link", { name: /^Failed 120$/ }).waitFor();
    const rows = page.getByRole("region", { name: "Jobs" }).locator("tbody tr");
    const more = page.getByRole("button", { name: "Show more" });
    for (let shown = 25; shown < 120; shown += 25) {
      await until(`${shown} jobs are shown`, async () => (await rows.count()) === shown);
      await more.click();
    }
    await more.waitFor({ state: "detached" });
    assert.equal(new Set(await rows.locator("th").allInnerTexts()).size, 120);

    await page.getByRole("button", { name: "Retry failed in mail" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry all" }).click();
    await page.getByText("120 jobs will run again.").waitFor();
    assert.equal((await service.app.queue.counts()).mail.waiting, 120);
  });

  it("lists connections by the names of their organizations, those with a problem first", async () => {
    const { connections } = service.app.storage;
    const at = new Date(Date.UTC(2026, 0, 1));
    const problem = { code: "auth_failed" as const, message: "The token is refused.", at };
    for (let n = 0; n < 61; n++)
      await connections.insert(
        // By its id it would be the last one.
        connectionDoc(n, n === 0 ? { status: "blocked", problem, tenantId: org.id } : { lastLagMs: 1400 }),
      );
    const web = {
      kind: "github",
      repositoryId: "61",
      fullName: "lumen/skills",
      url: "https://git.example/x",
    };
    await connections.insert(
      connectionDoc(61, {
        status: "failing",
        failures: 2,
        wantedSince: at,
        problem: { ...problem, code: "remote_failed" },
        host: web as never,
        lastRemoteOid: "0123456789abcdef",
        lastSyncAt: at,
      }),
    );
    const { page, troubles } = await open(admin, "/admin/connections");
    const rows = page.getByRole("region", { name: "Connections" }).locator("tbody tr");
    await rows.nth(49).waitFor();
    assert.equal(await rows.count(), 50);
    assert.match(
      await rows.nth(0).innerText(),
      /failing\s+waits since [^]*0123456789[^]*remote_failed, .*2 in a row/,
    );
    assert.equal(await rows.nth(0).getByRole("link").getAttribute("href"), web.url);
    assert.match(await rows.nth(1).innerText(), /^lumen lumen\s+r0, main, local\s+blocked/);
    assert.match(await rows.nth(1).innerText(), /never\s+–\s+The token is refused\./);
    assert.equal(await rows.nth(1).getByRole("link").count(), 0, "no link to the service's own machine");
    assert.match(await rows.nth(2).innerText(), /active[^]*1\.4 s/);

    await assertAccessible(page, "connections");
    await page.getByRole("button", { name: "Show more" }).focus();
    await page.keyboard.press("Enter");
    await until("every connection is shown", async () => (await rows.count()) === 62);
    await page.goto(`${service.url}/admin`);
    await page.getByText("The connection of lumen is blocked: its organization has to act.").waitFor();
    assert.deepEqual(troubles, []);
    await service.app.storage.database.raw.collection("connections").deleteMany({});
  });

  it("is for everyone else as an address that does not exist, and requests nothing", async () => {
    const viewer = await newMember(service, org, "viewer");
    for (const user of [viewer, await service.newUser(), undefined]) {
      const { page } = await open(user, "/no-such-org/-/people");
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.getByRole("heading", { name: "Not found" }).waitFor();
      const unknown = await page.getByRole("main").textContent();
      for (const path of ["", "/users"]) {
        await page.goto(`${service.url}/admin${path}`);
        await page.getByRole("heading", { name: "Not found" }).waitFor();
        assert.equal(await page.getByRole("main").textContent(), unknown, path);
        assert.match(await page.title(), /^Not found/);
      }
      assert.deepEqual(
        asked.filter((url) => url.includes("/api/admin")),
        [],
      );
    }
  });

  it("has no accessibility problem with jobs in it, in both schemes, wide and narrow", async () => {
    consume({
      async "orgs.erase"() {
        throw permanently("x".repeat(400));
      },
    });
    await service.app.queue.enqueue("orgs.erase", { tenantId: org.id });
    await until("the failure", async () => (await service.app.queue.counts()).orgs.failed === 1);
    const { page, troubles } = await open(admin, "/admin/jobs");
    await jobRow(page, "organization lumen").waitFor();
    await page.getByText("Figures").click();
    await assertAccessible(page, "jobs");
    await page.getByRole("button", { name: "Pause mail" }).click();
    await page.getByRole("dialog").waitFor();
    await assertAccessible(page, "the question before a pause");
    await page.goto(`${service.url}/admin`);
    await page.getByText("1 job failed in Organizations.").waitFor();
    await assertAccessible(page, "overview");
    assert.deepEqual(troubles, []);
  });
});
