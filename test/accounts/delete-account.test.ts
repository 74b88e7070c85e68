import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { finishDeletion } from "../../src/accounts/delete-account.ts";
import { repairOwners } from "../../src/orgs/owners.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { UserDoc } from "../../storage/users/users.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { addMember } from "../support/organization.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const password = "correct horse battery";

let admin: TestUser;
const { service, clock } = await setUpService({
  stoppedAt: new Date("2026-05-01T12:00:00Z"),
  isEmptied: true,
});
const { advance, now } = clock;

/** The first account administers the service. */
async function newUsers(...names: string[]): Promise<TestUser[]> {
  admin = await service.newUser("founder");
  return Promise.all(names.map((name) => service.newUser(name)));
}
const remove = (credentials: object, given = password) =>
  service.call("DELETE", "/api/user/account", { body: { password: given }, ...credentials });
const signIn = (name: string) =>
  service.call("POST", "/api/auth/sign-in", { body: { email: `${name}@example.com`, password } });
const isKnown = async (user: TestUser) =>
  (await service.call("GET", "/api/user/profile", { cookie: user.cookie })).status === 200;
const documentOf = (user: TestUser) =>
  service.app.storage.database.collection<UserDoc>("users").findOne({ _id: user.id });
const count = (collection: string, filter: object) =>
  service.app.storage.database.raw.collection(collection).countDocuments(filter);
const deletions = async (user: TestUser) => {
  await service.settled();
  const rows = service.app.storage.database.collection<EventRow>("audit_events");
  return rows.find({ userId: user.id, name: "user.deleted" }).toArray();
};

describe("deleting an account", () => {
  it("ends all its access at once, and clears the cookie", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];

    const done = await remove({ cookie: ada.cookie });

    assert.equal(done.status, 200);
    assert.match(done.headers.getSetCookie()[0]!, /Max-Age=0/);
    assert.equal(await isKnown(ada), false);
    const byToken = await service.call("GET", "/api/user/profile", { token: ada.token });
    assert.equal(byToken.code, "unauthenticated");
    assert.equal((await signIn("ada")).code, "invalid_credentials");
    const [event, ...rest] = await deletions(ada);
    assert.deepEqual(rest, []);
    assert.deepEqual(event!.actor, { type: "user", id: ada.id, name: "ada" });
  });

  it("frees its names at once, for a new account that inherits nothing", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];
    await remove({ cookie: ada.cookie });

    const next = await service.newUser("ada");

    assert.notEqual(next.id, ada.id);
    assert.equal(await isKnown(ada), false);
    assert.equal(await isKnown(next), true);
    advance(61_000);
    await finishDeletion(service.app, { userId: ada.id });
    assert.equal(await isKnown(next), true);
  });

  it("removes everything but its audit entries, its document last", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];
    await signIn("ada");
    await remove({ token: ada.token });
    await service.settled();

    await finishDeletion(service.app, { userId: ada.id });
    assert.ok(await documentOf(ada), "calls that began before may still be under way");
    const stripped = JSON.stringify(await documentOf(ada));
    assert.doesNotMatch(stripped, /ada@|argon2|"ada"/);
    advance(61_000);
    await Promise.all([1, 2, 3].map(() => finishDeletion(service.app, { userId: ada.id })));

    assert.equal(await documentOf(ada), null);
    assert.equal(await count("sessions", { userId: ada.id }), 0);
    assert.equal(await count("tokens", { userId: ada.id }), 0);
    assert.equal(await count("memberships", { userId: ada.id, active: true }), 0);
    assert.equal((await deletions(ada)).length, 1);
  });

  it("requires the password, and is refused to a restricted token", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];
    const narrow = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: ada.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });

    assert.equal((await remove({ cookie: ada.cookie }, "wrong wrong wrong")).code, "invalid_credentials");
    assert.equal((await remove({ token: narrow.data.token })).code, "forbidden");
    assert.equal((await remove({})).code, "unauthenticated");
    const bare = await service.call("DELETE", "/api/user/account", { cookie: ada.cookie });
    assert.equal(bare.code, "invalid_request");
    assert.equal(await isKnown(ada), true);
    assert.deepEqual(await deletions(ada), []);
  });

  it("succeeds once in twenty concurrent calls", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];

    const answers = await Promise.all(Array.from({ length: 20 }, () => remove({ cookie: ada.cookie })));

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const { status, code } of answers)
      if (status !== 200) assert.ok(["conflict", "unauthenticated"].includes(code!), `${status} ${code}`);
    assert.equal((await deletions(ada)).length, 1);
  });

  it("is refused to the administrator while others exist, and allowed for the last account", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];

    assert.equal((await remove({ cookie: admin.cookie })).code, "refused");
    assert.equal(await isKnown(admin), true);

    await remove({ cookie: ada.cookie });
    assert.equal((await remove({ cookie: admin.cookie })).status, 200);
    const first = await service.newUser("first");
    const profile = await service.call("GET", "/api/user/profile", { cookie: first.cookie });
    assert.equal(profile.data["isAdministrator"], true);
  });
});

describe("deleting an account that owns an organization", () => {
  const addOwner = async (org: TestOrg, user: TestUser) => {
    await addMember(service, org, user, "owner");
    await repairOwners(service.app, org.id);
  };
  const membersOf = (org: TestOrg) => count("memberships", { tenantId: org.id, active: true });

  it("is refused with the list of organizations that it is the only owner of, and changes nothing", async () => {
    const [ada, bob] = (await newUsers("ada", "bob")) as [TestUser, TestUser];
    const [one, two, shared] = [
      await service.newOrg(ada, "one"),
      await service.newOrg(ada, "two"),
      await service.newOrg(ada, "shared"),
    ];
    await addOwner(shared, bob);

    const refused = await remove({ cookie: ada.cookie });

    assert.equal(refused.code, "last_owner");
    const listed = refused.details?.["organizations"] as { id: string; slug: string; name: string }[];
    assert.deepEqual(
      listed.map(({ slug, id }) => [slug, id]).toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
      [
        ["one", one.id],
        ["two", two.id],
      ],
    );
    assert.equal(await isKnown(ada), true);
    assert.equal(await membersOf(shared), 2);
    assert.deepEqual(await deletions(ada), []);
  });

  it("succeeds if another owner remains, and the organization's log names who left", async () => {
    const [ada, bob] = (await newUsers("ada", "bob")) as [TestUser, TestUser];
    const org = await service.newOrg(ada, "shared");
    await addOwner(org, bob);

    assert.equal((await remove({ cookie: ada.cookie })).status, 200);

    assert.equal(await membersOf(org), 1);
    await service.settled();
    const rows = service.app.storage.database.collection<EventRow>("audit_events");
    const [left] = await rows.find({ tenantId: org.id, name: "organization.member_left" }).toArray();
    assert.equal(left!.actor.name, "ada");
    const members = await service.call<{ userId: string }[]>("GET", `/api/tenants/${org.id}/members`, bob);
    assert.deepEqual(
      members.data.map(({ userId }) => userId),
      [bob.id],
    );
  });

  it("by both owners at once leaves one of them", async () => {
    for (let round = 0; round < 5; round++) {
      const [ada, bob] = (await newUsers("ada", "bob")) as [TestUser, TestUser];
      const org = await service.newOrg(ada, "shared");
      await addOwner(org, bob);
      await service.settled();

      const answers = await Promise.all([ada, bob].map(({ cookie }) => remove({ cookie })));

      const gone = answers.filter(({ status }) => status === 200).length;
      assert.ok(gone <= 1, `${gone} of two owners are gone`);
      assert.equal(await membersOf(org), 2 - gone);
      const known = await Promise.all([ada, bob].map(isKnown));
      assert.equal(known.filter(Boolean).length, 2 - gone);
      await service.settled();
      await service.empty();
    }
  });

  it("is continued by the reconcile job after a crash between its steps", async () => {
    const [ada, bob] = (await newUsers("ada", "bob")) as [TestUser, TestUser];
    const org = await service.newOrg(ada, "shared");
    await addOwner(org, bob);
    const { users } = service.app.storage;
    const credentials = (await users.findCredentialsById(ada.id))!;
    await users.markDeleted(credentials, now());
    assert.equal(await isKnown(ada), false);

    await reconcile(service.app);
    assert.equal(await membersOf(org), 2, "it may still be under way");
    advance(61_000);
    await reconcile(service.app);

    assert.equal(await documentOf(ada), null);
    assert.equal(await membersOf(org), 1);
    assert.equal((await deletions(ada)).length, 1);
  });

  it("is undone by the reconcile job if it would leave an organization without an owner", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];
    await service.newOrg(ada, "own");
    const { users } = service.app.storage;
    await users.markDeleted((await users.findCredentialsById(ada.id))!, now());
    advance(61_000);

    await reconcile(service.app);

    assert.equal(await isKnown(ada), true);
    assert.deepEqual(await deletions(ada), []);
  });

  it("includes an organization that a concurrent request created", async () => {
    const [ada] = (await newUsers("ada")) as [TestUser];
    const { tenants } = service.app.storage;
    const { insert } = tenants;
    tenants.insert = async (tenant) => {
      tenants.insert = insert;
      assert.equal((await remove({ cookie: ada.cookie })).status, 200);
      await insert(tenant);
    };
    const org = await service.newOrg(ada, "late");
    assert.equal(await membersOf(org), 1);
    advance(61_000);

    await finishDeletion(service.app, { userId: ada.id });

    assert.equal(await documentOf(ada), null);
    assert.equal(await membersOf(org), 0);
    assert.ok((await tenants.find(org.id))!.deletionAt);
  });
});
