/** Editing and publishing skills in a real browser: drafts, conflicts, uploads, and who may not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { ContentPayload, ManifestPayload } from "../../contract/payloads/skills/skills.ts";
import { type PageOptions, whyNoBrowser } from "../support/browser.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();
const steps = ["one", "two", "three", "four", "five", "six", "seven", "eight"].map(
  (word) => `- step ${word}`,
);
const textOf = (name: string) =>
  `---\nname: ${name}\ndescription: Use when you test ${name}.\n---\n\n# ${name}\n\n${steps.join("\n")}\n`;

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "SKILL.md" });
const publishButton = (page: Page): Locator => page.getByRole("button", { name: /^Publish/ });

/** Puts text at the end of the document. */
async function typeAtEnd(page: Page, text: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}

/** Number of drafts in the browser; an expression, since it runs in the page. */
const countDrafts = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("svc-editor", 1);
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const counting = opening.result.transaction("drafts").objectStore("drafts").count();
    counting.onsuccess = () => { opening.result.close(); resolve(counting.result); };
  };
})`;

describe("the editor in the dashboard", { skip: reason ?? false }, async () => {
  const dashboard = await setUpDashboard();

  const { service } = dashboard;
  const owner = await service.newUser();
  const { slug, id: orgId } = await service.newOrg(owner);
  for (const name of ["draft-notes", "two-tabs", "ended-session", "hostile-text"])
    await create(name, textOf(name));

  async function create(name: string, content: string): Promise<void> {
    const body = { mode: "create", tenantId: orgId, name, visibility: "private", content };
    const made = await service.call("POST", "/api/skills", { token: owner.token, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
  async function readFrom<T>(name: string, path: string): Promise<T> {
    const found = await service.call("GET", `/api/skills/${slug}~${name}/${path}`, { token: owner.token });
    return found.body.data as T;
  }
  const read = (name: string) => readFrom<ContentPayload>(name, "content");
  const readManifest = (name: string) => readFrom<ManifestPayload>(name, "manifest");
  const open = (path: string, options: PageOptions = {}) => dashboard.open(path, { user: owner, ...options });

  it("keeps a draft over a reload, stops at errors, and publishes the chosen version", async () => {
    const { page, troubles } = await open(`/${slug}/draft-notes/edit`);
    await typeAtEnd(page, "\nA sentence from the first visit.");

    // Before the pause after which a draft is stored.
    await page.reload();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("A sentence from the first visit.").first().waitFor();
    await editorOf(page).click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("End");
    await page.keyboard.type("\n- x");
    await page.getByText("1 stops publishing").waitFor();
    assert.equal(await publishButton(page).getAttribute("aria-disabled"), "true");
    await publishButton(page).focus();
    await page.keyboard.press("Enter");
    await editorOf(page).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Control+Shift+k");
    await page.getByText("No problems").waitFor();
    await page.getByRole("radio", { name: "minor" }).check({ force: true });
    await page.getByLabel("What changed").fill("Say more");
    await page.getByRole("button", { name: "Publish 1.1.0" }).click();
    await page.waitForURL(`**/${slug}/draft-notes`);

    const content = await read("draft-notes");
    assert.equal(content.semver, "1.1.0");
    assert.match(content.content, /step eight\n\nA sentence from the first visit\.$/);
    await page.goto(`${service.url}/${slug}/draft-notes/edit`);
    await editorOf(page).waitFor();
    assert.equal(await page.getByRole("button", { name: "Continue" }).count(), 0, "the draft is gone");
    assert.deepEqual(troubles, []);
  });

  it("loses nothing when two tabs edit one skill", async () => {
    const { page: first, context, troubles } = await open(`/${slug}/two-tabs/edit`);
    const second = await context.newPage();
    await second.goto(`${service.url}/${slug}/two-tabs/edit`);
    await typeAtEnd(first, "\nFrom the first tab.");
    await first.getByText("Draft kept in this browser").waitFor();
    await editorOf(second).click();
    await second.keyboard.press("Control+Home");
    for (let line = 0; line < 5; line++) await second.keyboard.press("ArrowDown");
    await second.keyboard.press("End");
    await second.keyboard.type(" of the second tab");
    await publishButton(first).click();
    await first.waitForURL(`**/${slug}/two-tabs`);

    await publishButton(second).click();
    await second.getByText("Version 1.0.1 was published since you began.").waitFor();
    await second.getByRole("button", { name: "Compare" }).click();
    await second.getByRole("region", { name: "Their changes" }).getByText("From the first tab.").waitFor();
    await second.getByRole("button", { name: "Continue on 1.0.1" }).click();
    await second.getByRole("button", { name: "Publish 1.0.2" }).click();
    await second.waitForURL(`**/${slug}/two-tabs`);

    const { content, semver } = await read("two-tabs");
    assert.equal(semver, "1.0.2");
    assert.match(content, /# two-tabs of the second tab/);
    assert.match(content, /From the first tab\./);
    assert.deepEqual(
      troubles.filter((trouble) => !trouble.includes("409")),
      [],
    );
  });

  it("keeps the text when the session ends, and publishes after a new sign-in", async () => {
    const { page, context } = await open(`/${slug}/ended-session/edit`);
    await typeAtEnd(page, "\nWritten before the session ended.");
    await page.getByRole("button", { name: "Publish 1.0.1" }).waitFor();
    const cookies = await context.cookies();
    await context.clearCookies();
    await publishButton(page).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByRole("button", { name: "Continue signed out" }).click();
    await page.getByText("Written before the session ended.").first().waitFor();
    await context.addCookies(cookies);
    await page.getByRole("button", { name: "Publish again" }).click();
    await page.waitForURL(`**/${slug}/ended-session`);

    assert.match((await read("ended-session")).content, /Written before the session ended\./);
  });

  it("publishes a new text, and a package of files without those that are ignored", async () => {
    const { page, troubles } = await open("/new");
    await editorOf(page).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(textOf("new-text"));
    await page.getByText(`${slug}/new-text`).waitFor();
    await publishButton(page).click();
    await page.waitForURL(`**/${slug}/new-text`);
    assert.equal((await read("new-text")).format, "markdown");

    await page.goto(`${service.url}/new`);
    const files = [
      { name: "SKILL.md", mimeType: "text/markdown", buffer: Buffer.from(textOf("new-package")) },
      { name: "check.sh", mimeType: "", buffer: Buffer.from("#!/bin/sh\necho ok\n") },
      { name: ".DS_Store", mimeType: "", buffer: Buffer.from("x") },
    ];
    await page.locator("input[type=file]").first().setInputFiles(files);
    await page.getByText("Added 2 files. Nothing is sent yet.").waitFor();
    await page.getByText(/^Left out: /).waitFor();
    await page.getByText(`${slug}/new-package`).waitFor();
    await publishButton(page).click();
    await page.waitForURL(`**/${slug}/new-package`);
    const manifest = await readManifest("new-package");

    assert.deepEqual(
      manifest.files.map((file) => [file.path, file.mode]),
      [
        ["SKILL.md", "100644"],
        ["check.sh", "100755"],
      ],
    );
    assert.deepEqual(troubles, []);
  });

  it("edits the files of a package without sending the others", async () => {
    const { page, troubles } = await open(`/${slug}/new-package/edit`);
    await page.getByRole("button", { name: "New file" }).click();
    await page.getByLabel("Path").fill("../outside.md");
    await page.getByRole("button", { name: "Create file" }).click();
    await page.getByText(/has a "\." or "\.\." in it/).waitFor();
    await page.getByLabel("Path").fill("docs/.DS_Store");
    await page.getByRole("button", { name: "Create file" }).click();
    await page.getByText('Left out: "docs/.DS_Store" (file of the operating system).').waitFor();
    await page.getByLabel("Path").fill("node_modules/a/index.js");
    await page.getByRole("button", { name: "Create file" }).click();
    await page.getByText('Left out: "node_modules/" (installed dependencies).').waitFor();
    await page.getByLabel("Path").fill("docs/more.md");
    await page.getByRole("button", { name: "Create file" }).click();
    await page.getByRole("textbox", { name: "docs/more.md" }).click();
    await page.keyboard.type("More.");
    await page.getByRole("button", { name: "Actions for check.sh" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Restore check.sh" }).waitFor();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/uploads")) sent.push(request.url());
    });
    await page.getByRole("button", { name: "Publish 1.0.1" }).click();
    await page.waitForURL(`**/${slug}/new-package`);
    const { files } = await readManifest("new-package");

    assert.deepEqual(
      files.map(({ path }) => path),
      ["SKILL.md", "docs/more.md"],
    );
    assert.deepEqual(sent, []);
    assert.deepEqual(troubles, []);
  });

  it("removes the drafts of a user who signs out, in all tabs", async () => {
    const user = await service.newUser();
    const { slug: ownSlug } = await service.newOrg(user);
    const { page: first, context } = await open(`/new?org=${ownSlug}`, { user });
    const second = await context.newPage();
    await second.goto(`${service.url}/new?org=${ownSlug}`);
    for (const page of [first, second]) {
      await typeAtEnd(page, "\nA secret plan.");
      await page.getByText("Draft kept in this browser").waitFor();
    }
    assert.equal(await first.evaluate(countDrafts), 2);
    // As a page writes that is left before the database has stored its draft.
    const copy = { id: "left", owner: user.id, skill: "new", files: [], message: "", savedAt: Date.now() };
    await first.evaluate(`localStorage.setItem("svc-draft-left", ${JSON.stringify(JSON.stringify(copy))})`);

    await first.getByRole("button", { name: user.username }).click();
    await first.getByRole("menuitem", { name: "Sign out" }).click();
    await first.waitForURL(`${service.url}/`);
    await typeAtEnd(second, "\nWritten after the sign-out.");
    await second.getByText("Draft kept in this browser").waitFor({ state: "detached" });

    assert.equal(await first.evaluate(countDrafts), 0);
    assert.equal(await first.evaluate('localStorage.getItem("svc-draft-left")'), null);
  });

  it("shows hostile text as text", async () => {
    const { page, troubles, outside } = await open(`/${slug}/hostile-text/edit`);
    await typeAtEnd(
      page,
      "\n<img src=x onerror=alert(1)> ![x](http://127.0.0.1:9/y.png) [a](javascript:alert(1))",
    );
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("<img src=x onerror=alert(1)>").waitFor();

    assert.equal(await preview.locator("img, script").count(), 0);
    assert.equal(await preview.locator("a[href^='javascript']").count(), 0);
    assert.deepEqual([troubles, outside], [[], []]);
  });

  it("has no accessibility problems in both schemes, wide and narrow", async () => {
    for (const path of [`/${slug}/hostile-text/edit`, "/new"]) {
      const { page } = await open(path);
      await page.getByRole("region", { name: "Checks" }).waitFor();
      await assertAccessible(page, path);
    }
  });

  it("says on a phone why nothing can be published, below the button", async () => {
    const { page } = await open(`/${slug}/hostile-text/edit`, { width: 390 });
    const why = page.getByText("Nothing has changed yet.");
    await why.waitFor();
    const [above, below] = await Promise.all([publishButton(page).boundingBox(), why.boundingBox()]);
    const files = await page.getByRole("region", { name: "Files" }).boundingBox();

    assert.ok(above!.y >= 0, "the button is cut");
    assert.ok(below!.y >= above!.y + above!.height);
    assert.ok(files!.y >= below!.y + below!.height, "the reason covers the files");
  });

  it("shows others the same page for a private skill as for one that does not exist", async () => {
    const stranger = await service.newUser();
    const texts = new Set<string>();
    for (const name of ["draft-notes", "never-existed"]) {
      const { page } = await open(`/${slug}/${name}/edit`, { user: stranger });
      await page.getByRole("heading", { name: "Not found" }).waitFor();
      texts.add(await page.locator("main").innerText());
    }

    assert.equal(texts.size, 1);
  });
});
