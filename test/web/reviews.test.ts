/** Review of new versions in a real browser: rules, the decision, and the states that follow. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult, SkillPayload, VersionResult } from "../../contract/payloads/skills/skills.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard, type Look } from "../support/web/dashboard.ts";

const looks: readonly Look[] = [390, 1440].flatMap((width) => [
  { colorScheme: "light", width },
  { colorScheme: "dark", width },
]);

describe("reviews in the dashboard", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const author = await newMember(service, org, "member");
  const viewer = await newMember(service, org, "viewer");
  const dashboard = await setUpDashboard(service);
  const folder = await newFolder(service, org, owner, "Tools");
  const at = (path = "") => `/${org.slug}/-/reviews${path}`;
  const publish = (content: string) =>
    service.call<PublishResult>("POST", "/api/skills", {
      token: author.token,
      body: {
        tenantId: org.slug,
        folder: folder.path,
        name: "Clean up",
        content,
        message: "Removes old files",
      },
    });
  const skillFor = (token: string) =>
    service.call<SkillPayload>("GET", `/api/skills/${org.slug}~clean-up`, { token });

  it("begin with a rule for a folder", async () => {
    const { page, troubles } = await dashboard.open(at(), { user: owner });
    await page.getByRole("heading", { name: "Nothing waits for a review" }).waitFor();
    await page.getByRole("button", { name: "New rule" }).click();
    const dialog = page.getByRole("dialog", { name: "New rule" });
    await dialog.getByRole("combobox", { name: "Folder" }).click();
    await page.getByRole("option", { name: "tools" }).click();
    await assertAccessible(page, "review rule", dialog, looks);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("list", { name: "Review rules" }).getByText("1 approval of anyone").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("list what waits, and release a first version", async () => {
    assert.equal((await publish("# Clean up\n\nDelete build folders.\n")).data.version.state, "held");
    await service.settled();
    const { page, troubles } = await dashboard.open(at(), { user: owner });
    await page.getByRole("list", { name: "Versions that wait" }).getByText("waits for you").waitFor();
    await assertAccessible(page, "reviews", undefined, looks);
    await page.getByRole("link", { name: "clean-up 1.0.0" }).click();
    await page.getByText("There is no released version to compare it with").waitFor();
    const changes = page.getByRole("region", { name: "Changes" });
    const line = changes.locator(".line.add").filter({ hasText: "Delete build folders." }).last();
    await line.hover();
    await line.getByRole("button", { name: /^Comment on line \d+ of SKILL\.md$/ }).click();
    await changes.getByRole("textbox", { name: /^Comment on line/ }).fill("Which ones?");
    await changes.getByRole("button", { name: "Comment", exact: true }).click();
    await changes.getByText("Which ones?").waitFor();
    await assertAccessible(page, "review of a first version", undefined, looks);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("It is released.").waitFor();
    assert.equal((await skillFor(viewer.token)).data.currentSemver, "1.0.0");
    assert.deepEqual(troubles, []);
  });

  it("show the changes, take comments on lines, and reject permanently", async () => {
    const { id } = (await skillFor(author.token)).data;
    const pushed = await service.call<VersionResult>("POST", `/api/skills/${id}/versions`, {
      token: author.token,
      body: { content: "# Clean up\n\nDelete everything.\n", message: "Faster" },
    });
    assert.equal(pushed.data.state, "held");
    const { page, troubles } = await dashboard.open(at("/clean-up/1.0.1"), { user: owner });
    await page.getByText("Delete everything.").first().waitFor();
    await page.getByRole("textbox", { name: "New comment" }).fill("Everything?");
    await page.getByRole("combobox", { name: "File" }).click();
    await page.getByRole("option", { name: "SKILL.md" }).click();
    await page.getByRole("textbox", { name: "Line" }).fill("6");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByText("SKILL.md:6").waitFor();
    const changes = page.getByRole("region", { name: "Changes" });
    const added = changes.locator(".line.add").filter({ hasText: "Delete everything." }).last();
    await added.hover();
    await added.getByRole("button", { name: /^Comment on line \d+ of SKILL\.md$/ }).click();
    await changes.getByRole("textbox", { name: /^Comment on line/ }).fill("Only build folders, please.");
    await changes.getByRole("button", { name: "Comment", exact: true }).click();
    await changes.getByRole("textbox").waitFor({ state: "detached" });
    await changes.getByText("Only build folders, please.").waitFor();
    await page
      .getByRole("region", { name: "Comments and decisions" })
      .getByText("Only build folders")
      .waitFor();
    await assertAccessible(page, "review", undefined, looks);
    await page.getByRole("textbox", { name: "Comment", exact: true }).fill("It deletes files of others.");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
    await page.getByText("It was rejected: It deletes files of others.").waitFor();
    assert.equal((await skillFor(viewer.token)).data.currentSemver, "1.0.0");
    assert.deepEqual(troubles, []);
  });

  it("let authors see why they wait, and readers nothing", async () => {
    const { id } = (await skillFor(author.token)).data;
    await service.call("POST", `/api/skills/${id}/versions`, {
      token: author.token,
      body: { content: "# Clean up\n\nDelete build folders and caches.\n" },
    });
    const { page } = await dashboard.open(at("/clean-up/1.0.2"), { user: author });
    await page
      .getByText("Your role does not allow")
      .or(page.getByText("You published this version"))
      .first()
      .waitFor();
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
    await page.goto(`${service.url}/${org.slug}/clean-up/versions`);
    await page.getByRole("link", { name: "waits for a review" }).waitFor();
    await page.getByText("rejected: It deletes files of others.").waitFor();
    await assertAccessible(page, "versions in all states", undefined, looks);

    const reading = await dashboard.open(`/${org.slug}/clean-up/versions`, { user: viewer });
    await reading.page.getByText("1.0.0").first().waitFor();
    assert.equal(await reading.page.getByText("1.0.1").count(), 0);
    assert.equal(await reading.page.getByText(/held|rejected/).count(), 0);
  });

  it("follow a yank of the last version with a reason", async () => {
    const { id } = (await skillFor(owner.token)).data;
    await service.call("PUT", `/api/skills/${id}/installs`, {
      token: owner.token,
      body: { platform: "claude", scope: "global", machine: "one", version: 1, range: "latest" },
    });
    const { page } = await dashboard.open(`/${org.slug}/clean-up/versions`, { user: owner });
    await page.getByText("1.0.0 is on 1 of 1 machine that gets it.").waitFor();
    await page.getByRole("button", { name: "Actions for 1.0.0" }).click();
    await page.getByRole("menuitem", { name: "Yank" }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText("1 machine of 1 member has 1.0.0; 1 machine of 1 member follows the latest version.")
      .waitFor();
    await dialog.getByText("Members who have the skill").click();
    await dialog.getByText(`${owner.username}: 1.0.0 for claude, pin latest`).waitFor();
    await dialog.getByRole("textbox", { name: "Reason" }).fill("It misses caches");
    await dialog.getByRole("button", { name: "Yank" }).click();
    await page.getByText("No version of this skill can be installed.").waitFor();
    await page.getByText("1.0.0 is yanked: It misses caches").waitFor();
    await until("the skill to be withheld", async () => {
      const { data } = await service.call<SkillPayload>("GET", `/api/skills/${id}`, { token: viewer.token });
      return data.withheld === true;
    });
  });
});
