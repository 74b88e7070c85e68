import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signUp, startAccounts } from "../support/accounts-app.ts";
import { closedAfter } from "../support/set-up.ts";

describe("an organization", async () => {
  const service = await closedAfter(startAccounts());
  await service.clear();
  const { cookie } = await signUp(service, "ada");

  it("has one name everywhere after two concurrent renames, whichever is slower", async () => {
    const made = await service.call("POST", "/api/tenants", { cookie, json: { name: "Engines" } });
    const { id } = made.body.data;
    const rename = (slug: string) => service.call("PATCH", `/api/tenants/${id}`, { cookie, json: { slug } });
    const { memberships } = service.storage;
    const { follow } = memberships;
    let later: Promise<unknown> | undefined;
    memberships.follow = async (tenant) => {
      // The first to write its name waits until the second is complete.
      if (!later) await (later = rename("second"));
      await follow(tenant);
    };

    try {
      await rename("first");
    } finally {
      memberships.follow = follow;
    }

    const profile = await service.call("GET", "/api/user/profile", { cookie });
    const tenant = await service.call("GET", `/api/tenants/${id}`, { cookie });
    assert.equal(tenant.body.data["slug"], "second");
    assert.deepEqual(profile.body.data["memberships"], [{ tenantId: id, slug: "second", name: "Engines" }]);
  });

  it("is refused with a name that reads differently than it is written", async () => {
    for (const name of ["Acme\u202Eslooc", "Acme\u2066", "Acme\u0085Tools", "Acme\u2028Tools"]) {
      const refused = await service.call("POST", "/api/tenants", { cookie, json: { name } });
      assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"], JSON.stringify(name));
    }
  });

  it("is refused to a person who has too many", async () => {
    const { id: userId, cookie: busy } = await signUp(service, "grace");
    for (let i = 0; i < 100; i++) {
      const tenantId = service.app.newId();
      await service.storage.memberships.insert({
        _id: service.app.newId(),
        tenantId,
        tenantSlug: tenantId,
        tenantName: "Many",
        userId,
        role: "owner",
        createdAt: new Date(),
      });
    }

    const refused = await service.call("POST", "/api/tenants", { cookie: busy, json: { name: "One more" } });

    assert.deepEqual([refused.status, refused.body.code], [422, "limit_reached"]);
  });

  it("may have a slug that looks like an id", async () => {
    const slug = "0123456789abcdef01234567";
    await service.call("POST", "/api/tenants", { cookie, json: { name: "Hex", slug } });

    assert.equal((await service.call("GET", `/api/tenants/${slug}`, { cookie })).body.data["slug"], slug);
  });
});
