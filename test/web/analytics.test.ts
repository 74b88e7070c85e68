/** Adoption of releases, teams, the context budget and reminders, in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { newMember, publishSkill } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const dayMs = 86_400_000;
const reason = whyNoBrowser();

describe("the analytics of installs", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const { app } = service;
  const daysAgo = (days: number) => new Date(app.now().getTime() - days * dayMs);
  const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
    token: owner.token,
    body: { name: "Platform", roles: [] },
  });
  const members: TestUser[] = [];
  for (let index = 0; index < 4; index++)
    members.push(await newMember(service, org, "member", index < 2 ? [team.data.id] : []));
  const skill = await publishSkill(service, org, owner, { name: "Review", visibility: "private" });
  for (const bump of ["minor", "major"]) {
    const body = { content: `# ${bump}\n`, bump };
    await service.call("POST", `/api/skills/${skill.id}/versions`, { token: owner.token, body });
  }
  await service.settled();
  const install = async (user: TestUser, machine: string, version: number, platform = "claude") => {
    const body = { platform, scope: "global", machine, version };
    const made = await service.call("PUT", `/api/skills/${skill.id}/installs`, { token: user.token, body });
    assert.equal(made.status, 200, JSON.stringify(made.body));
  };
  for (const [index, member] of members.entries()) await install(member, `laptop-${index}`, 1 + (index % 3));
  await install(members[0]!, "desktop", 2, "cursor");
  await backdate();

  /** Releases of earlier days, and the counts of those days. */
  async function backdate(): Promise<void> {
    const { raw } = app.storage.database;
    for (const [index, days] of [20, 12, 4].entries())
      await raw
        .collection("versions")
        .updateOne({ skillId: skill.id, version: index + 1 }, { $set: { createdAt: daysAgo(days) } });
    const counts: [days: number, counts: number[]][] = [
      [20, [2, 0, 0]],
      [18, [5, 0, 0]],
      [12, [4, 1, 0]],
      [10, [2, 3, 0]],
      [4, [1, 3, 1]],
      [2, [1, 2, 2]],
    ];
    const semvers = ["1.0.0", "1.1.0", "2.0.0"];
    await raw.collection("install_days").insertMany(
      counts.map(([days, ofVersions]) => ({
        _id: app.newId() as never,
        tenantId: org.id,
        skillId: skill.id,
        date: daysAgo(days).toISOString().slice(0, 10),
        installs: ofVersions.reduce((sum, count) => sum + count, 0),
        versions: ofVersions.map((installs, at) => ({ version: at + 1, semver: semvers[at], installs })),
      })),
    );
  }

  it("show the adoption of each release, and the versions by day", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    await page.goto(`${service.url}/${org.slug}/review/analytics`);
    const panel = page.getByRole("region", { name: "Adoption", exact: true });
    await panel.getByText("1 of 5 installs have 2.0.0 or a higher version.").waitFor();
    const lines = panel.getByRole("group", { name: "Share of the installs with a release" });
    await lines.getByRole("application").focus();
    await page.keyboard.press("ArrowRight");
    await lines.locator(".recharts-tooltip-wrapper").getByText("2.0.0").waitFor();
    await assertAccessible(page, "adoption-after-release", panel);
    await panel.getByText("By version", { exact: true }).click();
    await panel.getByRole("group", { name: "Installs by day and version" }).waitFor();
    await assertAccessible(page, "adoption-by-version", panel);
    await panel.getByText("Table", { exact: true }).click();
    const row = panel.getByRole("row", { name: /^1\.1\.0/ });
    assert.match(await row.innerText(), /20 %\s+60 %/);
    await assertAccessible(page, "adoption-table", panel);
    assert.deepEqual(troubles, []);
  });

  it("count installs by team, with the skills of each", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    await page.goto(`${service.url}/${org.slug}/review/analytics`);
    const ofSkill = page.getByRole("region", { name: "By team" });
    assert.match(
      await ofSkill.getByRole("row", { name: /^Platform/ }).innerText(),
      /2 of 2\s+100\s%\s+3\s+3/,
    );
    await page.goto(`${service.url}/${org.slug}/-/analytics`);
    const teams = page.getByRole("region", { name: "Teams" });
    await teams.getByRole("button", { name: "Show skills of Platform" }).click();
    await teams
      .getByRole("table", { name: "Skills of Platform" })
      .getByRole("link", { name: "review" })
      .waitFor();
    await assertAccessible(page, "teams", teams);
    await page.getByRole("region", { name: "Adoption of the latest releases" }).getByText("1 of 5").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("estimate the tokens that skills take in tools, of an organization and of the caller", async () => {
    await install(owner, "own-laptop", 1);
    const { page, troubles } = await dashboard.newPage({ user: owner });
    await page.goto(`${service.url}/${org.slug}/-/analytics`);
    const budget = page.getByRole("region", { name: "Context budget" });
    await budget
      .getByRole("group", { name: "People by estimated tokens and tool" })
      .getByText("Cursor")
      .waitFor();
    await assertAccessible(page, "context", budget);
    await budget.getByText("Table", { exact: true }).click();
    await budget.getByRole("row", { name: /^Claude Code/ }).waitFor();
    const largest = page.getByRole("region", { name: "Largest skills in context" });
    assert.match(await largest.getByRole("row", { name: /^review/ }).innerText(), /100\s%/);
    await assertAccessible(page, "context-table", largest);
    await page.goto(`${service.url}/settings/installs`);
    await page.getByText(/Claude Code about \d+ tokens \(1 skill\)/).waitFor();
    await assertAccessible(page, "own-installs");
    assert.deepEqual(troubles, []);
  });

  it("remind those who are behind, after saying whom", async () => {
    const { page, troubles } = await dashboard.newPage({ user: owner });
    await page.goto(`${service.url}/${org.slug}/review/installs`);
    await page.getByRole("button", { name: "Remind", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Remind members to update review" });
    await dialog.getByText("3 people on 4 machines").waitFor();
    await dialog.getByText("3 people have no confirmed address or unsubscribed").waitFor();
    await assertAccessible(page, "remind");
    await dialog.getByRole("button", { name: "Remind 3 people" }).click();
    await page.getByText("Reminded 3 people to update review.").waitFor();
    await page.getByRole("button", { name: "Remind", exact: true }).click();
    await dialog.getByText("There is no one to remind.").waitFor();
    await dialog.getByText("3 people were reminded in the last 7 days").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Remind", exact: true }).isDisabled(), true);
    const { page: home } = await dashboard.newPage({ user: members[0]! });
    await home.goto(service.url);
    await home.getByText("needs an update to 2.0.0").waitFor();
    assert.deepEqual(troubles, []);
  });
});
