/** The first minutes with an empty service: from its set-up link to an installed skill, with the real client. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { Locator } from "playwright-core";
import { releaseBrowser, newPage, sharedBrowser, whyNoBrowser } from "../support/browser.ts";
import { sharedEngines } from "../support/engine.ts";
import {
  assertNothingRuns,
  plainEnv,
  removeFolder,
  startServer,
  temporaryFolder,
} from "../support/server.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "../support/web/dashboard.ts";
import { typeInto } from "../support/web/keyboard.ts";

const maxClicks = 8;
const skillText =
  "---\nname: release-notes\ndescription: Use when you write the notes of a release.\n---\n\n# Release notes\n\nList what changed.\n";

describe("the first minutes with a service", { skip: whyNoBrowser() ?? false }, async () => {
  const dataDir = temporaryFolder("first-skill");
  const home = temporaryFolder("home");
  const browser = await sharedBrowser();
  const server = await startServer({ dataDir, env: await sharedEngines() });
  after(async () => {
    await releaseBrowser(browser);
    await server.stop();
    await assertNothingRuns(dataDir);
    for (const folder of [dataDir, home]) removeFolder(folder);
  });

  it(`lead from the set-up link to an installed skill with ${maxClicks} clicks and one command`, async (t) => {
    const { page, context, troubles, outside } = await newPage(browser, server.url, { width: 1440 });
    let clicks = 0;
    await context.exposeFunction("countClick", () => clicks++);
    await context.addInitScript(
      'addEventListener("click", (event) => event.isTrusted && event.detail > 0 && countClick(), true)',
    );
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const button = (name: string | RegExp): Locator => page.getByRole("button", { name });

    await page.goto(server.setupLink!);
    for (const [label, value] of [
      ["Your name", "Ada Byrne"],
      ["User name", "ada"],
      ["E-mail", "ada@example.com"],
      ["Password", "correct horse battery staple"],
      ["Organization", "Acme"],
    ] as const)
      await typeInto(page.getByLabel(label), value);
    await button("Create account").click();
    await page.getByRole("heading", { name: "First steps" }).waitFor();

    await page.getByRole("link", { name: "Publish", exact: true }).click();
    await page.getByRole("textbox", { name: "SKILL.md" }).waitFor();
    await typeInto(page.getByRole("textbox", { name: "SKILL.md" }), "");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(skillText);
    await page.getByText("acme/release-notes").first().waitFor();
    await button(/^Publish/).click();
    await page.waitForURL("**/acme/release-notes");

    await page.getByRole("combobox", { name: "Tool" }).click();
    await page.getByRole("option", { name: "Claude Code" }).click();
    await page.reload();
    await page.getByText("svc install acme/release-notes -t claude").waitFor();
    await page.getByText("svc is not installed yet").click();
    await assertAccessible(page, "the command for a new machine");
    await button("Copy the command for a new machine").click();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.equal(
      command,
      `curl -fsSL ${server.url}/cli/install.sh | sh -s -- install acme/release-notes -t claude -g`,
    );

    const running = runCommand(command, home);
    t.after(running.kill);
    const [, address, code] = await until(
      "the client to wait for its approval",
      () => /Open (\S+) and enter this code:\s+(\S+)/.exec(running.output()) ?? undefined,
    );
    await page.goto(address!);
    await typeInto(page.getByLabel("Code"), code!);
    await page.keyboard.press("Enter");
    await button("Approve").click();
    await page.getByText("The client is signed in").waitFor();
    assert.equal(await running.ended, 0, running.output());

    const installed = path.join(home, ".claude", "skills", "release-notes", "SKILL.md");
    assert.ok(existsSync(installed), running.output());
    assert.equal(readFileSync(installed, "utf8"), skillText);
    assert.ok(clicks > 3 && clicks <= maxClicks, `${clicks} clicks`);
    assert.deepEqual([...troubles, ...outside], []);
  });
});

/** A line of a shell, on a machine without svc and without a terminal. */
function runCommand(line: string, home: string) {
  const child = spawn("sh", ["-c", line], {
    cwd: home,
    // Nothing is requested from npm's registry.
    env: plainEnv({
      HOME: home,
      npm_config_prefix: path.join(home, "npm"),
      npm_config_registry: "http://127.0.0.1:9/",
    }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let written = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (written += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const kill = () => void (child.exitCode ?? process.kill(-child.pid!, "SIGKILL"));
  return { ended, output: () => written, kill };
}
