/** States of a skill and its versions in a real browser: on its pages, in its settings, and in lists. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { holdVersion } from "../support/holds.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("states in the dashboard", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const skill = await newVersionedSkill({ service, user: owner, org, name: "Clean up" });
  await skill.push();
  await skill.push({ bump: "minor" });
  await service.settled();
  const at = (path = "") => `/${org.slug}/${skill.slug}${path}`;
  const change = async (method: "PATCH" | "PUT", path: string, body: object) => {
    const changed = await service.call(method, path, { token: owner.token, body });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
  };

  it("are shown for the version of the address, in each tab and in its menu", async () => {
    const path = `/api/skills/${skill.id}/versions`;
    await change("PATCH", `${path}/1.0.0`, { yanked: true, reason: "Misses a step." });
    await change("PATCH", `${path}/1.0.1`, { deprecated: "Use 2.0.0." });
    await holdVersion(service.app, skill.id, 3, "scan");

    const { page, troubles } = await dashboard.open(at("?version=1.0.0"), { user: owner });
    await page.getByText("1.0.0 is yanked: Misses a step.").waitFor();
    await page.getByText("Installs resolve to 1.0.1.").waitFor();
    await assertAccessible(page, "a yanked version");
    await page.goto(service.url + at("/files/SKILL.md?version=1.1.0"));
    await page.getByText("1.1.0 is held:").waitFor();
    await page.getByRole("link", { name: "is held because of its scan" }).waitFor();
    assert.equal(await page.getByText("newer than the current one").count(), 0);
    await page.getByRole("button", { name: "Version 1.1.0, choose another" }).click();
    await page.getByRole("menuitem", { name: "1.0.0 yanked" }).waitFor();
    await page.getByRole("menuitem", { name: "1.0.1 current deprecated" }).click();
    await page.getByText("1.0.1 is deprecated: Use 2.0.0.").waitFor();
    await page.goto(service.url + at("?version=1"));
    await page.getByText("1.0.0 is yanked: Misses a step.").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("include the deprecation of a whole skill, which is set and removed in its settings", async () => {
    const read = async () =>
      (await service.call<SkillPayload>("GET", `/api/skills/${skill.id}`, { token: owner.token })).data;
    const { page, troubles } = await dashboard.open(at("/settings"), { user: owner });
    const form = page.getByRole("form", { name: "Deprecation" });
    await form.getByText("No member has reported an install.").waitFor();
    assert.equal(await form.getByRole("button", { name: "Deprecate" }).isDisabled(), true);
    await form.getByRole("textbox", { name: "Message" }).fill("Use tidy-up.");
    await form.getByText(`svc deprecate ${org.slug}/${skill.slug} -m 'Use tidy-up.'`).waitFor();
    await assertAccessible(page, "deprecation of a skill", form);
    await form.getByRole("button", { name: "Deprecate" }).click();
    await page.getByText("This skill is deprecated: Use tidy-up.").waitFor();
    assert.equal((await read()).deprecated, "Use tidy-up.");
    await change("PUT", `/api/skills/${skill.id}`, { visibility: "public" });
    await service.settled();
    const lists = { library: "/-/library/", organization: "", explore: "" };
    for (const [list, path] of Object.entries(lists)) {
      await page.goto(list === "explore" ? `${service.url}/explore` : `${service.url}/${org.slug}${path}`);
      await page.getByText("deprecated", { exact: true }).first().waitFor();
      await assertAccessible(page, `a deprecated skill in the ${list}`);
    }
    await page.goto(service.url + at("/settings"));

    await form.getByRole("button", { name: "Remove deprecation" }).click();
    await page.getByText("This skill is deprecated:").waitFor({ state: "detached" });
    assert.equal((await read()).deprecated, undefined);
    assert.deepEqual(troubles, []);
  });
});
