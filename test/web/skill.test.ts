/** The pages of one skill in a real browser: text, files, versions, numbers, settings, and what a stranger sees. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { PublishResult, SkillDetailPayload } from "../../contract/payloads/skills/skills.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";
import { makeZip } from "../support/zip.ts";

const name = "code-review";
/** Each way by which a text could run a script, or report its reader to another server. */
const hostile = [
  "<script>globalThis.isHacked = true</script>",
  '<img src=x onerror="globalThis.isHacked = true">',
  "[a script](javascript:globalThis.isHacked=true)",
  "[a coded script](&#106;avascript:globalThis.isHacked=true)",
  "[data](data:text/html,<script>globalThis.isHacked=true</script>)",
  "![a tracker](http://127.0.0.1:9/tracker.png)",
  "# <svg onload=globalThis.isHacked=true>",
].join("\n\n");
const readme = `---
name: ${name}
description: Use when you review <b>code</b>.
---

# Review code

Read the [guide](docs/guide.md) first.

${hostile}
`;
const mebibyte = 1024 * 1024;
const line = `${"x".repeat(63)}\n`;
const lines = (count: number) => Array.from({ length: count }, (_one, index) => `line ${index + 1}`);
const filesOf = (steps: string[]) => ({
  "SKILL.md": readme,
  "docs/guide.md": "# Guide\n",
  "steps.txt": `${steps.join("\n")}\n`,
  "large.txt": `${line.repeat(mebibyte / line.length)}beyond the limit\n`,
});

describe("the pages of a skill", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const at = (path = "") => `/${org.slug}/${name}${path}`;
  const read = async () =>
    (await service.call<SkillDetailPayload>("GET", `/api/skills/${org.slug}~${name}`, owner)).data;
  const open = (path: string, user = owner) => dashboard.open(at(path), { user });

  async function publish(path: string, steps: string[], fields: object): Promise<void> {
    const zip = makeZip(Object.entries(filesOf(steps)).map(([file, data]) => ({ name: file, data })));
    const body = { uploadId: await service.upload(owner, zip), ...fields };
    const made = await service.call<PublishResult>("POST", path, { token: owner.token, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }

  const member = await newMember(service, org, "member");
  await publish("/api/skills", lines(30), { tenantId: org.id, name, visibility: "private" });
  const versions = `/api/skills/${org.slug}~${name}/versions`;
  const changed = lines(30).with(9, "line ten, reworded");
  await publish(versions, changed, { bump: "minor", message: "Reword line 10" });
  await publish(versions, [...changed, "line 31"], { bump: "minor", message: "Add line 31" });
  await service.settled();

  it("show its text, in which nothing runs, loads or leads to a script", async () => {
    const { page, troubles, outside } = await open("");
    const text = page.getByRole("article");
    await text.getByRole("heading", { name: "Review code" }).waitFor();

    await text.getByText("<script>globalThis.isHacked = true</script>").waitFor();
    await text.getByText("[image: a tracker]").waitFor();
    const links = await text
      .locator("a:not(.anchor)")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    assert.deepEqual(
      links.filter((href) => href !== null),
      [at("/files/docs/guide.md")],
    );
    await text.getByText("[a script](javascript:globalThis.isHacked=true)").waitFor();
    assert.equal(await text.locator("script, img, svg[onload], [onerror]").count(), 0);
    assert.equal(await page.evaluate("'isHacked' in globalThis"), false);
    await assertAccessible(page, "the readme");
    assert.deepEqual([troubles, outside], [[], []]);
  });

  it("link to lines of files, and show the first MiB of a large one", async () => {
    const { page, troubles } = await open("/files/steps.txt");
    await page.getByRole("link", { name: "Line 4", exact: true }).click();
    await page.getByRole("link", { name: "Line 9", exact: true }).click({ modifiers: ["Shift"] });
    await page.waitForURL("**/files/steps.txt#L4-9");
    const box = await page.getByRole("link", { name: "Line 4", exact: true }).boundingBox();
    assert.ok(box && box.height >= 24 && box.width >= 24, "as large as WCAG 2.5.8 requires");
    await assertAccessible(page, "a file");

    await page.reload();
    await page.locator(".code-line.selected").first().waitFor();
    assert.deepEqual(
      await page.locator(".code-line.selected .number").allInnerTexts(),
      lines(9)
        .map((_one, index) => String(index + 1))
        .slice(3),
    );
    await page.goto(service.url + at("/files/large.txt"));
    await page.getByText("The first 1.0 MB of 1.0 MB.", { exact: false }).waitFor();
    await page.goto(`${service.url}${at("/files/large.txt")}#L${mebibyte / line.length}`);
    await page.getByRole("link", { name: `Line ${mebibyte / line.length}`, exact: true }).waitFor();
    assert.equal(await page.getByText("beyond the limit").count(), 0, "what follows the first MiB is cut");
    assert.deepEqual(troubles, []);
  });

  it("compare two versions that are chosen, the older one first", async () => {
    const { page, troubles } = await open("/versions");
    await page.getByText("Add line 31").waitFor();
    await assertAccessible(page, "the versions");
    await page.getByRole("checkbox", { name: "Compare 1.2.0" }).check();
    await page.getByRole("checkbox", { name: "Compare 1.0.0" }).check();
    await page.getByRole("link", { name: "Compare 1.0.0 with 1.2.0" }).click();
    await page.waitForURL(`**${at("/compare/1.0.0...1.2.0")}`);

    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("line ten, reworded").waitFor();
    await changes.getByText("Added: line 31").waitFor();
    assert.equal(await changes.getByText("line 20").count(), 0, "what is equal is left out");
    await changes.getByRole("button", { name: "Show 14 unchanged lines" }).click();
    await changes.getByText("line 20", { exact: true }).waitFor();
    await assertAccessible(page, "a comparison");
    assert.deepEqual(troubles, []);
  });

  it("compare with the place of each change, changed words, files without a last newline, and scripts", async () => {
    const before = `---\nname: Compared\ndescription: Reviews code.\n---\n# Title\n\n## Steps\n\n${lines(9).join("\n")}`;
    const after = before.replace("Reviews code", "Reviews Go code").replace("line 9", "line nine");
    const packageOf = async (files: Record<string, string>) =>
      service.upload(owner, makeZip(Object.entries(files).map(([file, data]) => ({ name: file, data }))));
    const body = { tenantId: org.id, name: "Compared", uploadId: await packageOf({ "SKILL.md": before }) };
    await service.call("POST", "/api/skills", { token: owner.token, body });
    const script = "#!/bin/sh\ncurl https://example.com\n";
    const files = { "SKILL.md": `${after}\n`, "run.sh": script };
    await service.call("POST", `/api/skills/${org.slug}~compared/versions`, {
      token: owner.token,
      body: { uploadId: await packageOf(files) },
    });

    const { page, troubles } = await dashboard.open(
      `/${org.slug}/compared/compare/1.0.0...1.0.1?view=split`,
      {
        user: owner,
      },
    );
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("The new script run.sh calls the network").waitFor();
    await changes.locator(".gap", { hasText: "## Steps" }).waitFor();
    await changes.locator("ins", { hasText: /^Go $/ }).first().waitFor();
    const ended = changes.locator(".half", { hasText: "No newline at end of file" });
    assert.deepEqual(await ended.locator(".number").allTextContents(), ["17"]);
    await assertAccessible(page, "a comparison with a script");
    assert.deepEqual(troubles, []);
  });

  it("revert to a version, and lead from an old one to the current one", async () => {
    const { page, troubles } = await open("?version=1.0.0");
    await page.getByText("This version is 2 versions behind the current one.").waitFor();
    await page.goto(service.url + at("/versions"));
    await page.getByRole("button", { name: "Actions for 1.1.0" }).click();
    await page.getByRole("menuitem", { name: "Revert to 1.1.0" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revert to 1.1.0" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await read()).currentSemver, "1.1.0");

    await page.goto(service.url + at("/files/steps.txt?version=1.2.0"));
    await page.getByText("This version is newer than the current one").waitFor();
    await page.getByRole("link", { name: "Show 1.1.0" }).click();
    await page.getByText("This version is newer").waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, at("/files/steps.txt"), "the tab stays");
    assert.deepEqual(troubles, []);
  });

  it("count downloads by day, and list installs with those that are outdated first", async () => {
    const download = await service.raw("GET", `/api/skills/${org.slug}~${name}/package`, owner);
    assert.equal(download.status, 200);
    flushDownloads(service.app);
    await service.settled();
    for (const [user, version] of [
      [owner, 2],
      [member, 1],
    ] as const) {
      const place = { platform: "claude", scope: "global", machine: user.username, version };
      const path = `/api/skills/${org.slug}~${name}/installs`;
      assert.ok((await service.call("PUT", path, { token: user.token, body: place })).status < 300);
    }
    const { page, troubles } = await open("/analytics?as=table");
    const today = page.getByRole("region", { name: "Downloads by day" }).getByRole("row").nth(1);
    await today.waitFor();
    assert.match(await today.innerText(), /^\d{4}-\d\d-\d\d\s+0\s+0\s+1$/);
    await assertAccessible(page, "the analytics");
    await page.getByText("Chart", { exact: true }).click();
    const chart = page.getByRole("group", { name: "Downloads by day and source" });
    await chart.getByRole("application").focus();
    await page.keyboard.press("End");
    await chart.locator(".recharts-tooltip-wrapper").getByText("API").waitFor();
    await assertAccessible(page, "the analytics as a chart");
    await page.getByRole("link", { name: "Installs", exact: true }).click();
    await page.getByText("2 installs, 1 of them outdated.").waitFor();
    const list = page.getByRole("region", { name: "List of installs" }).getByRole("row");
    await list.nth(2).waitFor();
    const rows = await list.allInnerTexts();
    assert.match(rows[1]!, new RegExp(`${member.username}.*1\\.0\\.0.*behind`, "s"));
    assert.doesNotMatch(rows[2]!, /behind/);
    await assertAccessible(page, "the installs");
    await page.getByRole("checkbox", { name: "Outdated only" }).check();
    await page.waitForURL(/outdated=true/);
    await page.getByRole("status").filter({ hasText: "1 install of 2" }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    const saved = await readFile(await file.path(), "utf8");
    assert.deepEqual(
      saved
        .trim()
        .split("\r\n")
        .map((row) => row.split(",").slice(1, 6).join(" ")),
      ["username tool scope version outdated", `${member.username} claude global 1.0.0 yes`],
    );
    assert.deepEqual(troubles, []);
  });

  it("show a stranger and a visitor the same as for a skill that does not exist", async () => {
    const stranger = await service.newUser();
    const textOf = async (page: Page) => {
      await page.getByRole("heading", { name: "Not found" }).waitFor();
      return page.getByRole("main").innerText();
    };
    for (const user of [stranger, undefined]) {
      for (const tab of ["", "/compare/1.0.0...1.1.0"]) {
        const { page } = await dashboard.open(at(tab), { user });
        const found = await textOf(page);
        await page.goto(`${service.url}/${org.slug}/never-existed${tab}`);
        assert.equal(found, await textOf(page), tab);
        assert.doesNotMatch(found, /review/i);
      }
    }
  });

  it("change its settings after showing who can read it then", async () => {
    const { page, troubles } = await open("/settings");
    const general = page.getByRole("form", { name: "General" });
    await general.getByRole("textbox", { name: "Description" }).fill("Use when you review code.");
    await general.getByRole("button", { name: "Save" }).click();
    await page.locator(".about").getByText("Use when you review code.").waitFor();
    await page.getByRole("radio", { name: "Public" }).check();
    await page.getByText("After: everyone on the internet", { exact: false }).waitFor();
    await assertAccessible(page, "the settings");
    assert.equal((await read()).visibility, "private", "nothing is changed before it is confirmed");
    await page.getByRole("button", { name: "Change visibility" }).click();
    await page.getByRole("button", { name: "Make it public" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });

    const { visibility, description } = await read();
    assert.deepEqual([visibility, description], ["public", "Use when you review code."]);
    assert.deepEqual(troubles, []);
  });
});
