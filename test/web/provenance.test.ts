/** The origin of a version, and the keys that sign it, in a real browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { setUpCi } from "../ci/fixture.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { publishSkill } from "../support/organization.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";

describe("the origin of a version", { skip: whyNoBrowser() ?? false }, async () => {
  const fixture = await setUpCi();
  const { service, owner, org } = fixture;
  const dashboard = await setUpDashboard(service);
  await publishSkill(service, org, owner, { name: "By hand", visibility: "public" });
  await fixture.trust("github");
  const { data } = await fixture.exchange(await fixture.github.mint(service.url));
  const built = await service.call<{ skill: SkillPayload }>("POST", "/api/skills", {
    token: data.token,
    body: { tenantId: org.slug, name: "Built", content: "# Built\n" },
  });
  assert.equal(built.status, 201);
  await service.settled();

  it("is told in words, to everyone who may read the version", async () => {
    for (const [slug, user, text] of [
      [
        "built",
        owner,
        /^Built in 127\.0\.0\.1:\d+\/acme\/skills by .*publish\.yml from commit 01234567 on refs\/heads\/main\.$/,
      ],
      ["by-hand", undefined, new RegExp(`^Published by ${owner.username}\\.$`)],
    ] as const) {
      const { page, troubles } = await dashboard.open(`/${org.slug}/${slug}/versions`, { user });
      await page.getByRole("button", { name: "Actions for 1.0.0" }).click();
      await page.getByRole("menuitem", { name: "Origin" }).click();
      const dialog = page.getByRole("dialog", { name: "Origin of 1.0.0" });
      await dialog.getByText(text).waitFor();
      await dialog.getByRole("link", { name: "Open the signed statement" }).waitFor();
      await assertAccessible(page, `origin of ${slug}`);
      assert.deepEqual(troubles, []);
    }
  });

  it("is signed by keys that an administrator rotates and revokes", async () => {
    const { page, troubles } = await dashboard.open("/admin/signing-keys", { user: owner });
    const rows = page.getByRole("table", { name: "Signing keys" }).getByRole("row");
    await rows.getByText("active").waitFor();
    await page.getByRole("button", { name: "Rotate …" }).click();
    let dialog = page.getByRole("dialog", { name: "Rotate the signing key" });
    await dialog.getByRole("textbox", { name: "Reason" }).fill("yearly");
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await rows.getByText("pending").waitFor();
    assert.equal(await page.getByRole("button", { name: "Rotate …" }).isDisabled(), true);
    await assertAccessible(page, "signing keys");

    await rows
      .filter({ hasText: "active" })
      .getByRole("button", { name: /^Revoke/ })
      .click();
    dialog = page.getByRole("dialog", { name: /^Revoke/ });
    await assertAccessible(page, "revoking a key");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("leaked");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await rows.getByText("revoked").waitFor();
    await rows.getByText("active").waitFor();
    assert.deepEqual(troubles, []);
  });

  it("has no page of keys for others", async () => {
    const { page } = await dashboard.open("/admin/signing-keys", { user: await service.newUser() });
    await page.getByRole("heading", { name: "Not found" }).waitFor();
  });
});
