/** The webhooks of an organization in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deliverWebhook } from "../../src/orgs/webhooks/deliver.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { assertAccessible, setUpDashboard, type Look } from "../support/web/dashboard.ts";
import { startReceiver, verifyMessage } from "../support/webhook-receiver.ts";

const looks: readonly Look[] = [390, 1440].flatMap((width) => [
  { colorScheme: "light", width },
  { colorScheme: "dark", width },
]);

describe("the page of webhooks", { skip: whyNoBrowser() ?? false }, async () => {
  const receiver = await startReceiver();
  const { service, owner, org } = await setUpOrganization({ webhookPrivateNetwork: true });
  const { app } = service;
  const dashboard = await setUpDashboard(service);
  const address = `/${org.slug}/-/webhooks`;
  async function deliver(): Promise<void> {
    await service.settled();
    for (const { _id } of await app.storage.webhooks.list(org.id)) await deliverWebhook(app, _id);
  }

  it("creates one, shows its secret once, and lists what was sent", async () => {
    const { page, troubles } = await dashboard.open(address, { user: owner });
    await page.getByRole("button", { name: "New webhook" }).last().click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("deploys");
    await form.getByLabel("Address").fill(receiver.url);
    await form.getByLabel("All events").uncheck();
    await assertAccessible(page, "webhook form", undefined, looks);
    await form.getByRole("group", { name: "Folders" }).getByLabel("Folders").check();
    await form.getByRole("button", { name: "Create webhook" }).click();
    await page.getByText("it is not shown again").waitFor();
    const secret = await page.getByText("whsec_").innerText();
    const list = page.getByRole("region", { name: "Webhooks" });
    await list.getByText("4 events").waitFor();

    await newFolder(service, org, owner, "reported");
    await deliver();
    await page.reload();
    await page.getByRole("button", { name: "folder.created" }).click();
    const message = page.getByRole("dialog");
    await message.getByText("1 attempt").waitFor();
    await message.getByLabel("Body of the message").getByText('"name": "reported"').waitFor();
    await assertAccessible(page, "webhook delivery", message, looks);
    await message.getByRole("button", { name: "Send again" }).click();
    await message.locator(".badge", { hasText: "pending" }).waitFor();
    await deliver();
    await message.getByText("2 attempts").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("button", { name: "webhook.test" }).waitFor();
    await deliver();
    assert.equal(receiver.received.length, 3);
    for (const one of receiver.received) verifyMessage(one, secret);
    assert.equal(await page.getByText("whsec_").count(), 0);
    await page.locator(".badge", { hasText: "pending" }).first().waitFor({ state: "detached" });
    await assertAccessible(page, "webhooks", page.getByRole("main"), looks);
    assert.deepEqual(troubles, []);
  });

  it("shows why one was disabled, enables it, replaces its secret and deletes it", async () => {
    receiver.answer = () => ({ status: 410, body: "moved away" });
    await newFolder(service, org, owner, "refused");
    await deliver();
    const { page, troubles } = await dashboard.open(address, { user: owner });
    await page.getByText("The receiver responded that it is gone").waitFor();
    await assertAccessible(page, "webhook disabled", page.getByRole("main"), looks);
    const folder = page.getByRole("button", { name: "folder.created" }).first();
    await folder.click();
    await page.getByRole("dialog").getByText("moved away").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByText("The receiver responded that it is gone").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Actions for deploys" }).click();
    await page.getByRole("menuitem", { name: "New secret …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Create secret" }).click();
    await page.getByText("Messages are also signed by the previous secret until").waitFor();
    await page.getByText("whsec_").waitFor();
    await page.getByRole("button", { name: "Actions for deploys" }).click();
    await page.getByRole("menuitem", { name: "Delete …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("No webhooks yet").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("is not for a member without the permission", async () => {
    const member = await newMember(service, org, "member");
    const { page } = await dashboard.open(address, { user: member });
    await page.getByText("requires the permission").waitFor();
    assert.equal(await page.getByRole("button", { name: "New webhook" }).count(), 0);
  });
});
