/** Owner teams in a real browser: chosen in the settings of a skill, shown on its page, and a filter of the library. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newMember, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("the owner team of a skill", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const viewer = await newMember(service, org, "viewer");
  const stranger = await service.newUser();
  const skill = await publishSkill(service, org, owner, { name: "Owned", visibility: "public" });
  await publishSkill(service, org, owner, { name: "Other", visibility: "private" });
  const newTeam = async (name: string) => {
    const body = { name };
    const made = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
      token: owner.token,
      body,
    });
    return made.data.id;
  };
  const at = (path = "") => `/${org.slug}/${skill.slug}${path}`;

  it("has an empty state without teams, and is chosen, shown and removed", async () => {
    const empty = await dashboard.open(at("/settings"), { user: owner });
    const none = empty.page.getByRole("form", { name: "Owner team" });
    await none.getByText("There are no teams.").waitFor();
    await assertAccessible(empty.page, "no owner team", none);
    const team = await newTeam("Platform");
    await newTeam("Data");

    const { page, troubles } = await dashboard.open(at("/settings"), { user: owner });
    const form = page.getByRole("form", { name: "Owner team" });
    await form.getByRole("combobox", { name: "Team" }).click();
    await page.getByRole("option", { name: "Platform" }).click();
    await assertAccessible(page, "choice of an owner team", form);
    const set = page.waitForResponse((response) => response.request().method() === "PUT");
    await form.getByRole("button", { name: "Save" }).click();
    await set;
    await page.goto(service.url + at());
    const link = page.getByRole("link", { name: "Platform" });
    await link.waitFor();
    await assertAccessible(page, "a skill with an owner team", link);
    await link.click();
    await page.waitForURL(new RegExp(`/people/teams/${team}$`));

    const read = () => service.call<SkillPayload>("GET", `/api/skills/${skill.id}`, { token: owner.token });
    assert.deepEqual((await read()).data.ownerTeam, { id: team, name: "Platform" });
    await page.goto(service.url + at("/settings"));
    await form.getByRole("combobox", { name: "Team" }).click();
    await page.getByRole("option", { name: "No team" }).click();
    const saved = page.waitForResponse((response) => response.request().method() === "PUT");
    await form.getByRole("button", { name: "Save" }).click();
    await saved;
    assert.equal((await read()).data.ownerTeam, undefined);
    assert.deepEqual(troubles, []);
  });

  it("is shown to members without a link if they may not read teams, and not to others", async () => {
    const ownerTeamId = await newTeam("Payments");
    await service.call("PUT", `/api/skills/${skill.id}`, { token: owner.token, body: { ownerTeamId } });

    const { page } = await dashboard.open(at(), { user: viewer });
    await page.getByText("Payments").waitFor();
    assert.equal(await page.getByRole("link", { name: "Payments" }).count(), 0);
    const outside = await dashboard.open(at(), { user: stranger });
    await outside.page.getByRole("heading", { name: "Access" }).waitFor();
    assert.equal(await outside.page.getByText("Payments").count(), 0);
  });

  it("filters the library", async () => {
    const { page, troubles } = await dashboard.open(`/${org.slug}/-/library/`, { user: owner });
    const tree = page.getByRole("treegrid", { name: "Library" });
    await tree.getByText("other").waitFor();
    await page.getByRole("combobox", { name: "Owner team" }).click();
    await page.getByRole("option", { name: "Payments (1)" }).click();

    await tree.getByText("other").waitFor({ state: "detached" });
    await tree.getByText("owned").waitFor();
    await page.waitForURL(/team=/);
    await assertAccessible(page, "the library by owner team");
    assert.deepEqual(troubles, []);
  });
});
