/** The pages of an organization in a real browser: library, access, people, roles, tokens, audit log, settings. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { openCli } from "../support/cli.ts";
import { newFolder, newMember, publishSkill } from "../support/organization.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();
const hostile = "<img src=x onerror=alert(1)>";

describe("the pages of an organization", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const at = (path: string) => `/${org.slug}/-/${path}`;

  const viewer = await newMember(service, org, "viewer");
  const stranger = await service.newUser();
  for (const path of ["engineering/release", "engineering/testing"])
    await newFolder(service, org, owner, path);
  for (const [name, folder] of [
    ["deploy-checks", "engineering/release"],
    ["test-first", "engineering/testing"],
  ] as const)
    await publishSkill(service, org, owner, { name, folder, visibility: "private" });
  await service.settled();

  it("keeps related words, one group in a line, and says what is wrong with one", async () => {
    const { page, troubles } = await dashboard.open(at("settings"), { user: owner });
    const form = page.getByRole("form", { name: "Related words" });
    await form.getByRole("textbox").fill("nimbus, hosting provider\n\n  OKR ,goals,\n");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("nimbus, hosting provider\nOKR, goals", { exact: true }).waitFor();
    const saved = await service.call("GET", `/api/tenants/${org.slug}/search-synonyms`, {
      token: owner.token,
    });
    const groups = [
      ["nimbus", "hosting provider"],
      ["OKR", "goals"],
    ];
    assert.deepEqual(saved.data, { groups });
    assert.deepEqual(troubles, []);
    await form.getByRole("textbox").fill("alone");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText(/needs two words/).waitFor();
  });

  it("chooses the collection that other clients find in its index", async () => {
    const { org: other, owner: chief } = await newOrganization(service);
    const base = `/api/tenants/${other.slug}`;
    await publishSkill(service, other, chief, { name: "For all", visibility: "public", description: "Any." });
    const body = { name: "Chosen", skills: ["for-all"] };
    await service.call("POST", `${base}/collections`, { token: chief.token, body });
    const { page, troubles } = await dashboard.open(`/${other.slug}/-/settings`, { user: chief });
    await page.getByRole("combobox", { name: "Skills in the index" }).click();
    await page.getByRole("option", { name: "Collection Chosen" }).click();
    await until("the choice to be saved", async () => {
      const { data } = await service.call<{ collection: string | null }>("GET", `${base}/skill-index`, {
        token: chief.token,
      });
      return data.collection === "chosen";
    });
    await assertAccessible(page, "organization settings with an index");
    assert.deepEqual(troubles, []);
  });

  it("shows every member the marketplaces, with lines to copy", async () => {
    const { page, troubles } = await dashboard.open(at("settings"), { user: viewer });
    const section = page.getByRole("region", { name: "Marketplaces" });
    await section.getByText(`${org.slug}-members`, { exact: true }).waitFor();
    const address = `${service.url}/${org.slug}/-/members.git`;
    await section.getByText(`claude plugin marketplace add ${address}`).waitFor();
    for (const program of ["codex", "copilot"])
      await section.getByText(`${program} plugin marketplace add ${address}`).waitFor();
    await section.getByText(/^git config --global credential/).waitFor();
    await section.getByText(`Settings of Claude Code for ${org.slug}-members`).click();
    const settings = section.getByLabel("Content of settings.json", { exact: true });
    assert.match(await settings.innerText(), /"source": "git",[^]*members\.git"[^]*"autoUpdate": true/);
    const archive = section.getByLabel("Content of settings.json without Git");
    assert.match(await archive.innerText(), /"source": "url",[^]*"headersHelper": "svc auth header"/);
    await section.getByRole("button", { name: "Copy file" }).first().waitFor();
    await section.scrollIntoViewIfNeeded();
    await assertAccessible(page, "marketplaces");
    assert.deepEqual(troubles, []);
  });

  it("restricts a folder with a grant, and reports who can read it and why", async () => {
    const { page, troubles } = await dashboard.open(at("library/engineering/release"), { user: owner });
    const panel = page.getByRole("complementary", { name: "Access to release" });
    await panel.getByText("2 of 2").waitFor();

    await panel.getByRole("switch", { name: "Restrict this folder" }).click();
    await panel.getByText("no access, was read").waitFor();
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("1 of 2").waitFor();
    await panel.getByText(/No grant on .*release itself/).waitFor();

    const folder = await folderAt(service, org, owner, "engineering/release");
    assert.equal(folder.restricted, true);
    assert.deepEqual(troubles, []);
  });

  it("shows a change by someone else next to one's own instead of overwriting it", async () => {
    const { id } = await folderAt(service, org, owner, "engineering/release");
    const { page } = await dashboard.open(at("library/engineering/release"), { user: owner });
    const panel = page.getByRole("complementary", { name: "Access to release" });
    await panel.getByRole("switch", { name: "Restrict this folder" }).click();
    await panel.getByRole("button", { name: "Save" }).waitFor();
    const grants = [{ principal: { type: "member", id: viewer.id }, level: "viewer" }];
    const theirs = await service.call("PUT", `/api/folders/${id}/access`, {
      token: owner.token,
      body: { restricted: true, grants },
    });
    assert.equal(theirs.status, 200, JSON.stringify(theirs.body));

    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("Access to this folder was changed while you edited it.").waitFor();
    await panel.getByRole("button", { name: "Use what is saved" }).click();

    await panel.getByText("2 of 2").waitFor();
    assert.equal((await folderAt(service, org, owner, "engineering/release")).restricted, true);
  });

  it("moves a skill by the keyboard after confirming that it leaves a restriction, and takes it back", async () => {
    const { page, troubles } = await dashboard.open(at("library/engineering/release?skill=deploy-checks"), {
      user: owner,
    });
    await page.getByRole("row", { name: /deploy-checks/ }).waitFor();
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog", { name: "Move deploy-checks" });
    await dialog.getByRole("combobox", { name: "Folder" }).fill("testing");
    await page.getByRole("option", { name: "engineering/testing" }).click();
    await dialog.getByText("More people can read it afterwards.").waitFor();
    await dialog.getByText("No member has reported an install.").waitFor();
    await dialog.getByRole("button", { name: "Move and show it to more people" }).click();

    await page.getByText("Moved deploy-checks to engineering/testing").waitFor();
    const undone = page.waitForResponse((response) => response.url().endsWith("/move"));
    await page.getByRole("button", { name: "Undo" }).click();

    assert.equal((await undone).status(), 200);
    const skill = await service.call<{ folderId: string }>(
      "GET",
      `/api/skills/${org.slug}~deploy-checks`,
      owner,
    );
    assert.equal(skill.data.folderId, (await folderAt(service, org, owner, "engineering/release")).id);
    assert.deepEqual(troubles, []);
  });

  it("names who loses access before a public skill is dropped into a restricted folder", async () => {
    const leaver = await newMember(service, org, "member");
    await publishSkill(service, org, owner, { name: "Open tips", content: "# Tips\n", visibility: "public" });
    const { page, troubles } = await dashboard.open(at("library/engineering"), { user: owner });
    const row = page.getByRole("row", { name: /open-tips/ });
    const folder = page.getByRole("row", { name: /release/ }).first();
    await row.hover();
    await page.mouse.down();
    await folder.hover();
    await folder.hover();
    const hint = page.getByRole("status").filter({ hasText: "open-tips" });
    await hint.getByText("No longer public").waitFor();
    await page.mouse.up();

    const dialog = page.getByRole("dialog", { name: "Move open-tips" });
    await dialog.getByText("It is no longer public:").waitFor();
    await dialog.getByText("Lose access:").waitFor();
    assert.ok((await dialog.innerText()).includes(leaver.username));
    await assertAccessible(page, "a move into a restriction");
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await page.getByText("Moved open-tips to engineering/release").waitFor();
    assert.deepEqual(troubles, []);
    await service.call("DELETE", `/api/skills/${org.slug}~open-tips`, owner);
  });

  it("creates a folder whose name is shown as text", async () => {
    const { page, troubles } = await dashboard.open(at("library/"), { user: owner });
    await page.getByRole("button", { name: "New folder" }).click();
    const dialog = page.getByRole("dialog", { name: "New folder" });
    await dialog.getByRole("textbox", { name: "Name" }).fill(hostile);
    await dialog.getByRole("button", { name: "Create folder" }).click();

    await page.getByRole("row").getByText(hostile).waitFor();
    assert.equal(await page.locator("main img[src=x]").count(), 0);
    assert.deepEqual(troubles, []);
  });

  it("edits one custom role at a time, and saves what it gains", async () => {
    const { page, troubles } = await dashboard.open(at("people/roles"), { user: owner });
    await page.getByRole("button", { name: "New role" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Releaser");
    await page.getByRole("button", { name: "Create role" }).click();
    await page.getByRole("checkbox", { name: "delete skills" }).click();
    await page.getByText("may now delete skills.").waitFor();
    assert.equal(
      await page.getByRole("checkbox", { name: /^manage single sign-on/ }).getAttribute("aria-disabled"),
      "true",
    );
    await page.getByRole("button", { name: "Save role" }).click();
    await page.getByRole("button", { name: "Edit Releaser" }).waitFor();

    const roles = await service.call<{ name: string; permissions: object }[]>(
      "GET",
      `/api/tenants/${org.slug}/roles`,
      owner,
    );
    const role = roles.data.find(({ name }) => name === "Releaser");
    assert.deepEqual(role?.permissions, { skill: ["read", "delete"] });
    assert.deepEqual(troubles, []);
  });

  it("creates a token that is summed up in a sentence and shown once", async () => {
    const { page, troubles } = await dashboard.open(at("tokens"), { user: owner });
    await page.getByRole("banner").getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog", { name: "New token" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("release pipeline");
    await dialog.getByText(/^It reads skills, until /).waitFor();
    await dialog.getByRole("button", { name: "Create token" }).click();
    const secret = page.getByRole("dialog", { name: "Token release pipeline" });
    const token = (await secret.getByLabel("Token").first().textContent()) ?? "";
    assert.match(token, /^lskt_[0-9a-f]{64}$/);
    const command = (await secret.getByText(/svc list/).textContent()) ?? "";
    // It is no member, so that the folder that was restricted above is hidden from it.
    assert.deepEqual(await listedBy(command, token), ["test-first"]);
    await secret.getByRole("button", { name: "Close", exact: true }).last().click();
    await secret.getByText("You have not copied the token.").waitFor();
    await secret.getByRole("button", { name: "Close without copying" }).click();

    await page.getByRole("row", { name: /release pipeline/ }).waitFor();
    assert.equal(await page.getByText(/lskt_/).count(), 0);
    await page.goto(service.url + at("library/engineering/release"));
    const panel = page.getByRole("complementary", { name: "Access to release" });
    const listed = panel.getByRole("listitem").filter({ hasText: "release pipeline" });
    await listed.getByText(/API token that may read skills; it is not limited to .*release/).waitFor();
    await listed.getByText("no access").waitFor();
    await page.goto(service.url + at("people/check"));
    await page.getByText("An API token").click();
    await page.getByRole("combobox", { name: /^API token/ }).click();
    await page.getByRole("option", { name: "release pipeline" }).click();
    await page.getByText("In a folder").click();
    await page.getByRole("combobox", { name: "Folder" }).click();
    await page.getByRole("option", { name: "engineering/release" }).click();
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("release pipeline can't read.").waitFor();
    await page.reload();
    await page.getByText("release pipeline can't read.").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("offers a viewer only what their role allows, and names the missing permission", async () => {
    const { page } = await dashboard.open(at("library/"), { user: viewer });
    await page.getByRole("row", { name: /engineering/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: "New folder" }).count(), 0);
    await page.goto(service.url + at("audit"));
    await page.getByText("read the audit log").waitFor();
    assert.equal(await page.getByRole("table").count(), 0);
  });

  it("shows strangers and visitors the same as for an organization that does not exist", async () => {
    for (const user of [stranger, undefined]) {
      const { page } = await dashboard.newPage({ user });
      const texts: string[] = [];
      for (const slug of [org.slug, "no-such-organization"]) {
        await page.goto(`${service.url}/${slug}/-/library/engineering`);
        await page.getByRole("heading", { name: "Not found" }).waitFor();
        texts.push((await page.getByRole("main").textContent()) ?? "");
      }
      assert.equal(texts[0], texts[1]);
      assert.doesNotMatch(texts[0]!, /engineering/);
    }
  });
});

/** Slugs that the command prints, which begins with the address of the service. */
async function listedBy(command: string, token: string): Promise<string[]> {
  const [, apiUrl = "", words = ""] = /^SVC_API_URL=(\S+) svc (.*)$/.exec(command) ?? [];
  const home = await mkdtemp(join(tmpdir(), "svc-token-"));
  try {
    const cli = openCli({ home, apiUrl: () => apiUrl, cwd: home });
    const skills = await cli.json(words.split(" "), { env: { SVC_TOKEN: token } });
    return (skills as { slug: string }[]).map(({ slug }) => slug);
  } finally {
    await rm(home, { recursive: true });
  }
}

interface Folder {
  id: string;
  path: string;
  restricted: boolean;
}

async function folderAt(
  service: TestService,
  org: TestOrg,
  { token }: TestUser,
  path: string,
): Promise<Folder> {
  const { data } = await service.call<Folder[]>("GET", `/api/tenants/${org.slug}/folders`, { token });
  const folder = data.find((one) => one.path === path);
  assert.ok(folder, `the folder ${path} exists`);
  return folder;
}
