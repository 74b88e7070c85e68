/** Collections in a real browser: their editing by those who may, and what other members see. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type {
  CollectionDetailPayload,
  CollectionPayload,
} from "../../contract/payloads/skills/collections.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("collections in the dashboard", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const viewer = await newMember(service, org, "viewer");
  const at = (path = "") => `/${org.slug}/-/collections${path}`;
  const base = `/api/tenants/${org.slug}/collections`;

  const vault = await newFolder(service, org, owner, "vault");
  for (const [name, visibility, folder] of [
    ["release-notes", "public"],
    ["review-checks", "public"],
    ["commit-messages", "private"],
    ["vault-keys", "private", "vault"],
  ] as const)
    await publishSkill(service, org, owner, {
      name,
      visibility,
      folder,
      description: `Helps with ${name.replace("-", " ")}.`,
    });
  await restrict(service, owner, vault.id, []);
  await service.settled();

  const read = async (slug: string): Promise<CollectionDetailPayload> =>
    (await service.call<CollectionDetailPayload>("GET", `${base}/${slug}`, { token: owner.token })).data;
  const create = (fields: object) =>
    service.call("POST", base, { token: owner.token, body: { name: "Unnamed", ...fields } });
  const slugsOf = async (slug: string) => (await read(slug)).skills.map((skill) => skill.slug).join();
  const rows = (page: Page) => page.getByRole("list", { name: "Skills" }).getByRole("listitem");

  it("are created, filled by a search, ordered by keys and by dragging, and deleted", async () => {
    const { page, troubles } = await dashboard.open(at(), { user: owner });
    await page.getByRole("heading", { name: "No collections yet" }).waitFor();
    await page.getByRole("button", { name: "New collection" }).click();
    const dialog = page.getByRole("dialog", { name: "New collection" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Releases");
    await dialog.getByRole("textbox", { name: "Description" }).fill("All that a release needs.");
    await dialog.getByRole("switch", { name: /public page/ }).click();
    await dialog.getByRole("button", { name: "Create collection" }).click();
    await page.getByRole("heading", { level: 1, name: "Releases" }).waitFor();

    const field = page.getByRole("textbox", { name: "Add a skill" });
    for (const [words, slug] of [
      ["notes of a release", "release-notes"],
      ["vault", "vault-keys"],
      ["commit", "commit-messages"],
    ] as const) {
      await field.fill(words);
      await page.getByRole("option", { name: new RegExp(slug) }).click();
      await rows(page).filter({ hasText: slug }).waitFor();
    }
    await page.getByText("hidden from some members").waitFor();
    await page.getByText("hidden from visitors").waitFor();
    await until(
      "the skills to be saved",
      async () => (await slugsOf("releases")) === "release-notes,vault-keys,commit-messages",
    );

    const handle = (slug: string) => page.getByRole("button", { name: new RegExp(`^Move ${slug}`) });
    await handle("commit-messages").focus();
    await page.keyboard.press("Home");
    await page.getByText("commit-messages is now 1 of 3.").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowDown");
    await until(
      "the order to be saved",
      async () => (await slugsOf("releases")) === "release-notes,commit-messages,vault-keys",
    );

    const [from, to] = [
      (await handle("release-notes").boundingBox())!,
      (await handle("vault-keys").boundingBox())!,
    ];
    await page.mouse.move(from.x + 5, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 5, to.y + to.height, { steps: 4 });
    await page.mouse.up();
    await until(
      "the drag to be saved",
      async () => (await slugsOf("releases")) === "commit-messages,vault-keys,release-notes",
    );
    await page.getByRole("button", { name: "Remove vault-keys from the collection" }).click();
    await until(
      "the removal to be saved",
      async () => (await slugsOf("releases")) === "commit-messages,release-notes",
    );
    await assertAccessible(page, "collection");

    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete collection" }).click();
    await page.getByRole("heading", { name: "No collections yet" }).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("are required for teams that an administrator chooses", async () => {
    await create({ name: "Needed", skills: ["release-notes"] });
    const { page, troubles } = await dashboard.open(at("/needed"), { user: owner });
    await page.getByRole("combobox", { name: "Required for" }).click();
    await page.getByRole("option", { name: "Everyone in the organization" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("required", { exact: true }).waitFor();
    await assertAccessible(page, "a required collection");
    assert.deepEqual(troubles, []);
    await service.call("DELETE", `${base}/needed`, { token: owner.token });
  });

  it("are shown to a viewer without what they may not read, and without controls", async () => {
    await create({ name: "For viewers", skills: ["vault-keys", "release-notes"] });
    const { page, troubles } = await dashboard.open(at(), { user: viewer });
    await page.getByRole("link", { name: "For viewers" }).click();
    await page.getByRole("heading", { name: "1 skill" }).waitFor();
    const text = await page.locator("main").innerText();
    assert.doesNotMatch(text, /vault|hidden/);
    assert.equal(await page.getByRole("button", { name: /Delete|Move|Remove|Save/ }).count(), 0);
    assert.deepEqual(troubles, []);
    await service.call("DELETE", `${base}/for-viewers`, { token: owner.token });
  });

  it("keep their place in a changed order, and show why a change was refused", async () => {
    for (const name of ["First", "Second"]) await create({ name, description: `${name} of all.` });
    const { page } = await dashboard.open(at(), { user: owner });
    await page.getByRole("button", { name: /^Move Second/ }).focus();
    await page.keyboard.press("ArrowUp");
    await until("the order to be saved", async () => {
      const listed = await service.call<CollectionPayload[]>("GET", base, { token: viewer.token });
      return listed.data.map(({ slug }) => slug).join() === "second,first";
    });
    await assertAccessible(page, "collections");

    await page.goto(`${service.url}${at("/second")}`);
    await page.getByRole("textbox", { name: "Add a skill" }).fill("review");
    const failure = { success: false, error: "The database is busy.", code: "unavailable", requestId: "r-1" };
    await page.route("**/collections/second", (call) =>
      call.request().method() === "PATCH" ? call.fulfill({ status: 503, json: failure }) : call.continue(),
    );
    await page.getByRole("option", { name: /review-checks/ }).click();
    await page.getByText("The database is busy.").waitFor();
    await page.unroute("**/collections/second");
    await page.getByRole("button", { name: "Try again" }).click();
    await until("the skill to be saved", async () => (await slugsOf("second")) === "review-checks");
    for (const slug of ["first", "second"])
      await service.call("DELETE", `${base}/${slug}`, { token: owner.token });
  });

  it("show the skills of another editor's change instead of overwriting it", async () => {
    await create({ name: "Shared", skills: ["release-notes"] });
    const { page } = await dashboard.newPage({ user: owner });
    await page.route("**/api/events*", (call) => call.abort());
    await page.goto(`${service.url}${at("/shared")}`);
    await rows(page).first().waitFor();
    const changed = await service.call("PATCH", `${base}/shared`, {
      token: owner.token,
      body: { skills: ["release-notes", "review-checks"] },
    });
    assert.equal(changed.status, 200);
    await page.getByRole("button", { name: "Remove release-notes from the collection" }).click();
    await page.getByText(/was changed concurrently/).waitFor();
    await rows(page).filter({ hasText: "review-checks" }).waitFor();
    assert.equal(await slugsOf("shared"), "release-notes,review-checks");
  });
});
