/** The pages of one skill in a real browser: reading, files, versions, comparison, settings, and hostile content. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import {
  accessibilityProblems,
  newPage,
  openBrowser,
  sidewaysOverflow,
  whyNoBrowser,
} from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";
import { makeZip } from "../support/zip.ts";

const reason = whyNoBrowser();

const hostileText = [
  "# Steps",
  "See [the script](scripts/run.py), [evil](javascript:alert(1)) and <script>alert(1)</script>.",
  "![pixel](https://example.com/pixel.png) \u202Edesrever\u202C <img src=x onerror=alert(1)>",
  "## More",
].join("\n\n");

const filesOf = (description: string, lines: string[]) =>
  makeZip([
    { name: "SKILL.md", data: `---\nname: tools\ndescription: ${description}\n---\n\n${hostileText}\n` },
    { name: "scripts/run.py", data: `${lines.join("\n")}\n` },
    { name: "assets/data.bin", data: Buffer.from([0, 1, 2, 255]) },
    { name: "reference/nested.md", data: Array.from({ length: 100_000 }, () => `${" ".repeat(38)}- item`).join("\n") },
  ]);
const numbered = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word} ${n}`);

describe("the pages of a skill", { skip: reason ?? false }, () => {
  let service: TestService;
  let browser: Browser;
  let owner: TestUser;
  let viewer: TestUser;
  let org: TestOrg;
  let base: string;

  before(async () => {
    execFileSync(process.execPath, ["scripts/build.mjs", "web"], { stdio: "inherit" });
    service = await startService();
    browser = await openBrowser();
    owner = await service.newUser();
    org = await service.newOrg(owner);
    viewer = await newMember(service, org, "viewer");
    const { token } = owner;
    const publish = async (path: string, body: object) => {
      const made = await service.call("POST", path, { token, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
    };
    await publish("/api/skills", {
      tenantId: org.id,
      name: "tools",
      uploadId: await service.upload(owner, filesOf("Old words.", numbered(60, "line"))),
    });
    const changed = numbered(60, "line").with(40, "line forty");
    const upload = await service.upload(owner, filesOf("New words.", changed));
    await publish(`/api/skills/${org.slug}~tools/versions`, { uploadId: upload, bump: "minor", message: "Second" });
    await service.settled();
    base = `${service.url}/${org.slug}/tools`;
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const open = (user?: TestUser, options: { colorScheme?: "light" | "dark"; width?: number } = {}) =>
    newPage(browser, service.url, { width: 1440, ...options, user });

  it("shows the text without its scripts, links and pictures of other servers, and hidden characters as marks", async () => {
    const { page, context, troubles, outside } = await open(owner);
    await page.goto(base);
    const text = page.getByRole("article");
    await text.getByRole("heading", { name: "Steps" }).waitFor();

    assert.equal(await page.title(), `${org.slug}/tools · Skill registry`);
    assert.match(await text.innerText(), /triggers on\s+New words\./);
    assert.match(await text.innerText(), /⟨U\+202E⟩desrever⟨U\+202C⟩/);
    assert.match(await text.innerText(), /\[image: pixel\]/);
    assert.match(await text.innerText(), /<script>alert\(1\)<\/script>/);
    assert.equal(await text.locator("script, img, [onerror], a[href^='javascript']").count(), 0);
    await text.getByRole("link", { name: "the script" }).click();
    await page.getByRole("heading", { name: "scripts/run.py" }).waitFor();
    assert.deepEqual(troubles, []);
    assert.deepEqual(outside, []);
    await context.close();
  });

  it("shows files by line, in bytes, and as source if they are too large to render", async () => {
    const { page, context, troubles } = await open(owner);
    await page.goto(`${base}/files/scripts/run.py#L40-42`);
    await page.getByRole("link", { name: "Line 41", exact: true }).waitFor();
    await page.getByRole("link", { name: "Line 45", exact: true }).click({ modifiers: ["Shift"] });
    await page.waitForURL(/#L40-45$/);
    await page.getByLabel("Filter files").fill("data");
    await page.getByRole("link", { name: "data.bin" }).click();
    await page.getByText("00000000  00 01 02 ff").waitFor();
    await page.goto(`${base}/files/reference/nested.md`);
    await page.getByText("too large to show as a page").waitFor();
    await page.getByRole("button", { name: "Show the source" }).click();
    await page.getByText("The first 1.0 MB of").waitFor();
    assert.ok((await page.locator("code").count()) < 200, "only the lines in view are drawn");

    assert.deepEqual(troubles, []);
    await context.close();
  });

  it("leads by keys to versions, their comparison and the exact version", async () => {
    const { page, context, troubles } = await open(owner);
    await page.goto(base);
    await page.getByRole("heading", { name: "Steps" }).waitFor();
    await page.keyboard.press("v");
    await page.getByLabel("Compare 1.0.0").check();
    await page.getByLabel("Compare 1.1.0").check();
    await page.getByRole("link", { name: "Compare 1.0.0 with 1.1.0" }).click();
    await page.getByText("The description changed").waitFor();
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.locator("ins", { hasText: "forty" }).waitFor();
    await page.getByRole("button", { name: "Swap the versions" }).click();
    await changes.locator("del", { hasText: "forty" }).waitFor();
    assert.match(page.url(), /compare\/1\.1\.0\.\.\.1\.0\.0$/);
    await page.goto(`${base}?version=1.0.0`);
    await page.getByText("This version is 1 version behind the current one.").waitFor();
    await page.getByRole("link", { name: "Show 1.1.0" }).click();
    await page.getByText("behind the current one").waitFor({ state: "detached" });
    await page.keyboard.press("y");
    await page.waitForURL(/\?version=1\.1\.0$/);

    assert.deepEqual(troubles, []);
    await context.close();
  });

  it("draws only the rows in view of 50,000 changed lines", async () => {
    const { page, context } = await open(owner);
    const lines = Array.from({ length: 50_000 }, (_, n) => `${n % 2 === 0 ? "-" : "+"}line ${n}`);
    const hunk = { oldStart: 1, oldLines: 25_000, newStart: 1, newLines: 25_000, lines };
    const file = { path: "a.txt", status: "modified", binary: false, truncated: false, hunks: [hunk] };
    await page.route("**/api/skills/*/diff?*", (call) =>
      call.fulfill({ json: { success: true, data: { from: 1, to: 2, files: [file] } } }),
    );
    await page.goto(`${base}/compare/1.0.0...1.1.0`);
    await page.getByText("50,000 changed lines are hidden.").waitFor();
    await page.getByRole("button", { name: "Show them" }).click();
    await page.locator("ins").first().waitFor();

    assert.ok((await page.locator("ins, del").count()) < 400);
    await context.close();
  });

  it("changes the settings of those who may, and deletes only after the slug was typed", async () => {
    const { page, context } = await open(owner);
    await service.call("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.id, name: "brief", content: "# Brief\n" },
    });
    await page.goto(`${service.url}/${org.slug}/brief/settings`);
    await page.getByLabel("Description").fill("Other words.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Other words.").first().waitFor();
    await page.getByRole("radio", { name: "Public" }).check();
    await page.getByText("everyone on the internet").waitFor();
    await page.getByRole("button", { name: "Change visibility" }).click();
    await page.getByRole("button", { name: "Make it public" }).click();
    await page.getByText("public", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog");
    assert.ok(await dialog.getByRole("button", { name: "Delete" }).isDisabled());
    await dialog.getByRole("textbox").fill("brief");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.waitFor({ state: "detached" });

    const gone = await service.call("GET", `/api/skills/${org.slug}~brief`, { token: owner.token });
    assert.equal(gone.status, 404);
    await context.close();
  });

  it("offers viewers only reading, and shows strangers nothing that an unknown skill would not", async () => {
    const reading = await open(viewer);
    await reading.page.goto(base);
    await reading.page.getByRole("heading", { name: "Steps" }).waitFor();
    const tabs = reading.page.getByRole("navigation", { name: "Skill" });
    assert.equal(await tabs.getByRole("link", { name: "Settings" }).count(), 0);
    assert.equal(await reading.page.getByRole("link", { name: "Edit" }).count(), 0);
    await reading.context.close();

    const stranger = await service.newUser();
    for (const user of [undefined, stranger]) {
      const { page, context } = await open(user);
      const seen: string[] = [];
      for (const address of [base, `${service.url}/${org.slug}/nothing-here`, `${base}/settings`]) {
        await page.goto(address);
        await page.getByRole("heading", { name: "Not found" }).waitFor();
        seen.push(await page.getByRole("main").innerText());
      }
      assert.equal(new Set(seen).size, 1, JSON.stringify(seen));
      assert.doesNotMatch(seen[0]!, new RegExp(org.slug));
      await context.close();
    }
  });

  it("has no accessibility problems in both schemes, wide and narrow", async () => {
    for (const [colorScheme, width] of [
      ["light", 360],
      ["dark", 1440],
    ] as const) {
      const { page, context, troubles } = await open(owner, { colorScheme, width });
      const views: [path: string, text: string][] = [
        ["", "Cost when idle"],
        ["/files/scripts/run.py", "line 3"],
        ["/versions", "Tick two versions"],
        ["/compare/1.0.0...1.1.0", "Size of the change"],
        ["/analytics", "Downloads by day"],
        ["/installs", "No member has installed"],
        ["/settings", "Delete the skill"],
      ];
      for (const [path, text] of views) {
        await page.goto(`${base}${path}`);
        await page.getByText(text).first().waitFor({ state: "attached" });
        assert.deepEqual(await accessibilityProblems(page), [], `${path} ${colorScheme} ${width}`);
        const overflow = await sidewaysOverflow(page);
        assert.ok(overflow <= 0, `${path} scrolls sideways by ${overflow} px at ${width}`);
      }
      assert.deepEqual(troubles, []);
      await context.close();
    }
  });
});
