import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { publishSkill } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { setUpOrganization } from "../support/set-up.ts";

const skillCount = 300;

const { service, owner, org } = await setUpOrganization({ reportsCommands: true });
await publishSkill(service, org, owner, { name: "Planned" });
await service.settled();
const made = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/teams`, {
  token: owner.token,
  body: { name: "Owners" },
});
const skills = service.app.storage.database.raw.collection("skills");
const [template] = await skills.find().toArray();
await skills.insertMany(
  Array.from({ length: skillCount }, (_, i) => {
    const _id = service.app.newId();
    const updatedAt = new Date(Date.parse("2026-01-01") + i * 60_000);
    const owned = i % 10 === 0 ? { ownerTeamId: made.data.id } : i % 2 === 0 ? { ownerTeamId: "other" } : {};
    return {
      ...template,
      _id: _id as never,
      publicId: _id.slice(-10),
      slug: `copy-${i}`,
      updatedAt,
      ...owned,
    };
  }),
);

describe("the plans of queries by owner team at a few hundred documents", () => {
  it("list the skills of a team by index only, in sorted order", async () => {
    const list = (cursor = "") =>
      service.call("GET", `/api/skills?tenant_id=${org.slug}&owner_team=owners&limit=5${cursor}`, {
        token: owner.token,
      });

    const entries = await plansOf(service, async () => {
      const { nextCursor } = await list();
      assert.equal((await list(`&cursor=${nextCursor}`)).status, 200);
    });

    assertIndexed(entries, 20);
    for (const { stages } of entries) assert.ok(!stages.includes("SORT"), stages.join(" "));
  });

  it("take a deleted team away from its skills by index only", async () => {
    const entries = await plansOf(service, () =>
      service.app.storage.tenantSkills.dropOwnerTeam(org.id, made.data.id),
    );

    assertIndexed(entries, 40);
    assert.equal(await skills.countDocuments({ ownerTeamId: made.data.id }), 0);
  });
});
