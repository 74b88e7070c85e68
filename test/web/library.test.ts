/** The rows of the library in a browser while skills are loaded, and actions on several skills. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { limits } from "../../contract/limits.ts";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";
import { choose, press } from "../support/web/keyboard.ts";

const names = ["zeta", "eta", "delta", "gamma", "beta", "alpha"];

describe("the library", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  for (const folder of ["data", "ops"]) await newFolder(service, org, owner, folder);
  const vault = await newFolder(service, org, owner, "vault");
  await restrict(service, owner, vault.id, []);
  await newMember(service, org, "member");
  const description = `Rolls a release out. ${"It checks each cluster first. ".repeat(20)}`.slice(0, 900);
  for (const name of names)
    await publishSkill(service, org, owner, { name, description, folder: "data", visibility: "private" });
  await service.settled();

  const address = `${service.url}/${org.slug}/-/library`;
  const tree = (page: Page) => page.getByRole("treegrid", { name: "Library" });
  const rows = (page: Page) => tree(page).getByRole("row");

  it("shows in an open folder as many rows as it counts while skills are loaded, and moves none", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    const held: (() => void)[] = [];
    // Pages of two skills; the second one is held back.
    await page.route(/\/api\/skills\?/, async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "2");
      if (url.searchParams.get("cursor")) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue({ url: url.href });
    });
    await page.goto(address);
    await rows(page).filter({ hasText: "ops" }).waitFor();
    const before = await rows(page).filter({ hasText: "ops" }).boundingBox();
    const count = await rows(page).count();
    assert.deepEqual(await rows(page).filter({ hasText: "data" }).getByRole("gridcell").allInnerTexts(), [
      "data",
      "",
      String(names.length),
      "",
      "",
    ]);

    const release = setInterval(() => held.shift()?.(), 20);
    await rows(page).filter({ hasText: "zeta" }).waitFor();
    clearInterval(release);
    for (const resolve of held) resolve();
    assert.deepEqual(await rows(page).filter({ hasText: "ops" }).boundingBox(), before);
    const slugs = await tree(page).locator('[aria-level="2"] .clip').allInnerTexts();
    assert.deepEqual(slugs.slice(0, names.length), names.toSorted());
    // The root has no skills; its places are gone.
    assert.equal(await rows(page).count(), count - 3);
    assert.deepEqual(troubles, []);
  });

  it("cuts a long description in the panel, and shows the rest on demand", async () => {
    const { page } = await dashboard.open(`/${org.slug}/-/library/data?skill=beta`, { user: owner });
    const panel = page.getByRole("complementary", { name: "Details of beta" });
    await panel.getByRole("button", { name: "More" }).waitFor();
    assert.ok((await panel.locator("p.sub").innerText()).length < 320);
    await panel.getByRole("button", { name: "More" }).click();
    await panel.getByRole("button", { name: "Less" }).waitFor();
    assert.ok((await panel.locator("p.sub").innerText()).length > 600);
    await assertAccessible(page, "the library with a skill");
  });

  const skillOf = async (slug: string) =>
    (await service.call<SkillPayload>("GET", `/api/skills/${org.slug}~${slug}`, { token: owner.token })).data;
  const bar = (page: Page) => page.getByRole("region", { name: "Selected skills" });
  const box = (page: Page, slug: string) => page.getByRole("checkbox", { name: `Select ${slug}` });

  it("moves the skills from one checkbox to another, shows who can read them, and moves them back", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/library/data`, { user: owner });
    await rows(page).filter({ hasText: "alpha" }).hover();
    await box(page, "alpha").click();
    await box(page, "delta").click({ modifiers: ["Shift"] });
    await bar(page).getByText("3 skills selected").waitFor();
    await assertAccessible(page, "the library with selected skills");
    await bar(page).getByRole("button", { name: "Move" }).click();
    const dialog = page.getByRole("dialog", { name: "Move 3 skills" });
    await dialog.getByRole("combobox", { name: "Folder" }).click();
    await page.getByRole("option", { name: "vault" }).click();
    await dialog.getByText("Fewer people can read 3 skills: alpha, beta, delta.").waitFor();
    await assertAccessible(page, "moving several skills");
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Changed 3 skills").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await bar(page).waitFor({ state: "detached" });
    const before = (await skillOf("zeta")).folderId;
    await until("the moves back", async () => {
      const folders = await Promise.all(["alpha", "beta", "delta"].map(skillOf));
      return folders.every(({ folderId }) => folderId === before);
    });
    assert.deepEqual(troubles, []);
  });

  it("warns before skills become public, by keyboard alone", async () => {
    const { page } = await dashboard.open(`/${org.slug}/-/library/data?skill=eta`, { user: owner });
    await rows(page).filter({ hasText: "eta" }).first().waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await bar(page).getByText("2 skills selected").waitFor();
    await press(bar(page).getByRole("button", { name: "Visibility" }));
    const dialog = page.getByRole("dialog", { name: "Change visibility of 2 skills" });
    await dialog.getByRole("combobox", { name: "Visibility" }).click();
    await choose(page, "public");
    await press(dialog.getByRole("button", { name: "Change visibility and show to more people" }));
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(
      [(await skillOf("eta")).visibility, (await skillOf("gamma")).visibility],
      ["public", "public"],
    );
  });

  it("changes tags, and keeps the skills that are refused selected, with the reason", async () => {
    const tags = Array.from({ length: limits.tagsPerSkill }, (_, index) => `tag-${index}`);
    const full = await service.call("PUT", `/api/skills/${org.slug}~beta`, {
      token: owner.token,
      body: { tags },
    });
    assert.equal(full.status, 200);
    const { page } = await dashboard.open(`/${org.slug}/-/library/data`, { user: owner });
    await rows(page).filter({ hasText: "alpha" }).hover();
    await box(page, "alpha").click();
    await box(page, "beta").click();
    await bar(page).getByRole("button", { name: "Tags" }).click();
    const dialog = page.getByRole("dialog", { name: "Change tags of 2 skills" });
    await dialog.getByRole("combobox", { name: "Add" }).fill("ops");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Change tags" }).click();
    const refused = page.getByRole("dialog", { name: "Change tags of beta" });
    await refused.getByText("Not changed: 1 skill").waitFor();
    await refused.getByText("beta: It would have 6 tags, and 5 are the limit.").waitFor();
    await refused.getByRole("button", { name: "Cancel" }).click();

    await bar(page).getByText("1 skill selected").waitFor();
    assert.equal(await box(page, "beta").isChecked(), true);
    assert.deepEqual((await skillOf("alpha")).tags, ["ops"]);
    assert.deepEqual((await skillOf("beta")).tags, tags);
  });
});
