/** Tasks of a person who uses the keyboard alone. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { setUpDashboard } from "../support/web/dashboard.ts";
import { choose, press, tabTo, typeInto } from "../support/web/keyboard.ts";

const description = "Use when you write the notes of a release.";

describe("the keyboard alone", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const { id: vault } = await newFolder(service, org, owner, "vault");
  for (const name of ["alpha", "omega"])
    await publishSkill(service, org, owner, { name, visibility: "private" });
  await service.settled();

  const folderOf = async (slug: string) =>
    (await service.call<SkillPayload>("GET", `/api/skills/${org.slug}~${slug}`, { token: owner.token })).data
      .folderId;

  it("publishes a text, moves it and back, and finds it with its install command", async () => {
    const { page, context, troubles } = await dashboard.newPage({ user: owner });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${service.url}/`);
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

    // The page is not loaded again on the way.
    await page.evaluate('self.uses = 0; addEventListener("pointerdown", () => self.uses++, true)');
    await publish(page);
    await moveAndUndo(page);
    await findAndCopy(page);
    assert.equal(await page.evaluate("self.uses"), 0);
    assert.deepEqual(troubles, []);
  });

  async function publish(page: Page): Promise<void> {
    await page.keyboard.press("c");
    const editor = page.getByRole("textbox", { name: "SKILL.md" });
    await typeInto(editor, "");
    await page.keyboard.press("Delete");
    await page.keyboard.type(`---\nname: release-notes\ndescription: ${description}\n---\n# Release notes\n`);
    await page.getByText(`${org.slug}/release-notes`).first().waitFor();
    // Tab indents in the editor until Escape is pressed.
    await page.keyboard.press("Escape");
    await press(page.getByRole("button", { name: /^Publish/ }));
    await page.waitForURL(`**/${org.slug}/release-notes`);
    await page.getByRole("heading", { name: "release-notes", level: 1 }).waitFor();
  }

  async function moveAndUndo(page: Page): Promise<void> {
    // On a slow machine, the second key may come too late to belong to the first.
    await until("the library", async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("l");
      return page.url().includes("/-/library");
    });
    const row = page.getByRole("row", { name: /release-notes/ });
    await row.waitFor();
    await tabTo(page.getByRole("treegrid", { name: "Library" }));
    const chosen = page.getByRole("complementary", { name: "Details of release-notes" });
    await until("the skill to be chosen", async () => {
      if ((await row.getAttribute("aria-selected")) === "true") return true;
      await page.keyboard.press("ArrowDown");
      return false;
    });
    await chosen.waitFor();
    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog", { name: "Move release-notes" });
    await typeInto(dialog.getByRole("combobox", { name: "Folder" }), "vau");
    await choose(page, "vault");
    await press(dialog.getByRole("button", { name: "Move", exact: true }));
    await page.getByText("Moved release-notes to vault").waitFor();
    assert.equal(await folderOf("release-notes"), vault);
    await page.keyboard.press("z");
    await until("the move back", async () => (await folderOf("release-notes")) === null);
    await page.getByText("Moved release-notes to vault").waitFor({ state: "detached" });
  }

  async function findAndCopy(page: Page): Promise<void> {
    await service.settled();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("release notes");
    await page.getByRole("button", { name: new RegExp(`^${org.slug}/release-notes`) }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "release-notes", level: 1 }).waitFor();
    await press(page.getByRole("button", { name: "Copy command" }).first());
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.equal(copied, `svc install ${org.slug}/release-notes -t claude -g`);
  }
});
