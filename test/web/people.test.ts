/** Members, invitations and teams of an organization in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InvitationOutcomePayload } from "../../contract/payloads/organizations/organizations.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { confirmAddress, newFolder, newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();

describe("the people of an organization", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const at = (path: string) => `/${org.slug}/-/people${path}`;
  await confirmAddress(service, owner);
  const member = await newMember(service, org, "member");
  const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/teams`, {
    token: owner.token,
    body: { name: "Writers" },
  });

  it("are invited many at once, by a pasted list and a file, and join by the links that are shown", async () => {
    const { page, troubles } = await dashboard.open(at(""), { user: owner });
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = page.getByRole("dialog", { name: /^Invite to / });
    await dialog.getByText("This service has no mail server", { exact: false }).waitFor();
    const field = dialog.getByRole("textbox", { name: "E-mail addresses" });
    await field.fill("Ada Byrne <ada@example.org>; bruno@example.org\nBRUNO@example.org, @nobody");
    await dialog.getByText("2 addresses · 1 repeated · 1 invalid").waitFor();
    await dialog.getByRole("button", { name: "Invite 2 people" }).click();
    await dialog.getByText('"@nobody" is not an e-mail address. Correct or remove it.').waitFor();
    await field.fill(`Ada Byrne <ada@example.org>; bruno@example.org\n${member.username}@example.com`);
    await dialog.locator("input[type=file]").setInputFiles({
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from('name,email\r\n"Rossi, Carla",carla@example.org\r\n'),
    });
    await dialog.getByText("4 addresses", { exact: true }).waitFor();
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "viewer" }).click();
    await dialog.getByRole("combobox", { name: "Teams" }).click();
    await page.getByRole("option", { name: "Writers" }).click();
    await page.keyboard.press("Escape");
    await assertAccessible(page, "invite form");
    const answered = page.waitForResponse((response) => response.url().endsWith("/invitations/batch"));
    await dialog.getByRole("button", { name: "Invite 4 people" }).click();
    const outcomes = ((await (await answered).json()) as { data: InvitationOutcomePayload[] }).data;

    await dialog.getByText("3 invited, 1 already a member.").waitFor();
    await dialog.getByRole("button", { name: "Copy link for ada@example.org" }).waitFor();
    await dialog.getByRole("button", { name: "Copy 3 links" }).waitFor();
    await assertAccessible(page, "invite outcomes");
    assert.deepEqual(troubles, []);

    const guest = await dashboard.newPage();
    await guest.page.goto(outcomes.find(({ email }) => email === "ada@example.org")!.url!);
    await guest.page.getByRole("link", { name: "Create an account" }).click();
    await guest.page.getByLabel("Your name").fill("Ada Byrne");
    await guest.page.getByLabel("User name").fill("ada-byrne");
    await guest.page.getByLabel("E-mail").fill("ada@example.org");
    await guest.page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await guest.page.getByRole("button", { name: "Create account" }).click();
    await guest.page.getByRole("button", { name: "Accept" }).click();
    await guest.page.getByRole("heading", { name: "Welcome" }).waitFor();
    const members = await service.call<{ username: string; role: string; teamIds: string[] }[]>(
      "GET",
      `/api/tenants/${org.slug}/members?query=ada-byrne`,
      owner,
    );
    assert.deepEqual(
      members.data.map(({ role, teamIds }) => [role, teamIds]),
      [["viewer", [team.data.id]]],
    );
  });

  it("have a link for an open invitation, which makes the one who asks for it its sender", async () => {
    const { page, troubles } = await dashboard.open(at("/invitations"), { user: owner });
    const row = page.getByRole("row", { name: /bruno@example.org/ });
    await row.getByRole("button", { name: "Get link" }).click();
    const dialog = page.getByRole("dialog", { name: "Link for bruno@example.org" });
    await dialog.getByRole("button", { name: "Show link" }).click();
    await dialog.getByText(/\/invitations\/[\w-]+\.\w+\.[\w-]{43}$/).waitFor();
    await page.keyboard.press("Escape");
    await assertAccessible(page, "invitations without mail");
    assert.deepEqual(troubles, []);
  });

  it("are ordered, chosen and added to a team without moving, and have a page each", async () => {
    const people = [];
    for (const name of ["Noor Amari", "Anna Maria Alexandra von Hohenstein-Rathenau", "Zoë Quispe Mamani"]) {
      const person = await newMember(service, org, "member");
      await service.call("PATCH", "/api/user/profile", { cookie: person.cookie, body: { name } });
      people.push(person);
    }
    const releasers = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/teams`, {
      token: owner.token,
      body: { name: "Releasers", description: "Publishes what others have reviewed." },
    });
    const { id: folder } = await newFolder(service, org, owner, "engineering/release");
    const grants = [{ principal: { type: "team", id: releasers.data.id }, level: "editor" }];
    await service.call("PUT", `/api/folders/${folder}/access`, {
      token: owner.token,
      body: { restricted: true, grants },
    });
    await service.settled();
    const { page, troubles } = await dashboard.open(at(""), { user: owner });
    const table = page.getByRole("table", { name: "Members" });
    const names = () => table.getByRole("row").locator(".name").allInnerTexts();
    await table.getByRole("button", { name: "Name" }).click();
    await table
      .getByRole("columnheader", { name: "Name", exact: false })
      .and(page.locator("[aria-sort=ascending]"))
      .waitFor();
    const shown = await names();
    assert.deepEqual(
      shown,
      shown.toSorted((a, b) => a.localeCompare(b, "en")),
    );
    await table.getByRole("button", { name: "Name" }).click();
    await page.locator("[aria-sort=descending]").waitFor();
    assert.deepEqual(await names(), shown.toReversed());

    const first = table.getByRole("checkbox", { name: `Choose ${people[0]!.username}` });
    const before = (await first.boundingBox())!;
    await first.check();
    await table.getByRole("checkbox", { name: `Choose ${people[1]!.username}` }).check();
    assert.deepEqual(await first.boundingBox(), before, "the table does not move");
    await assertAccessible(page, "members chosen");
    await page
      .getByRole("region", { name: "Chosen members" })
      .getByRole("button", { name: "Add to team" })
      .click();
    const dialog = page.getByRole("dialog", { name: "Add to team" });
    await dialog.getByRole("combobox", { name: "Team" }).click();
    await page.getByRole("option", { name: "Releasers" }).click();
    await dialog.getByRole("button", { name: "Add to team" }).click();
    await dialog.waitFor({ state: "detached" });

    await table.getByRole("link", { name: "Anna Maria Alexandra von Hohenstein-Rathenau" }).click();
    await page.getByRole("heading", { level: 1, name: /^Anna Maria/ }).waitFor();
    const access = page.getByRole("region", { name: "Access", exact: true });
    await access.getByRole("row", { name: /engineering\/release/ }).waitFor();
    await access.getByRole("cell", { name: "editor by the team Releasers" }).waitFor();
    await page
      .getByRole("region", { name: "Roles and teams" })
      .getByRole("link", { name: "Releasers" })
      .waitFor();
    await assertAccessible(page, "member page");
    await page
      .getByRole("region", { name: "Roles and teams" })
      .getByRole("link", { name: "Releasers" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Releasers" }).waitFor();
    await page.getByRole("combobox", { name: "Add members" }).click();
    await page.getByRole("option", { name: new RegExp(people[2]!.username) }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add 1 member" }).click();
    await page.getByRole("button", { name: `Remove ${people[2]!.username} from the team` }).waitFor();
    await assertAccessible(page, "team page");
    await page.getByRole("link", { name: "Teams" }).first().click();
    await page.getByRole("row", { name: /Releasers Publishes what others have reviewed. 3/ }).waitFor();
    await assertAccessible(page, "teams");
    assert.deepEqual(troubles, []);
  });

  it("are shown to a member without what needs more permissions", async () => {
    const { page, troubles } = await dashboard.open(at(`/members/${owner.id}`), { user: member });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("All folders without a restriction").waitFor();
    assert.equal(await page.getByText("engineering/release").count(), 0);
    assert.equal(await page.getByRole("heading", { name: "Activity" }).count(), 0);
    assert.equal(await page.getByRole("heading", { name: "API tokens" }).count(), 0);
    assert.equal(await page.getByText(`${owner.username}@example.com`).count(), 0);
    assert.deepEqual(troubles, []);
  });
});
