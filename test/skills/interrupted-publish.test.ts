import assert from "node:assert/strict";
import { it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

/** A publish that ended between the reservation of its path and the skill. */
async function reserve(slug: string, ageMs: number): Promise<string> {
  const { app } = service;
  const ownerId = app.newId();
  await app.storage.pathReservations.reserve({
    _id: app.newId(),
    tenantId: org.id,
    parentId: null,
    slug,
    kind: "skill",
    ownerId,
    createdAt: new Date(Date.now() - ageMs),
  });
  return ownerId;
}

const create = (name: string) =>
  service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.id, name, content: "text\n", mode: "create" },
  });

it("a path that a publish reserved a minute ago, without a skill, is free", async () => {
  const before = await reserve("left-behind", 61_000);
  const made = await create("Left behind");
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal(made.data.skill.slug, "left-behind");
  const { pathReservations } = service.app.storage;
  assert.equal((await pathReservations.listOfOwners([before])).length, 0);
  assert.equal((await pathReservations.listOfOwners([made.data.skill.id])).length, 1);
});

it("one that was reserved just now is not taken over", async () => {
  const before = await reserve("under-way", 1000);
  const refused = await create("Under way");
  assert.deepEqual([refused.status, refused.code], [409, "conflict"], JSON.stringify(refused.body));
  assert.equal((await service.app.storage.pathReservations.listOfOwners([before])).length, 1);
});
