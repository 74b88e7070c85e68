import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import {
  createToken,
  signUp,
  statusesOf,
  type AccountsService,
  setUpAccount,
} from "../support/accounts-app.ts";

describe("the profile", () => {
  let service: AccountsService;
  let cookie: string;
  let userId: string;
  setUpAccount((made) => ({ service, cookie, userId } = made));

  const patch = (json: unknown) => service.call("PATCH", "/api/user/profile", { cookie, json });
  const log = async (query = "") => {
    await service.settled();
    return service.call("GET", `/api/user/audit-log${query}`, { cookie });
  };

  it("returns the user and their organizations", async () => {
    await service.call("POST", "/api/tenants", { cookie, json: { name: "Engines" } });

    const answer = await service.call("GET", "/api/user/profile", { cookie });

    const identity = IdentityPayload.strict().parse(answer.body.data);
    assert.equal(identity.id, userId);
    assert.deepEqual(
      identity.memberships.map(({ slug, name }) => ({ slug, name })),
      [{ slug: "engines", name: "Engines" }],
    );
    assert.deepEqual(identity.pendingInvitations, []);
    assert.ok(!answer.text.includes("argon2"));
  });

  it("requires a sign-in", async () => {
    for (const path of ["/api/user/profile", "/api/user/audit-log", "/api/user/tokens"]) {
      assert.equal((await service.call("GET", path)).status, 401);
    }
  });

  it("changes names, from the next request on", async () => {
    const { token } = await createToken(service, cookie);

    const answer = await patch({ name: "  Ada  Lovelace ", username: "Lovelace" });

    assert.equal(answer.status, 200);
    assert.equal(answer.body.data["name"], "Ada  Lovelace");
    const { body } = await service.call("GET", "/api/user/profile", { token });
    assert.equal(body.data["username"], "lovelace");
  });

  it("rejects names that are taken, reserved or malformed, and unknown fields", async () => {
    await signUp(service, "bob");

    assert.equal((await patch({ username: "BOB" })).status, 409);
    const wrong = [
      {},
      { username: "api" },
      { username: null },
      { name: ["x"] },
      { email: "x@y" },
      { isAdministrator: true },
    ];
    for (const fields of wrong) assert.equal((await patch(fields)).status, 400, JSON.stringify(fields));
    assert.equal((await patch("text")).status, 400);
    const { body } = await service.call("GET", "/api/user/profile", { cookie });
    assert.equal(body.data["username"], "ada");
  });

  it("gives a name to one of two people who request it at once", async () => {
    const bob = await signUp(service, "bob");

    const answers = await Promise.all(
      [cookie, bob.cookie].map((by) =>
        service.call("PATCH", "/api/user/profile", { cookie: by, json: { username: "wanted" } }),
      ),
    );

    assert.deepEqual(statusesOf(answers), [200, 409]);
  });

  it("audits changes, and only changes, in the user's own log", async () => {
    await patch({ name: "Ada" });
    await patch({ name: "Ada" });
    const bob = await signUp(service, "bob");

    const answer = await log();

    const { entries, total, page } = AuditLogPayload.parse(answer.body.data);
    assert.deepEqual([total, page], [1, 1]);
    assert.equal(entries[0]!.action, "user.profile_updated");
    assert.deepEqual(entries[0]!.actor, { type: "user", id: userId, name: "ada" });
    assert.match(entries[0]!.ip!, /^[0-9a-f]{64}$/);
    const other = await service.call("GET", "/api/user/audit-log", { cookie: bob.cookie });
    assert.equal(other.body.data["total"], 0);
    assert.deepEqual(await service.storage.users.listUnflushed(new Date(Date.now() + 1000), 10), []);
  });

  it("pages the log from its newest entry", async () => {
    for (let i = 1; i <= 5; i++) await patch({ name: `Ada ${i}` });

    const pages = await Promise.all([1, 2, 3, 4].map((page) => log(`?page=${page}&limit=2`)));

    const names = pages.map(({ body }) =>
      AuditLogPayload.parse(body.data).entries.map(
        ({ metadata }) => (metadata["changed"] as { name: string }).name,
      ),
    );
    assert.deepEqual(names, [["Ada 5", "Ada 4"], ["Ada 3", "Ada 2"], ["Ada 1"], []]);
    for (const query of ["?page=0", "?page=x", "?limit=0", "?limit=201", "?page=1.5", "?page=10001"]) {
      assert.equal((await log(query)).status, 400, query);
    }
  });
});
