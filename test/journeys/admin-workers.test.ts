/** The page of the workers in a real browser: live updates, repairs, and no access for others. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { ConnectionPayload } from "../../contract/payloads/sync.ts";
import { openRunCounter } from "../../src/jobs/metrics.ts";
import { type Consumers, type Processors, queueNames } from "../../src/queue/index.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { newPage, openBrowser, whyNoBrowser, type WatchedPage } from "../support/browser.ts";
import { runGit, startGitHost, type GitHost } from "../support/host/git-host.ts";
import { everyProcessor } from "../support/processors.ts";
import { startService, type TestService, type TestUser } from "../support/service.ts";
import { until } from "../support/until.ts";

const reason = whyNoBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const permanently = (message: string) => Object.assign(new Error(message), { retryable: false });

describe("the page of the workers", { skip: reason ?? false }, () => {
  let service: TestService;
  let browser: Browser;
  let admin: TestUser;
  let consumers: Consumers | undefined;
  let gitHost: GitHost;
  let folder: string;
  let lastCommit: string;
  let activeUrl: string;
  const opened: WatchedPage[] = [];

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), "svc-admin-page-"));
    gitHost = await startGitHost();
    browser = await openBrowser();
    service = await startService({ ownQueue: true, localRepositories: folder, syncPrivateNetwork: true });
    admin = await service.newUser("chief");
    await connectThree();
  });
  afterEach(async () => {
    await consumers?.close();
    consumers = undefined;
    for (const { context } of opened.splice(0)) await context.close();
    const { inspector } = service.app.queue;
    for (const queue of queueNames) {
      await inspector.resume(queue);
      for (const state of ["waiting", "delayed", "failed", "completed"] as const)
        for (const id of await inspector.ids(queue, state, 0, 2000)) await inspector.remove(queue, id);
    }
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await gitHost?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Organizations with one connection each: in sync, waiting for a person, and failing temporarily. */
  async function connectThree(): Promise<void> {
    const connect = async (body: object, prepare?: (orgId: string) => void) => {
      const owner = await service.newUser();
      const org = await service.newOrg(owner);
      prepare?.(org.id);
      const { token } = owner;
      const made = await service.call<ConnectionPayload>("POST", `/api/tenants/${org.id}/repo-sync`, {
        token,
        body: { host: "local", ...body },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.data.id;
    };
    const isBlocked = await connect({ url: "blocked.git" }, (orgId) => {
      const bare = path.join(folder, orgId, "blocked.git");
      const copy = path.join(folder, "copy");
      mkdirSync(bare, { recursive: true });
      runGit(bare, "init", "-q", "--bare", "-b", "main");
      runGit(folder, "clone", "-q", bare, copy);
      runGit(copy, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},skills`);
      runGit(copy, "commit", "-q", "-m", "a submodule");
      runGit(copy, "push", "-q", "origin", "HEAD:main");
    });
    const [active, failing] = [await gitHost.newRepository(), await gitHost.newRepository()];
    for (const repository of [active, failing]) repository.commit({ "a.txt": "1" });
    const isActive = await connect({ url: active.remote.url });
    const isFailing = await connect({ url: failing.remote.url });
    await service.settled();
    await runConnection(service.app, isBlocked);
    await runConnection(service.app, isActive);
    await gitHost.trouble({ on: "fetch-refs", answer: { status: 502 } });
    await runConnection(service.app, isFailing);
    lastCommit = active.head()!;
    activeUrl = active.remote.url;
  }

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

  async function open(
    user: TestUser | undefined,
    search = "",
    options: Parameters<typeof newPage>[2] = {},
  ): Promise<WatchedPage> {
    const watched = await newPage(browser, service.url, { ...options, user });
    opened.push(watched);
    await watched.page.goto(`${service.url}/admin/workers${search}`);
    return watched;
  }

  const isLive = (page: Page) => page.locator("#live", { hasText: /^Live$/ }).waitFor();
  const rowOf = (page: Page, text: string) => page.locator("#jobs tbody tr", { hasText: text });
  const queueRow = (page: Page, name: string) =>
    page.locator("#queues tbody tr").filter({ has: page.getByRole("button", { name, exact: true }) });
  const addMail = (userId: string, delayMs?: number) =>
    service.app.queue.enqueue("mail.account", { userId }, delayMs === undefined ? {} : { delayMs });

  /** Violations that axe-core finds on the page. */
  async function violations(page: Page): Promise<string[]> {
    // By the debugger's own way, since the page's policy lets no foreign script in.
    await page.evaluate(axe);
    const found: unknown = await page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html).join(' ').slice(0, 300)))",
    );
    return found as string[];
  }

  it("is not found by callers who are not administrators", async () => {
    const someone = await service.newUser();
    const { page } = await open(someone);
    assert.match(await page.title(), /^Not found/);
    assert.equal((await page.goto(`${service.url}/admin/workers`))?.status(), 404);
    assert.equal(await page.locator("script").count(), 0);

    const stranger = await open(undefined);
    await stranger.page.waitForURL(/\/sign-in\?return_to=/);
  });

  it("shows a job fail as it happens, with its error and history, and retries and removes it", async () => {
    let isMended = false;
    consume({
      async "mail.account"() {
        if (!isMended) throw permanently(`the <b>mail</b> server is away`);
      },
    });
    const { page, troubles, outside } = await open(admin);
    await isLive(page);
    await page.getByText("No failed job.").waitFor();

    await addMail("u1");
    await rowOf(page, "userId u1").waitFor();
    assert.match(await queueRow(page, "mail").innerText(), /mail/);
    assert.equal(await page.locator("#jobs b").count(), 0, "an error's text is no markup");
    await page.getByRole("tab", { name: /Failed 1/ }).waitFor();

    await rowOf(page, "userId u1").getByRole("button", { name: "mail.account", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("the <b>mail</b> server is away", { exact: true }).waitFor();
    await dialog.getByText(/attempt 1 failed after \d+ ms/).waitFor();
    await dialog.getByText("The stack").click();
    assert.match(await dialog.locator("pre").innerText(), /is away\n\s+at .*admin-workers\.test\.ts/);
    assert.match(page.url(), /\?job=mail%2F/);
    assert.deepEqual(await violations(page), []);

    isMended = true;
    await dialog.getByRole("button", { name: /^Retry/ }).click();
    await dialog.getByText("Completed", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("No failed job.").waitFor();
    assert.ok(!page.url().includes("job="));

    isMended = false;
    await addMail("u2");
    await rowOf(page, "userId u2")
      .getByRole("button", { name: /^Remove/ })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assert.equal((await service.app.queue.counts()).mail.failed, 1);
    await rowOf(page, "userId u2")
      .getByRole("button", { name: /^Remove/ })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No failed job.").waitFor();
    assert.equal((await service.app.queue.counts()).mail.failed, 0);
    await page.locator("#plot rect.failed").first().waitFor({ state: "attached", timeout: 20_000 });
    assert.deepEqual(troubles, []);
    assert.deepEqual(outside, []);
  });

  it("pauses a queue and lets it go on", async () => {
    consume({});
    const { page, troubles } = await open(admin, "?state=waiting");
    await isLive(page);

    await queueRow(page, "mail").getByRole("button", { name: "Pause in mail" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
    await queueRow(page, "mail").getByText("paused", { exact: true }).waitFor();
    await addMail("held");
    await rowOf(page, "userId held").waitFor();
    await queueRow(page, "mail").getByRole("button", { name: "Resume in mail" }).click();
    await page.getByText("No waiting job.").waitFor();

    assert.equal(await service.app.queue.inspector.isPaused("mail"), false);
    const acts = page.locator("#acts li");
    await acts.filter({ hasText: "chief resumed the queue mail" }).waitFor();
    assert.match(
      (await acts.allInnerTexts()).slice(0, 2).join("\n"),
      /resumed [^]*chief paused the queue mail$/,
    );
    assert.deepEqual(troubles, []);
  });

  it("runs a delayed job now, by keyboard alone", async () => {
    let ran = 0;
    consume({ "mail.account": async () => void ran++ });
    const { page } = await open(admin, "?queue=mail");
    await isLive(page);
    await addMail("later", 600_000);

    await page.getByRole("tab", { name: /Failed/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(/state=delayed/);
    await rowOf(page, "userId later").waitFor();
    for (let i = 0; i < 10; i++) {
      await page.keyboard.press("Tab");
      const label: unknown = await page.evaluate("document.activeElement.getAttribute('aria-label')");
      if (String(label).startsWith("Run now")) break;
    }
    await page.keyboard.press("Enter");
    await page.getByText(/Job #.* runs now/).waitFor();
    await page.getByText("No delayed job of the queue mail.").waitFor();
    assert.equal(ran, 1);
  });

  it("shows the progress and errors of each connection, reachable by keyboard", async () => {
    const { page, troubles, outside } = await open(admin);
    const rowWith = (text: string) => page.locator("#connections tbody tr", { hasText: text });
    const cells = async (text: string) => rowWith(text).locator("th, td").allInnerTexts();

    await rowWith("active").waitFor();
    const [name, status, commit, synced, lag, failure] = await cells("active");
    assert.match(name!, /^127\.0\.0\.1:\d+\/repository-0\s+main, local, organization [0-9a-f]{24}$/);
    assert.deepEqual([status, commit, failure], ["active", lastCommit.slice(0, 10), "–"]);
    assert.match(synced!, /now|sec|min/);
    assert.match(lag!, /^\d+(\.\d)? (ms|s)$/);
    const blocked = await cells("blocked");
    assert.match(blocked[0]!, /^blocked\s+main, local/);
    assert.equal(blocked[3], "never");
    assert.match(
      blocked[5]!,
      /^skills is not a directory in the repository: .* \(skills_blocked, .*, 0 in a row\)$/,
    );
    const failing = await cells("failing");
    assert.match(failing[1]!, /^failing, waits since /);
    assert.match(failing[5]!, /\(remote_failed, .*, 1 in a row\)$/);

    assert.equal(await rowWith("blocked").locator("a").count(), 0, "what is on this machine has no address");
    const region = page.getByRole("region", { name: "Table of connections" });
    await region.focus();
    await page.keyboard.press("Tab");
    const focused: unknown = await page.evaluate("document.activeElement.href");
    assert.ok([activeUrl, activeUrl.replace("-0.", "-1.")].includes(String(focused)), String(focused));
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(troubles, []);
    assert.deepEqual(outside, []);
  });

  it("keeps its filters in the address, through reloads and the back button", async () => {
    const { page } = await open(admin);
    await isLive(page);

    await page.getByLabel("Queue", { exact: true }).selectOption("orgs");
    await page.getByRole("tab", { name: /Completed/ }).click();
    await page.getByRole("button", { name: "Last day" }).click();
    await page.getByText("No completed job of the queue orgs.").waitFor();
    assert.match(page.url(), /\?queue=orgs&state=completed&range=day$/);
    await page.reload();
    await page.getByText("No completed job of the queue orgs.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Last day" }).getAttribute("aria-pressed"), "true");
    assert.equal(await page.getByLabel("Queue", { exact: true }).inputValue(), "orgs");
    await page.goBack();
    await page.goBack();
    await page.getByText("No failed job of the queue orgs.").waitFor();
  });

  it("shows that it is not live when its stream is cut, polls instead, and reconnects", async () => {
    const { page } = await open(admin, "?state=waiting");
    await isLive(page);

    await page.route("**/api/admin/events", (route) => route.abort());
    await page.reload();
    await page.locator("#live", { hasText: /^Not live: the figures are asked for/ }).waitFor();
    await addMail("polled");
    await rowOf(page, "userId polled").waitFor();
    await page.route("**/api/admin/**", (route) => route.abort());
    await page.locator("#live", { hasText: /^Not live: the service does not answer/ }).waitFor();
    await page.unrouteAll();
    await page.locator("#live", { hasText: /^Live$/ }).waitFor({ timeout: 15_000 });
  });

  it("shows hundreds of jobs by pages, and stays usable while they change", async () => {
    consume({
      async "mail.account"({ userId }) {
        throw permanently(`no mail for ${userId}`);
      },
    });
    for (let i = 0; i < 400; i++) await addMail(`u${i}`);
    await until("every mail fails", async () => (await service.app.queue.counts()).mail.failed === 400, {
      timeoutMs: 60_000,
    });
    const { page } = await open(admin, "?queue=mail");
    await isLive(page);
    await page.getByRole("tab", { name: /Failed 400/ }).waitFor();
    const rows = page.locator("#jobs tbody tr");
    await rows.nth(49).waitFor();
    assert.equal(await rows.count(), 50);
    for (let pages = 2; pages <= 6; pages++) {
      await page.getByRole("button", { name: "Show more" }).click();
      await rows.nth(pages * 50 - 1).waitFor();
    }
    const keys: unknown = await page.evaluate(
      "[...document.querySelectorAll('#jobs tbody tr')].map((row) => row.dataset.key)",
    );
    assert.equal(new Set(keys as string[]).size, 300);

    await addMail("one-more");
    await page.getByText("This list has changed.").waitFor();
    await page.getByRole("button", { name: "Show it from its beginning" }).click();
    await rowOf(page, "userId one-more").waitFor();
    await page.getByRole("button", { name: "Retry failed in mail" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry all" }).click();
    await page.locator("#message", { hasText: /jobs wait to run again/ }).waitFor({ timeout: 30_000 });
  });

  it("has no accessibility violation, light and dark, wide and narrow, empty and full", async () => {
    for (let i = 0; i < 3; i++) await addMail(`held${i}`, 600_000);
    consume({
      async "orgs.erase"() {
        throw permanently("x".repeat(400));
      },
    });
    await service.app.queue.enqueue("orgs.erase", { tenantId: "t1" });
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1200, 360]) {
        const { page, troubles } = await open(admin, "", { colorScheme, width });
        await isLive(page);
        await rowOf(page, "tenantId t1").waitFor();
        await page.getByText("MongoDB").first().waitFor();
        await page.getByText("The figures").click();
        assert.deepEqual(await violations(page), [], `${colorScheme}, ${width}`);
        const wide: unknown = await page.evaluate("document.documentElement.scrollWidth");
        assert.ok(Number(wide) <= width, `the page is ${String(wide)} wide of ${width}`);
        await page.getByRole("tab", { name: /Running/ }).click();
        await page.getByText("No running job.").waitFor();
        assert.deepEqual(await violations(page), [], `empty, ${colorScheme}, ${width}`);
        await queueRow(page, "mail").getByRole("button", { name: "Pause in mail" }).click();
        assert.deepEqual(await violations(page), [], `asked, ${colorScheme}, ${width}`);
        assert.deepEqual(troubles, []);
      }
  });
});
