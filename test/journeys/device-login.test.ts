/** `svc login` with a person at a real browser: set-up, sign-in, the approval page, and every way it can end. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { newPage, openBrowser, whyNoBrowser } from "../support/browser.ts";
import { keepContract } from "../support/cli-contract.ts";
import { type Cli, openCli } from "../support/cli.ts";
import { sharedEngines } from "../support/engine.ts";
import { callApi } from "../support/http-client.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";

const password = "correct horse battery";
/** Set to keep a screenshot of every page. */
const pictures = process.env["SVC_TEST_PICTURES"];

describe("device login in a browser", { skip: whyNoBrowser() }, async () => {
  const dataDir = temporaryFolder("device");
  const home = realpathSync(temporaryFolder("home"));
  const server = await startServer({ dataDir, env: await sharedEngines() });
  const browser = await openBrowser();
  const person = await newPage(browser, server.url);
  const svc = openCli({ home, apiUrl: () => server.url, cwd: home });
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });

  after(async () => {
    for (const login of logins) login.kill();
    await browser.close();
    await server.stop();
    await assertNothingRuns(dataDir);
    for (const folder of [dataDir, home]) removeFolder(folder);
  });

  /** A screenshot, and checks of every page: no errors, no external resources, nothing wider than the window. */
  async function look(page: Page, name: string, watched = person): Promise<void> {
    if (pictures !== undefined)
      await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
    assert.deepEqual([watched.troubles, watched.outside], [[], []], name);
    const [content, frame] = await page.evaluate<[number, number]>(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    );
    assert.ok(content <= frame, `${name} is ${content} wide in a window of ${frame}`);
  }

  /** Logins that still wait when a test fails would keep this process running. */
  const logins: ReturnType<Cli["start"]>[] = [];

  async function openCode(): Promise<{ login: ReturnType<Cli["start"]>; url: string; code: string }> {
    const login = svc.start(["login", "-o", "json"]);
    logins.push(login);
    const pending = keepContract("loginPending", await login.line(0));
    return { login, url: pending.verificationUrl, code: pending.userCode };
  }

  it("sets the service up from its one-time link", async () => {
    const { page } = person;
    await page.goto(server.setupLink!);
    await look(page, "setup");
    await page.getByLabel("Your name").fill("Marie Curie");
    await page.getByLabel("User name").fill("marie");
    await page.getByLabel("E-mail").fill("marie@example.com");
    await page.getByLabel("Password").fill("short");
    await page.getByLabel("Organization").fill("Radium Institute");
    await page.getByRole("button", { name: "Create account" }).click();
    assert.match(page.url(), /\/setup/, "the browser itself refuses a short password");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await look(page, "start-signed-in");
    await page.getByRole("button", { name: "marie" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    await look(page, "start");
    await page.goto(server.setupLink!);
    assert.match(page.url(), /\/sign-in/, "the link is worth nothing any more");
  });

  it("signs in first, shows the code and the client, and approves", async () => {
    const { page } = person;
    const { login, url, code } = await openCode();
    assert.match(code, /^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/);

    await page.goto(url);
    await page.getByLabel("E-mail").waitFor();
    await look(page, "sign-in");
    await page.getByLabel("E-mail").fill("marie@example.com");
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    // The browser reports every response with a status from 400 on.
    assert.equal(person.troubles.filter((text) => !text.includes("401")).length, 0);
    person.troubles.length = 0;
    await look(page, "sign-in-refused");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.getByText(code, { exact: true }).waitFor();
    await look(page, "device");
    const shown = await page.getByRole("main").innerText();
    assert.ok(shown.includes(hostname()), "the client's name");
    assert.ok(shown.includes("127.0.0.1"), "where it asked from");
    assert.ok(shown.includes("marie"), "whom it would act as");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("The client is signed in").waitFor();
    await look(page, "device-approved");

    const authenticated = keepContract("loginAuthenticated", await login.line(1));
    assert.equal(authenticated.user?.username, "marie");
    const done = await login.ended;
    assert.deepEqual([done.code, done.stderr], [0, ""]);
    assert.equal(done.stdout.split("\n").length, 3, "two lines and no more");
    assert.equal(keepContract("whoami", await svc.json(["whoami"])).username, "marie");
    const config = readFileSync(path.join(home, ".svc", "config.json"), "utf8");
    assert.match(config, /"token": "lsk_[0-9a-f]{64}"/);
  });

  it("ends with E_AUTH_DENIED when the person denies, and keeps the earlier login", async () => {
    const { page } = person;
    const { login, code } = await openCode();
    await page.goto(`${server.url}/device`);
    await look(page, "device-code");
    await page.getByLabel("Code").fill(code.toLowerCase().replace("-", " "));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("refused").waitFor();
    await look(page, "device-denied");

    const done = await login.ended;
    assert.equal(done.code, 1);
    assert.equal((JSON.parse(done.stderr) as { error: { code: string } }).error.code, "E_AUTH_DENIED");
    assert.equal(done.stdout.split("\n").length, 2, "the pending line alone");
    assert.equal(keepContract("whoami", await svc.json(["whoami"])).username, "marie");
  });

  it("accepts a code only once", async () => {
    const { page } = person;
    const { login, url } = await openCode();
    await page.goto(url);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("The client is signed in").waitFor();
    await login.ended;

    await page.goto(url);
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
    assert.equal(person.troubles.filter((text) => !/40[0-9]/.test(text)).length, 0);
    person.troubles.length = 0;
    await look(page, "device-used");
  });

  it("ends with E_AUTH_EXPIRED if the code was exchanged for a token elsewhere", async (context) => {
    const { page } = person;
    const relay = await openRelay(server.url);
    context.after(relay.close);
    const login = svc.start(["login", "-o", "json"], { env: { SVC_API_URL: relay.url } });
    logins.push(login);
    await login.line(0);
    const { device_code, verification_uri_complete } = await relay.code;
    await page.goto(verification_uri_complete);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("The client is signed in").waitFor();
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const taken = await fetch(`${server.url}/api/auth/device/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type, device_code, client_id: "svc-cli" }),
    });
    assert.equal(taken.status, 200);
    relay.letPollsThrough();

    const done = await login.ended;
    assert.equal(done.code, 1);
    assert.equal((JSON.parse(done.stderr) as { error: { code: string } }).error.code, "E_AUTH_EXPIRED");
  });

  it("records every approved sign-in", async () => {
    // The stored login has ended: the token for the same machine's other code has replaced it.
    assert.equal((await svc.failure(["whoami"])).code, "E_NOT_AUTHENTICATED");
    const body = { email: "marie@example.com", password };
    const signedIn = await callApi(server.url, "POST", "/api/auth/sign-in", { body });
    const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
    const log = await callApi<{ entries: { action: string }[] }>(server.url, "GET", "/api/user/audit-log", {
      cookie,
    });
    const approved = log.data.entries.filter(({ action }) => action === "user.cli_login");
    assert.equal(approved.length, 3);
  });

  it("describes the API on a page of its own", async () => {
    const docs = await newPage(browser, server.url);
    await docs.page.goto(`${server.url}/docs`);
    await docs.page.getByText("Authorize").first().waitFor();
    await look(docs.page, "docs", docs);
    await docs.page.getByRole("heading", { name: /^Skills/ }).click();
    const resolve = docs.page.getByText("/api/skills/resolve").first();
    await resolve.click();
    await docs.page.getByText("Parameters").first().waitFor();
    await look(docs.page, "docs-open", docs);
    await docs.context.close();
  });

  it("fits a phone and dark mode", async () => {
    const phone = await newPage(browser, server.url, { width: 360, colorScheme: "dark" });
    for (const [name, address] of [
      ["start", "/"],
      ["sign-in", "/sign-in"],
      ["sign-up", "/sign-up"],
    ] as const) {
      await phone.page.goto(server.url + address);
      await look(phone.page, `phone-${name}`, phone);
    }
    await phone.context.close();
  });
});

interface DeviceCode {
  device_code: string;
  verification_uri_complete: string;
}

/** A proxy between client and service: reports the device code, and delays polls until it is released. */
async function openRelay(target: string) {
  let tellCode: (code: DeviceCode) => void;
  const code = new Promise<DeviceCode>((resolve) => (tellCode = resolve));
  let letPollsThrough = () => {};
  const open = new Promise<void>((resolve) => (letPollsThrough = resolve));
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === "/api/auth/device/token") await open;
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers: { "content-type": request.headers["content-type"] ?? "text/plain" },
      body: chunks.length > 0 ? new Uint8Array(Buffer.concat(chunks)) : undefined,
    });
    const text = await answer.text();
    if (request.url === "/api/auth/device/code") tellCode(JSON.parse(text) as DeviceCode);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  };
  const relay = createServer(
    (request, response) => void pass(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const { port } = relay.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    code,
    letPollsThrough,
    close() {
      relay.closeAllConnections();
      relay.close();
    },
  };
}
