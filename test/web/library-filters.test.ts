/** The filters of the library in a real browser: words by the search, and facets with counts, in the address. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const yearMs = 366 * 24 * 3_600_000;

describe("the filters of the library", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);
  const author = await newMember(service, org, "member");
  await newFolder(service, org, owner, "documents");
  const text = (description: string, tags: string) =>
    `---\ndescription: ${description}\ntags: [${tags}]\n---\n# Guide\n`;
  await publishSkill(service, org, owner, {
    name: "Form filler",
    folder: "documents",
    content: text("Enters values into the fields of a spreadsheet.", "office"),
    visibility: "public",
  });
  await publishSkill(service, org, author, {
    name: "Deploy",
    content: text("Rolls a release out to the cluster.", "ops, office"),
    visibility: "private",
  });
  const old = await publishSkill(service, org, owner, {
    name: "Archive",
    content: text("Moves old records.", "ops"),
    visibility: "private",
  });
  await service.settled();
  const past = new Date(Date.now() - yearMs);
  await service.app.storage.database.raw
    .collection("skills")
    .updateOne({ publicId: old.publicId }, { $set: { updatedAt: past, createdAt: past } });
  const open = (query = "") => dashboard.open(`/${org.slug}/-/library/${query}`, { user: owner });

  it("find a skill by what it does, not only by its name", async () => {
    const { page, troubles } = await open();
    const tree = page.getByRole("treegrid", { name: "Library" });
    await tree.getByText("deploy").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("excel");

    await tree.getByText("form-filler").waitFor();
    await tree.getByText("deploy").waitFor({ state: "detached" });
    await page.waitForURL(/filter=excel/);
    assert.deepEqual(troubles, []);
  });

  it("say that nothing matches, below the head of the list", async () => {
    const { page } = await open("?filter=zeppelin");
    // A trial click fails if something covers the text.
    await page.getByText("Nothing matches. Use other words, or remove a filter.").click({ trial: true });
  });

  it("count the values of each filter over what the others leave, and keep the choice in the address", async () => {
    const { page, troubles } = await open();
    await page.getByRole("combobox", { name: "Tag" }).click();
    await page.getByRole("option", { name: "ops (2)" }).click();
    await page.waitForURL(/tag=ops/);
    const tree = page.getByRole("treegrid", { name: "Library" });
    await tree.getByText("form-filler").waitFor({ state: "detached" });
    await assertAccessible(page, "the filters of the library");
    await page.getByRole("combobox", { name: "Owner" }).click();
    await page.getByRole("option", { name: `${author.username} (1)` }).click();
    await tree.getByText("archive").waitFor({ state: "detached" });

    await page.reload();
    await tree.getByText("deploy").waitFor();
    assert.equal(await tree.getByText("archive").count(), 0);
    assert.deepEqual(troubles, []);
  });

  it("narrow the tree to a folder", async () => {
    const { page } = await open();
    await page.getByRole("combobox", { name: "Folder" }).click();
    await page.getByRole("option", { name: "documents (1)" }).click();

    const tree = page.getByRole("treegrid", { name: "Library" });
    await tree.getByText("deploy").waitFor({ state: "detached" });
    await tree.getByText("form-filler").waitFor();
  });

  it("show skills that were not changed in a year, and not installed in 90 days", async () => {
    for (const stale of ["unchanged", "uninstalled"]) {
      const { page, troubles } = await open(`?stale=${stale}`);
      const tree = page.getByRole("treegrid", { name: "Library" });
      await tree.getByText("archive").waitFor();
      await tree.getByText("deploy").waitFor({ state: "detached" });
      assert.deepEqual(troubles, []);
    }
  });
});
