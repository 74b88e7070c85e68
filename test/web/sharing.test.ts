/** Sharing and copying a skill, its findings, and the marks of a reviewer, in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { accessibilityProblems, whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();

describe("the actions on a skill", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const page = (path = "") => `${service.url}/${org.slug}/release-review${path}`;
  const skill = () => service.call<PublishResult["skill"]>("GET", `/api/skills/${publicId}`, owner);

  const other = await service.newOrg(owner);
  const viewer = await newMember(service, org, "viewer");
  const text = (body: string) =>
    `---\nname: release-review\ndescription: Use when you review a release.\n---\n# Review\n\n${body}\n`;
  const send = async <T>(path: string, body: object) => {
    const sent = await service.call<T>("POST", path, { token: owner.token, body });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    return sent.data;
  };
  const content = text("Read the notes.");
  await newFolder(service, org, owner, "review-tools");
  const tags = ["checked"];
  const made = await send<PublishResult>("/api/skills", { tenantId: org.id, content, tags });
  const { publicId } = made.skill;
  await send(`/api/skills/${publicId}/versions`, {
    content: text("Read the [notes](notes.md) and the [tests](tests.md)."),
    bump: "minor",
  });
  await service.settled();

  it("creates a share link after showing who can read it then, and ends it", async () => {
    const { page: tab, troubles } = await dashboard.newPage({ user: owner });
    await tab.goto(page());
    await tab.getByRole("button", { name: "Share" }).click();
    const dialog = tab.getByRole("dialog", { name: "Share release-review" });
    const create = dialog.getByRole("button", { name: "Create a share link" });
    await create.waitFor();
    assert.equal(await dialog.getByText(`/s/${publicId}`).count(), 0);
    await create.click();
    await dialog.getByText("2 members can read it before and after.").waitFor();
    assert.deepEqual(await accessibilityProblems(tab), []);
    await dialog.getByRole("button", { name: "Share with everyone who has the link" }).click();
    await dialog.getByText(`${service.url}/s/${publicId}`, { exact: true }).waitFor();
    assert.equal((await service.raw("GET", `/s/${publicId}`)).status, 200);

    await dialog.getByRole("button", { name: "End sharing" }).click();
    await dialog.getByRole("button", { name: "Make it private" }).click();
    await dialog.getByText("Only members of the organization can open its page.").waitFor();
    assert.equal((await service.raw("GET", `/s/${publicId}`)).status, 303, "visitors are asked to sign in");
    assert.equal((await skill()).data.visibility, "private");
    assert.deepEqual(troubles, []);
  });

  it("copies the shown version to another organization, and names the origin", async () => {
    const { page: tab, troubles } = await dashboard.newPage({ user: owner });
    await tab.goto(page("?version=1.0.0"));
    await tab.getByRole("button", { name: "More actions" }).click();
    await tab.getByRole("menuitem", { name: "Copy to an organization" }).click();
    const dialog = tab.getByRole("dialog", { name: "Copy release-review 1.0.0" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Our review");
    await dialog.getByRole("button", { name: "Copy" }).click();

    await tab.waitForURL(`${service.url}/${other.slug}/our-review`);
    await tab.getByRole("link", { name: `${org.slug}/release-review 1.0.0` }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("lists the findings with their lines, and keeps what a member has reviewed", async () => {
    const { page: tab, troubles } = await dashboard.newPage({ user: owner });
    await tab.goto(page("/versions"));
    await tab.getByRole("banner").first().waitFor();
    await tab.getByRole("region", { name: "Versions" }).getByRole("button", { name: "2 findings" }).click();
    const dialog = tab.getByRole("dialog", { name: "Findings in 1.1.0" });
    await dialog.getByRole("button", { name: "Mark as reviewed" }).first().click();
    await dialog.getByText(`reviewed by ${owner.username}`).waitFor();
    assert.deepEqual(await accessibilityProblems(tab), []);
    await dialog.getByRole("link", { name: "SKILL.md:7" }).first().click();
    await tab.waitForURL(/files\/SKILL\.md\?version=1\.1\.0#L7$/);
    await tab.getByText("Read the [notes]").waitFor();
    assert.equal((await skill()).data.findings?.toReview, 1);
    assert.deepEqual(troubles, []);
  });

  it("shows all findings of a line in a comparison, and keeps viewed files after a reload", async () => {
    const { page: tab, troubles } = await dashboard.newPage({
      width: 1440,
      user: owner,
    });
    await tab.goto(page("/compare/1.0.0...1.1.0"));
    const changes = tab.getByRole("region", { name: "Changes" });
    await changes
      .getByText(/notes\.md/)
      .nth(1)
      .waitFor();
    assert.equal(await changes.getByText("rule link_missing").count(), 2);
    await changes.getByRole("checkbox", { name: "Viewed SKILL.md" }).check();
    await changes.getByText("changed lines are hidden").waitFor();
    await tab.reload();
    await changes.getByText("changed lines are hidden").waitFor();
    await tab.getByText("1 file changed, 1 viewed").waitFor();
    const kept = await tab.evaluate<string>("localStorage.getItem('svc-viewed')");
    assert.match(kept, /^[0-9a-z]+$/, "no name stays in the browser");
    assert.deepEqual(troubles, []);
  });

  it("offers a viewer the links of the skill, and no change", async () => {
    const { page: tab } = await dashboard.newPage({ width: 360, user: viewer });
    await tab.goto(page());
    await tab.getByRole("button", { name: "Share" }).click();
    const dialog = tab.getByRole("dialog", { name: "Share release-review" });
    await dialog.getByText(page(), { exact: true }).waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Create a share link" }).count(), 0);
    assert.deepEqual(await accessibilityProblems(tab), []);
  });

  it("finds private skills, folders, people and files in the palette, and asks why", async () => {
    const { page: tab, troubles } = await dashboard.newPage({ user: owner });
    // The palette shows what the search finds at the time.
    await until("the search finds the skill", async () => {
      const found = await service.call<unknown[]>("GET", "/api/skills?query=review", owner);
      return found.data.length > 0;
    });
    await tab.goto(page());
    await tab.getByRole("heading", { name: "Review", exact: true }).waitFor();
    await tab.keyboard.press("Control+k");
    const palette = tab.getByRole("dialog", { name: "Search or jump to" });
    const search = palette.getByRole("textbox", { name: "Search or jump to" });
    await palette.getByText("Edit release-review").waitFor();
    await search.fill("review");
    await palette.getByText(`${org.slug}/release-review`, { exact: true }).waitFor();
    await palette.getByText("review-tools", { exact: true }).first().waitFor();
    await assertAccessible(tab, "palette");
    await search.fill("/skill");
    await palette.getByText("SKILL.md", { exact: true }).waitFor();
    await search.fill("#checked");
    await palette.getByText(`${org.slug}/release-review`, { exact: true }).waitFor();
    await search.fill(`@${viewer.username}`);
    await palette.getByText(/^Ask why .* has access$/).click();

    await tab.waitForURL(new RegExp(`/${org.slug}/-/people/check\\?user=${viewer.id}`));
    assert.deepEqual(troubles, []);
  });

  it("reports unused skills, outdated installs and the cost in context", async () => {
    const { page: tab, troubles } = await dashboard.newPage({ user: owner });
    await tab.goto(`${service.url}/${org.slug}/-/analytics`);
    const cost = tab.getByRole("region", { name: "Cost in context" });
    await cost.getByRole("link", { name: "release-review" }).waitFor();
    await tab.getByRole("region", { name: "Not downloaded for 30 days" }).waitFor();
    await tab.getByRole("region", { name: "Outdated installs" }).waitFor();
    await assertAccessible(tab, "analytics");
    assert.deepEqual(troubles, []);
  });
});
