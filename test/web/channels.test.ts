/** Channels of a skill in a real browser: shown, created, moved and deleted. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChannelPayload } from "../../contract/payloads/skills/channels.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { holdVersion } from "../support/holds.ts";
import { newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";
import { assertAccessible, setUpDashboard, type Look } from "../support/web/dashboard.ts";

const looks: readonly Look[] = [390, 1440].flatMap((width) => [
  { colorScheme: "light", width },
  { colorScheme: "dark", width },
]);

describe("channels in the dashboard", { skip: whyNoBrowser() ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const viewer = await newMember(service, org, "viewer");
  const dashboard = await setUpDashboard(service);
  const skill = await newVersionedSkill({ service, user: owner, org, name: "Clean up" });
  await skill.push({ message: "Keep the folders of the build tool" });
  await skill.push({ bump: "minor", message: "Ask before anything is deleted" });
  await service.settled();
  const address = `/${org.slug}/${skill.slug}/versions`;
  const channels = async () => {
    const path = `/api/skills/${skill.id}/channels`;
    const { data } = await service.call<ChannelPayload[]>("GET", path, { token: owner.token });
    return data.map(({ name, semver }) => `${name} ${semver}`);
  };

  it("are created and moved from the menu of a version", async () => {
    const { page, troubles } = await dashboard.open(address, { user: owner });
    await page.getByRole("button", { name: "Actions for 1.0.0" }).click();
    await page.getByRole("menuitem", { name: "Point a channel here" }).click();
    let dialog = page.getByRole("dialog", { name: "Point a channel to 1.0.0" });
    await dialog.getByRole("combobox", { name: "Channel" }).fill("V2");
    await dialog.getByText("Use lower-case letters").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Create channel" }).isDisabled(), true);
    await dialog.getByRole("combobox", { name: "Channel" }).fill("stable");
    await assertAccessible(page, "new channel", dialog, looks);
    await dialog.getByRole("button", { name: "Create channel" }).click();
    await page.getByRole("list", { name: "Channels" }).getByText("stable").waitFor();
    assert.deepEqual(await channels(), ["stable 1.0.0"]);

    const install = { platform: "claude", scope: "global", machine: "one", version: 1, range: "stable" };
    const reported = await service.call("PUT", `/api/skills/${skill.id}/installs`, {
      token: owner.token,
      body: install,
    });
    assert.ok(reported.status < 300, JSON.stringify(reported.body));
    await page.getByRole("button", { name: "Actions for 1.0.1" }).click();
    await page.getByRole("menuitem", { name: "Point a channel here" }).click();
    dialog = page.getByRole("dialog", { name: "Point a channel to 1.0.1" });
    await dialog.getByRole("combobox", { name: "Channel" }).fill("stable");
    await dialog.getByText("in place of 1.0.0").waitFor();
    await dialog.getByText("1 machine of 1 member follows a channel that points to it.").waitFor();
    await dialog.getByRole("button", { name: "Move channel" }).click();
    await page.getByRole("list", { name: "Channels" }).getByText("1.0.1").waitFor();
    assert.deepEqual(await channels(), ["stable 1.0.1"]);
    await assertAccessible(page, "versions with a channel", undefined, looks);
    assert.deepEqual(troubles, []);
  });

  it("are shown to readers, who can't change them", async () => {
    const { page, troubles } = await dashboard.open(address, { user: viewer });
    await page.getByRole("list", { name: "Channels" }).getByText("1.0.1").waitFor();
    await page.getByRole("button", { name: "Actions for 1.0.1" }).click();
    await page.getByRole("menuitem", { name: "Download as zip" }).waitFor();
    assert.equal(await page.getByRole("menuitem", { name: /channel/i }).count(), 0);
    await holdVersion(service.app, skill.id, 2, "scan");
    await page.reload();
    await page.getByRole("list", { name: "Channels" }).getByText("has no version now").waitFor();
    assert.equal(await page.getByText("1.0.1").count(), 0);
    assert.deepEqual(troubles, []);
  });

  it("prevent a yank, unless they are deleted with it", async () => {
    const path = `/api/skills/${skill.id}/channels/beta`;
    await service.call("PUT", path, { token: owner.token, body: { version: "1.0.0" } });
    const { page, troubles } = await dashboard.open(address, { user: owner });
    await page.getByRole("button", { name: "Actions for 1.0.0" }).click();
    await page.getByRole("menuitem", { name: "Yank" }).click();
    const dialog = page.getByRole("dialog", { name: "Yank 1.0.0" });
    const action = dialog.getByRole("button", { name: "Yank" });
    assert.equal(await action.isDisabled(), true);
    await dialog.getByRole("checkbox", { name: "Delete the channel beta" }).check();
    await assertAccessible(page, "yank of a version with a channel", dialog, looks);
    await action.click();
    await until("the channel is deleted", async () => (await channels()).join() === "stable 1.0.1", {
      details: channels,
      timeoutMs: 10_000,
    });
    assert.deepEqual(troubles, []);
  });

  it("are deleted after a question", async () => {
    const path = `/api/skills/${skill.id}/channels/next`;
    await service.call("PUT", path, { token: owner.token, body: { version: "1.1.0" } });
    const { page, troubles } = await dashboard.open(address, { user: owner });
    await page.getByRole("button", { name: "Actions for 1.1.0" }).click();
    await page.getByRole("menuitem", { name: "Delete the channel next" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the channel next" });
    await dialog.getByText("No reported install gets 1.1.0").waitFor();
    await assertAccessible(page, "deletion of a channel", dialog, looks);
    await dialog.getByRole("button", { name: "Delete channel" }).click();
    await until("the channel is deleted", async () => (await channels()).join() === "stable 1.0.1");
    assert.deepEqual(troubles, []);
  });
});
