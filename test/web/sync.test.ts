/** The page of the repository sync in a real browser: connecting, a conflict, problems, disconnecting. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runConnection } from "../../workers/sync/run.ts";
import { accessibilityProblems, whyNoBrowser } from "../support/browser.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers, type Customer } from "../support/sync/customers.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

const reason = whyNoBrowser();
const hostile = "<script>alert(1)</script>";

describe("the page of the repository sync", { skip: reason ?? false }, async () => {
  const customers = await closedAfter(startCustomers());
  const dashboard = await setUpDashboard(customers.service);

  const { service } = dashboard;
  const customer = await customers.newCustomer();
  /** Has a repository that it has not connected. */
  const newcomer = await customers.newCustomer();
  const files = {
    "skills/fresh/SKILL.md": `---\nname: fresh\ndescription: ${hostile}\n---\n# Fresh\n`,
    "skills/broken/SKILL.md": "---\nname: [\n---\n",
  };
  for (const each of [customer, newcomer]) await customers.publish(each, "Notes");
  customers.newRepository(newcomer, "skills.git", files);
  const bare = customers.newRepository(customer, "skills.git", files);
  await customers.connect(customer, { host: "local", url: "skills.git" });
  await runSync(customer);

  const open = (user: TestUser | undefined, { org } = customer) =>
    dashboard.open(`/${org.slug}/-/sync`, { user });
  async function runSync(of: Customer): Promise<void> {
    const { connection } = await customers.state(of);
    await service.settled();
    await runConnection(service.app, connection!.id);
    await service.settled();
  }
  const lines = Array.from({ length: 12 }, (_, index) => `- line ${index}`).join("\n");
  const edit = (text: string) => `# Notes\n\n${text}\n\n${lines}\n\nEnd: ${text}\n`;
  for (const [theirs, ours] of [
    ["first from there", "first from here"],
    ["from the repository", hostile],
    ["again from there", "again from here"],
  ]) {
    customers.commitTo(bare, "skills/notes/SKILL.md", edit(theirs!));
    await service.call("POST", `/api/skills/${customer.org.slug}~notes/versions`, {
      ...as(customer),
      body: { content: edit(ours!) },
    });
    await service.settled();
    await service.call("POST", `${customer.base}/run`, as(customer));
    await runSync(customer);
  }
  const notes = async () => {
    const path = `/api/skills/${customer.org.slug}~notes/content`;
    return (await service.call<{ content: string; semver: string }>("GET", path, as(customer))).data;
  };
  const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).waitFor();

  it("combines both sides of a conflict in the editor", async () => {
    const { page, troubles } = await open(customer.owner);
    const latest = page.getByRole("region", { name: "notes was changed on both sides" }).first();
    await latest.getByRole("link", { name: "Combine in the editor" }).click();
    const other = page.getByRole("region", { name: "Other side" });
    const takeLines = other.getByRole("button", { name: /^Take over @@/ });
    await other.getByText("End: again from here").waitFor();
    assert.equal(await takeLines.count(), 2);
    const numbersOf = (kind: string) =>
      other.locator(`.line.${kind}`).first().locator(".number").allInnerTexts();
    const [removed, added] = [await numbersOf("del"), await numbersOf("add")];
    assert.deepEqual([removed[1], added[0]], ["", ""], "a changed line has a number on its own side only");
    assert.match(`${removed[0]} ${added[1]}`, /^\d+ \d+$/);
    await other.locator(".line.add ins").first().waitFor();
    const takeFile = other.getByRole("button", { name: "Take over the file SKILL.md" });
    const clipped = await takeFile.evaluate((button) =>
      [button, button.querySelector(".mantine-Button-label")!].map(
        (one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight,
      ),
    );
    assert.deepEqual(clipped, [false, false], "the button is cut");
    await assertAccessible(page, "combining");
    const address = page.url();

    await takeLines.first().click();
    await page
      .getByRole("textbox", { name: "SKILL.md" })
      .getByText("again from here", { exact: true })
      .waitFor();
    await page.getByText("Draft kept in this browser").waitFor();
    await page.reload();
    assert.equal(page.url(), address);
    await page.getByRole("button", { name: "Continue" }).click();
    await page
      .getByRole("textbox", { name: "SKILL.md" })
      .getByText("again from here", { exact: true })
      .waitFor();
    await other.getByText("End: again from here").waitFor();
    assert.equal(await takeLines.count(), 1);
    const current = (await notes()).semver;
    await page.getByRole("button", { name: /^Publish \d/ }).click();
    await page.waitForURL(`**/${customer.org.slug}/notes`);
    const { content, semver } = await notes();
    assert.notEqual(semver, current);
    assert.match(content, /^again from here$/m);
    assert.match(content, /^End: again from there$/m);
    const base = `/api/tenants/${customer.org.id}/repo-sync/conflicts?seen=false`;
    await until("the conflict is settled", async () => {
      const unseen = await service.call<unknown[]>("GET", base, as(customer));
      return unseen.data.length === 2;
    });

    await page.goto(address);
    await other.getByRole("button", { name: "Take over the file SKILL.md" }).click();
    await page.getByText(/^Your text has all of version/).waitFor();
    assert.deepEqual(troubles, []);
  });

  it("shows both sides of a conflict, and marks it as fine or brings the version back", async () => {
    const { page, troubles } = await open(customer.owner);
    await page.getByText("2 of 2").waitFor();
    assert.match(await page.title(), /^● 2 conflicts · Repository sync/);
    const older = page.getByRole("region", { name: "notes was changed on both sides" }).first();
    await older.getByText(hostile, { exact: false }).first().waitFor();
    await older.getByText("from the repository").first().waitFor();
    assert.equal(await page.locator("script:not([src])").count(), 0);
    await assertAccessible(page, "a conflict");

    await older.getByRole("button", { name: "Keep current version" }).click();
    await page.getByText("1 of 1").waitFor();
    await page.getByRole("button", { name: /^Bring back / }).click();
    await page.getByText("1 of 1").waitFor({ state: "detached" });
    assert.match((await notes()).content, /first from here/);
    assert.deepEqual(troubles, []);
  });

  it("plans the next sync, with the lines that it changes", async () => {
    const { page, troubles } = await open(customer.owner);
    customers.commitTo(bare, "skills/notes/SKILL.md", `# Notes\n\nplanned there ${hostile}\n`);
    await page.getByRole("button", { name: "Plan the next sync" }).click();
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("skills/notes", { exact: true }).first().click();
    await plan.getByRole("region", { name: "Changes of SKILL.md" }).getByText("planned there").waitFor();
    await assertAccessible(page, "a plan");
    assert.deepEqual(troubles, []);
  });

  it("turns the marketplace files on", async () => {
    const { page, troubles } = await open(customer.owner);
    await page.getByText("Only skills/ is ever written.").waitFor();
    await page.getByRole("switch", { name: "Write marketplace files" }).click({ force: true });
    await page.getByText("Only skills/ and the marketplace files are ever written.").waitFor();
    await assertAccessible(page, "with marketplace files");
    assert.equal((await customers.state(customer)).connection?.marketplace, true);
    assert.deepEqual(troubles, []);
  });

  it("does not exist for strangers, and offers a viewer nothing", async () => {
    const stranger = await service.newUser();
    for (const user of [undefined, stranger]) {
      const { page } = await open(user);
      await heading(page, "Not found");
      assert.equal(await page.getByText("skills.git").count(), 0);
    }
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${customer.org.id}/roles`, {
      ...as(customer),
      body: { name: "Watcher", permissions: { githubSync: ["read"], skill: ["read"] } },
    });
    const { page } = await open(await newMember(service, customer.org, role.data.id));
    await heading(page, "Connection");
    assert.equal(await page.getByRole("switch", { name: "Write marketplace files" }).isDisabled(), true);
    for (const name of [
      "Sync now",
      "Disconnect …",
      "Keep current version",
      "Propose with pull requests instead",
    ])
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  });

  it("disconnects only after the organization's slug was typed", async () => {
    const { page, troubles } = await open(customer.owner);
    await page.getByRole("button", { name: "Disconnect …" }).click();
    const dialog = page.getByRole("dialog");
    const confirm = dialog.getByRole("button", { name: "Disconnect" });
    assert.equal(await confirm.isDisabled(), true);
    await dialog.getByLabel(/^Type /).fill(customer.org.slug);
    await confirm.click();
    await page.getByRole("button", { name: "Plan", exact: true }).waitFor();
    await page.getByRole("heading", { name: "History" }).waitFor();
    assert.equal((await customers.state(customer)).connection, null);
    // A live update can come before the answer, and then reads runs and conflicts of the connection that has ended.
    assert.deepEqual(
      troubles.filter((trouble) => !trouble.includes("the server responded with a status of 404")),
      [],
    );
  });

  it("plans a connection without writing anything, then connects", async () => {
    const { page, troubles, outside } = await open(newcomer.owner, newcomer);
    await page.getByRole("radio", { name: "Git server" }).check();
    await page.getByRole("textbox", { name: "Repository" }).fill("skills.git");
    await page.getByRole("textbox", { name: "Branch" }).fill("nowhere");
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByRole("button", { name: "Connect" }).count(), 0);
    await page.getByRole("button", { name: "main", exact: true }).click();
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await heading(page, "Plan");
    const plan = await page.getByRole("region", { name: "Plan" }).innerText();
    assert.match(plan, /skills\/fresh/);
    assert.match(plan, /skills\/notes/);
    assert.match(plan, /skills\/broken/);
    assert.equal((await customers.state(newcomer)).connection, null, "a plan stores nothing");
    assert.deepEqual(await accessibilityProblems(page), []);

    await page.getByRole("button", { name: "Connect" }).click();
    await heading(page, "Connection");
    // The refused plans are answers that the console reports.
    assert.deepEqual(
      troubles.filter((trouble) => !/status of 4\d\d/.test(trouble)),
      [],
    );
    assert.deepEqual(outside, []);
  });
});
