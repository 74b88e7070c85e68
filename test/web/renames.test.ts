/** Renames in a real browser: the settings of a skill, its former address, and reserved slugs of an organization. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { newMember, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("renaming a skill", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const viewer = await newMember(service, org, "viewer");
  await publishSkill(service, org, owner, { name: "Relnotes", visibility: "private" });
  await publishSkill(service, org, owner, { name: "Other", visibility: "private" });
  const at = (slug: string, path = "") => `/${org.slug}/${slug}${path}`;

  it("is done in its settings, and its former address leads to it", async () => {
    const { page, troubles } = await dashboard.open(at("relnotes", "/settings"), { user: owner });
    const form = page.getByRole("form", { name: "Slug" });
    const slug = form.getByRole("textbox", { name: "Slug" });
    await slug.waitFor();
    await assertAccessible(page, "the slug of a skill", form);
    await slug.fill("other");
    await form.getByRole("button", { name: "Rename" }).click();
    await form.getByText(/The slug "other" is taken/).waitFor();
    troubles.splice(0);
    await slug.fill("release-notes");
    await form.getByRole("button", { name: "Rename" }).click();
    await page.waitForURL(`**${at("release-notes", "/settings")}`);
    await page.getByRole("heading", { name: "release-notes", level: 1 }).waitFor();

    await page.goto(service.url + at("relnotes", "/versions"));
    await page.waitForURL(`**${at("release-notes", "/versions")}`);
    await page.getByRole("heading", { name: "release-notes", level: 1 }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("leaves a reserved slug, which an owner frees", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/settings`, { user: owner });
    const list = page.getByRole("list", { name: "Reserved slugs" });
    await list.getByText("relnotes", { exact: true }).waitFor();
    await assertAccessible(page, "reserved slugs", list);
    await list.getByRole("button", { name: "Free relnotes" }).click();
    const dialog = page.getByRole("dialog", { name: "Free relnotes" });
    await dialog.getByRole("button", { name: "Free" }).click();
    await page.getByText("No slug is reserved.").waitFor();
    const found = await service.call("GET", `/api/skills/${org.slug}~relnotes`, { token: owner.token });
    assert.equal(found.status, 404);
    assert.deepEqual(troubles, []);

    const other = await dashboard.open(`/${org.slug}/-/settings`, { user: viewer });
    await other.page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    assert.equal(await other.page.getByRole("heading", { name: "Reserved slugs" }).count(), 0);
  });
});
