/** The end of what SCIM stores: after a week for its log, and with the organization for all of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { eraseTenant } from "../../workers/orgs/erase.ts";
import { setUpService } from "../support/set-up.ts";
import { newProvider } from "./fixture.ts";

const collections = ["scim_providers", "scim_users", "scim_groups", "scim_log"];
const dayMs = 86_400_000;

describe("what SCIM stores", async () => {
  const { service, clock } = await setUpService();

  const countOf = (collection: string, tenantId: string) =>
    service.app.storage.database.raw.collection(collection).countDocuments({ tenantId });

  it("is erased with the organization, and nothing of another one", async () => {
    const [ended, other] = [await newProvider(service), await newProvider(service)];
    for (const provider of [ended, other]) {
      const { id } = await provider.newUser(`person-${provider.org.slug}`);
      await provider.ok("POST", "/Groups", { displayName: "Group", members: [{ value: id }] });
    }
    await service.settled();
    const stored = async (tenantId: string) => Promise.all(collections.map((one) => countOf(one, tenantId)));
    const kept = await stored(other.org.id);
    assert.ok(
      kept.every((count) => count > 0),
      String(kept),
    );

    const asked = await service.call("DELETE", `/api/tenants/${ended.org.id}`, {
      cookie: ended.owner.cookie,
      body: { slug: ended.org.slug },
    });
    assert.ok(asked.status < 300, JSON.stringify(asked.body));
    assert.equal(
      (await ended.send("GET", "/Users")).status,
      401,
      "its token ends with the request for deletion",
    );
    clock.aheadMs += 30 * dayMs;
    await eraseTenant(service.app, ended.org.id);
    await service.settled();

    assert.deepEqual(await stored(ended.org.id), [0, 0, 0, 0]);
    assert.deepEqual(await stored(other.org.id), kept);
    assert.equal((await other.send("GET", "/Users")).status, 200);
  });

  it("forgets requests after a week", async () => {
    const provider = await newProvider(service);
    await provider.ok("GET", "/Users?count=1");
    await service.settled();
    clock.aheadMs += limits.scimLogDays * dayMs - 60_000;
    await purge(service.app);
    assert.equal(await countOf("scim_log", provider.org.id), 1);
    clock.aheadMs += 120_000;
    await purge(service.app);
    assert.equal(await countOf("scim_log", provider.org.id), 0);
  });
});
