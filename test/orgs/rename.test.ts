import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { signUp, startAccounts, type AccountsService } from "../support/accounts-app.ts";

describe("renaming an organization", () => {
  let service: AccountsService;
  let cookie: string;
  before(async () => {
    service = await startAccounts();
    await service.clear();
    ({ cookie } = await signUp(service, "ada"));
  });
  after(() => service.close());

  it("ends with one name everywhere, whichever of two at once is the slower", async () => {
    const made = await service.call("POST", "/api/tenants", { cookie, json: { name: "Engines" } });
    const { id } = made.body.data;
    const rename = (slug: string) => service.call("PATCH", `/api/tenants/${id}`, { cookie, json: { slug } });
    const { memberships } = service.storage;
    const { follow } = memberships;
    let later: Promise<unknown> | undefined;
    memberships.follow = async (tenant) => {
      // The first to write its name waits until the second has come and gone.
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

  it("lets a slug look like an id", async () => {
    const slug = "0123456789abcdef01234567";
    await service.call("POST", "/api/tenants", { cookie, json: { name: "Hex", slug } });

    assert.equal((await service.call("GET", `/api/tenants/${slug}`, { cookie })).body.data["slug"], slug);
  });
});
