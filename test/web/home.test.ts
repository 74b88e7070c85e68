/** Home and what feeds it in a real browser: following, changes, attention and the first steps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FollowPayload } from "../../contract/payloads/organizations/following.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("home in the dashboard", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  await newFolder(service, org, owner, "review");
  const skill = await publishSkill(service, org, owner, { name: "Checklist", folder: "review" });
  await service.settled();
  const publish = async (content: string, message: string) => {
    const made = await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { content, message },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await service.settled();
  };

  it("shows what changed in a followed skill and folder, until they are not followed any more", async () => {
    const reader = await newMember(service, org, "viewer");
    const follows = async () =>
      (await service.call<FollowPayload[]>("GET", "/api/user/follows", { token: reader.token })).data;
    const { page, troubles } = await dashboard.open(`/${org.slug}/checklist`, { user: reader });
    const button = page.getByRole("button", { name: "Follow checklist" });
    await button.click();
    await page.getByRole("button", { name: "Following checklist: unfollow" }).waitFor();

    await page.goto(`${service.url}/${org.slug}/-/library/review`);
    await page.getByRole("button", { name: "Follow review" }).click();
    await until("both to be followed", async () => (await follows()).length === 2);
    await publish("second\n", "Ask for tests");

    const streamOpens = page.waitForResponse((response) => response.url().endsWith("/api/events"));
    await page.goto(`${service.url}/`);
    await streamOpens;
    const changes = page.getByRole("region", { name: "What changed" });
    await changes.getByText("has the new version 1.0.1").waitFor();
    await changes.getByText("Ask for tests").waitFor();
    await assertAccessible(page, "home with changes");
    await publish("third\n", "Ask for more");
    await changes.getByText("has 2 new versions, the latest is 1.0.2").waitFor();

    await changes.getByRole("link", { name: "Following and mails" }).click();
    await page.getByRole("radio", { name: "At once" }).waitFor({ state: "attached" });
    await page.getByText("At once", { exact: true }).click();
    await page.getByText("Within minutes of a change").waitFor();
    await page.getByRole("button", { name: "Unfollow review" }).click();
    await page.getByRole("button", { name: "Unfollow Checklist" }).click();
    await page.getByText("You follow nothing yet.").waitFor();
    await assertAccessible(page, "notifications");
    assert.deepEqual(await follows(), []);
    assert.deepEqual(troubles, []);
  });

  it("folds what repeats, with the date and the action of each", async () => {
    const user = await newMember(service, org, "admin");
    const { tokens } = service.app.storage;
    const found = await tokens.list({ userId: user.id }, undefined, 10);
    const [template] = found;
    assert.ok(template);
    for (const [slot, name] of ["build", "deploy", "release"].entries())
      await tokens.insert({
        ...template,
        _id: service.app.newId(),
        name,
        slot: (template.slot! + 1 + slot) % 25,
        secretHash: `hash ${name}`,
        expiresAt: new Date(Date.now() + 3 * 86_400_000),
      });
    const { page, troubles } = await dashboard.open("/", { user });

    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByText("3 tokens expire soon").click();
    await attention.getByText('The token "deploy" expires soon').waitFor();
    assert.match(await attention.innerText(), /ends in 3 days/);
    await assertAccessible(page, "home with folded attention");
    await attention.getByRole("link", { name: /^Replace: The token "deploy"/ }).click();
    await page.waitForURL(`${service.url}/settings/tokens`);
    assert.deepEqual(troubles, []);
  });

  it("offers the first steps in an order in which each works, and keeps what is done in one line", async () => {
    const member = await newMember(service, org, "owner");
    const { page, troubles } = await dashboard.open("/", { user: member });
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByText("Install svc").waitFor();
    const titles = await steps.locator("summary").allInnerTexts();
    assert.deepEqual(titles.slice(0, 3), ["Install svc", "Log in", "Install a skill"]);
    await steps.getByText("Done: Publish a skill, Invite a colleague").waitFor();
    assert.equal(await steps.locator("details[open]").count(), 1);
    await steps.getByText("install.sh").waitFor();
    await steps.getByText("Log in", { exact: true }).click();
    await steps.getByText(`svc login ${service.app.config.baseUrl}`).waitFor();
    await assertAccessible(page, "first steps");
    await steps.getByRole("button", { name: "Dismiss" }).click();
    await steps.waitFor({ state: "detached" });
    assert.deepEqual(troubles, []);
  });
});
