import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { afterLeaving, enterprise, newProvider, setUpScim, patchOp, type Provider } from "./fixture.ts";

const { service, provider } = await setUpScim();

const accountOf = async (name: string) => {
  const account = await service.app.storage.users.findCredentials(`${name}@example.com`);
  assert.ok(account);
  return account;
};
const memberOf = async (name: string) => {
  const { _id } = await accountOf(name);
  return service.app.storage.memberships.find(provider.org.id, _id);
};

describe("Okta's sequence of requests", () => {
  it("provisions a user, pushes a group, and deactivates and reactivates the user", async () => {
    const { ok, send } = provider;
    const config = await ok("GET", "/ServiceProviderConfig");
    assert.equal((config["patch"] as { supported: boolean }).supported, true);
    const probe = await ok("GET", "/Users?startIndex=1&count=1");
    assert.equal(probe["totalResults"], 0);
    assert.deepEqual(probe.Resources, []);
    const search = encodeURIComponent('userName eq "ADA@EXAMPLE.COM"');
    assert.equal((await ok("GET", `/Users?filter=${search}&startIndex=1&count=100`))["totalResults"], 0);

    const created = await send("POST", "/Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: "ada@example.com",
      name: { givenName: "Ada", familyName: "Lovelace" },
      emails: [{ primary: true, value: "ada@example.com", type: "work" }],
      displayName: "Ada Lovelace",
      locale: "en-US",
      externalId: "00u1",
      groups: [],
      password: "1mz050nq",
      active: true,
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id } = created.body;
    assert.equal(created.headers.get("location"), `${provider.base}/Users/${id}`);
    assert.equal(created.headers.get("etag"), 'W/"1"');
    assert.equal(created.body["password"], undefined);
    const account = await accountOf("ada");
    assert.equal(account.passwordHash, "");
    assert.ok(account.emailVerifiedAt, "the organization has verified the domain");
    assert.equal(account.name, "Ada Lovelace");
    assert.equal((await memberOf("ada"))?.role, "member");
    assert.equal((await ok("GET", `/Users?filter=${search}`)).Resources[0]!.id, id);

    const group = await ok("POST", "/Groups", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      displayName: "Engineering",
      members: [],
    });
    await ok(
      "PATCH",
      `/Groups/${group.id}`,
      patchOp({ op: "add", path: "members", value: [{ value: id, display: "ada@example.com" }] }),
    );
    assert.deepEqual((await memberOf("ada"))?.teamIds, [group.id]);
    await ok(
      "PATCH",
      `/Groups/${group.id}`,
      patchOp({ op: "replace", value: { id: group.id, displayName: "Research" } }),
    );
    const team = await service.app.storage.teams.find(provider.org.id, group.id);
    assert.equal(team?.name, "Research");

    const off = await ok("PATCH", `/Users/${id}`, patchOp({ op: "replace", value: { active: false } }));
    assert.equal(off["active"], false);
    assert.equal(await memberOf("ada"), null);
    assert.deepEqual(
      ((await ok("GET", `/Groups/${group.id}`))["members"] as { value: string }[]).map(({ value }) => value),
      [id],
    );
    await afterLeaving(service, provider.org, account._id);
    const on = await ok("PATCH", `/Users/${id}`, patchOp({ op: "replace", value: { active: true } }));
    assert.equal(on["active"], true);
    assert.deepEqual((await memberOf("ada"))?.teamIds, [group.id]);

    await ok("PATCH", `/Groups/${group.id}`, patchOp({ op: "remove", path: `members[value eq "${id}"]` }));
    assert.deepEqual((await memberOf("ada"))?.teamIds, []);
    const put = await ok("PUT", `/Users/${id}`, {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      id,
      userName: "ada@example.com",
      name: { givenName: "Ada", familyName: "King" },
      emails: [{ primary: true, value: "ada@example.com", type: "work" }],
      active: false,
      meta: { resourceType: "User" },
    });
    assert.equal(put["displayName"], undefined);
    assert.equal(put["active"], false);
    assert.equal(await memberOf("ada"), null);
    assert.equal((await send("DELETE", `/Groups/${group.id}`)).status, 204);
    assert.equal((await send("GET", `/Groups/${group.id}`)).status, 404);
    assert.equal(await service.app.storage.teams.find(provider.org.id, group.id), null);

    for (const [action, times] of [
      ["scim.user_provisioned", 2],
      ["scim.user_deprovisioned", 2],
      ["team.created", 1],
      ["team.updated", 1],
      ["team.deleted", 1],
    ] as const)
      assert.equal((await provider.events(action)).length, times, action);
  });
});

describe("Entra ID's sequence of requests", () => {
  it("provisions users and groups in its own forms", async () => {
    const { ok, send } = provider;
    const missing = encodeURIComponent('externalId eq "grace"');
    assert.equal((await ok("GET", `/Users?filter=${missing}`))["totalResults"], 0);
    const user = await ok("POST", "/Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", enterprise],
      externalId: "grace",
      userName: "grace@example.com",
      active: true,
      displayName: "Grace Hopper",
      emails: [{ primary: true, type: "work", value: "grace@example.com" }],
      meta: { resourceType: "User" },
      name: { formatted: "Grace Hopper", familyName: "Hopper", givenName: "Grace" },
      roles: [],
      [enterprise]: { employeeNumber: "701984", department: "Navy", manager: "26118915" },
    });
    assert.deepEqual(user[enterprise], {
      employeeNumber: "701984",
      department: "Navy",
      manager: { value: "26118915" },
    });
    const updated = await ok(
      "PATCH",
      `/Users/${user.id}`,
      patchOp(
        { op: "Replace", path: 'emails[type eq "work"].value', value: "hopper@example.com" },
        { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "555" },
        { op: "Replace", path: "name.familyName", value: "Murray" },
        { op: "Add", path: `${enterprise}:manager`, value: "77" },
        {
          op: "replace",
          value: { displayName: "G. Hopper", "name.givenName": "G", [`${enterprise}:employeeNumber`]: "8" },
        },
      ),
    );
    assert.deepEqual(updated["emails"], [{ primary: true, type: "work", value: "hopper@example.com" }]);
    assert.deepEqual(updated["phoneNumbers"], [{ type: "mobile", value: "555" }]);
    assert.deepEqual(updated["name"], { formatted: "Grace Hopper", familyName: "Murray", givenName: "G" });
    assert.deepEqual(updated[enterprise], {
      employeeNumber: "8",
      department: "Navy",
      manager: { value: "77" },
    });
    // The account is the person's own: SCIM changes neither its name nor its address.
    assert.equal((await accountOf("grace")).name, "Grace Hopper");

    const group = await ok("POST", "/Groups", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      externalId: "8aa1a0c0",
      displayName: "Compilers",
    });
    const byName = encodeURIComponent('displayName eq "compilers"');
    const found = await ok("GET", `/Groups?excludedAttributes=members&filter=${byName}`);
    assert.equal(found.Resources[0]!.id, group.id);
    assert.equal(found.Resources[0]!["members"], undefined);
    const other = await provider.newUser("barbara");
    const both = [{ $ref: null, value: user.id }, { value: other.id }];
    await ok("PATCH", `/Groups/${group.id}`, patchOp({ op: "Add", path: "members", value: both }));
    await ok(
      "PATCH",
      `/Groups/${group.id}`,
      patchOp({ op: "Remove", path: "members", value: [{ value: user.id }] }),
    );
    const asked = encodeURIComponent(`id eq "${group.id}" and members[value eq "${other.id}"]`);
    assert.equal((await ok("GET", `/Groups?filter=${asked}`))["totalResults"], 1);
    const gone = encodeURIComponent(`id eq "${group.id}" and members eq "${user.id}"`);
    assert.equal((await ok("GET", `/Groups?filter=${gone}`))["totalResults"], 0);
    const listed = await ok("GET", `/Users/${other.id}`);
    assert.deepEqual((listed["groups"] as object[]).length, 1);

    await ok("PATCH", `/Users/${user.id}`, patchOp({ op: "Replace", path: "active", value: "False" }));
    assert.equal(await memberOf("grace"), null);
    assert.equal((await send("DELETE", `/Users/${user.id}`)).status, 204);
    assert.equal((await send("GET", `/Users/${user.id}`)).status, 404);
    assert.equal((await send("DELETE", `/Users/${user.id}`)).status, 404);
    assert.ok(await accountOf("grace"), "the account stays");
  });
});

describe("a filter", () => {
  let other: Provider;
  let groupId: string;
  let ada: Awaited<ReturnType<Provider["newUser"]>>;
  before(async () => {
    other = await newProvider(service);
    ada = await other.newUser("countess", {
      displayName: "Ada",
      externalId: "EXT-1",
      title: 'The "Countess"',
      name: { familyName: "Lovelace" },
      emails: [
        { value: "countess@example.com", type: "work", primary: true },
        { value: "Ada@Home.io", type: "home" },
      ],
      [enterprise]: { department: "Maths", manager: "7" },
    });
    await other.newUser("babbage", { displayName: "charles", active: false });
    const members = [{ value: ada.id }];
    groupId = (await other.ok("POST", "/Groups", { displayName: "Crew", members })).id;
    await other.ok("POST", "/Groups", { displayName: "Empty" });
  });

  const found = async (type: "Users" | "Groups", filter: string) => {
    const answer = await other.send("GET", `/${type}?filter=${encodeURIComponent(filter)}`);
    if (answer.status !== 200) return answer.body.scimType;
    return answer.body.Resources.map(({ displayName }) => displayName).join(" ");
  };

  it("of users has the operators and paths of identity providers", async () => {
    const rows: [filter: string, expected: string][] = [
      ['USERNAME Eq "Countess@example.com"', "Ada"],
      ['userName ne "countess@example.com"', "charles"],
      ['userName sw "COUNT"', "Ada"],
      ['userName co "SS@"', "Ada"],
      ['userName ew ".COM"', "Ada charles"],
      ['userName gt "babbage@example.com"', "Ada"],
      ['displayName gt "B"', "charles"],
      ['displayName le "B"', "Ada"],
      ['title lt "z"', "Ada"],
      ['title eq "the \\"countess\\""', "Ada"],
      ["title pr", "Ada"],
      ["NOT (title pr)", "charles"],
      ["title eq null", "charles"],
      ["name pr", "Ada charles"],
      ["addresses pr", ""],
      [`${enterprise} pr`, "Ada"],
      [`${enterprise}:department eq "maths"`, "Ada"],
      [`${enterprise}:manager eq "7"`, "Ada"],
      ['active eq "False"', "charles"],
      ["active ne false", "Ada"],
      ["active gt true", "invalidFilter"],
      ['externalId eq "ext-1"', ""],
      ['externalId eq "EXT-1"', "Ada"],
      ['(userName sw "c" or userName sw "b") and active eq true', "Ada"],
      ['userName sw "c" OR userName sw "b" AND active eq true', "Ada"],
      ['emails[type eq "home"].value eq "ada@home.io"', "Ada"],
      ['emails[type eq "home"].value eq "countess@example.com"', ""],
      ['not (emails[type eq "home" and value sw "ADA"].value pr)', "charles"],
      ['emails[type eq "x]"].value eq "y" or title pr', "Ada"],
      ['emails[type eq "HOME" and value co "home"]', "Ada"],
      ['emails[not (type eq "work")]', "Ada"],
      ['emails.value ew "home.io"', "Ada"],
      [`groups[value eq "${groupId}"]`, "Ada"],
      ['meta.lastModified gt "2011-05-13T04:42:34.1234567-07:00"', "Ada charles"],
      ['meta.resourceType eq "User" and title pr', "Ada"],
      ['meta.resourceType eq "Group"', ""],
      ["userName eq countess@example.com", "invalidFilter"],
      ['schemas eq "x"', "invalidFilter"],
    ];
    for (const [filter, expected] of rows) assert.equal(await found("Users", filter), expected, filter);
  });

  it("of groups compares names without case, and members by their ids", async () => {
    const rows: [filter: string, expected: string][] = [
      ['displayName EQ "CREW"', "Crew"],
      [`members eq "${ada.id}"`, "Crew"],
      [`members[value eq "${ada.id}"] and displayName sw "cr"`, "Crew"],
      [`members[value ne "${ada.id}"]`, "Empty"],
      ["not (members pr)", "Empty"],
      ['members[display eq "Ada"]', "invalidFilter"],
    ];
    for (const [filter, expected] of rows) assert.equal(await found("Groups", filter), expected, filter);
  });

  it("is paged by indexes and counts below their limits too", async () => {
    for (const [query, expected] of [
      ["startIndex=0", [2, 1, 2]],
      ["startIndex=-5&count=1", [2, 1, 1]],
      ["startIndex=2&count=1", [2, 2, 1]],
      ["startIndex=99", [2, 99, 0]],
      ["count=0", [2, 1, 0]],
      ["count=-1", [2, 1, 0]],
    ] as const) {
      const body = await other.ok("GET", `/Users?${query}`);
      const { totalResults, startIndex, itemsPerPage } = body;
      assert.deepEqual([totalResults, startIndex, itemsPerPage], expected, query);
      assert.equal(body.Resources.length, expected[2], query);
    }
  });

  it("selects or creates the value that a PATCH names", async () => {
    const changed = await other.ok(
      "PATCH",
      `/Users/${ada.id}`,
      patchOp(
        { op: "replace", value: { 'emails[type eq "work"].value': "new@example.com", DisplayName: "A" } },
        { op: "Add", path: 'roles[primary eq "True"].value', value: "admin" },
        { op: "Replace", path: 'ADDRESSES[TYPE eq "work" and primary eq true].Locality', value: "London" },
        { op: "remove", path: 'emails[type ne "work" or value sw "none"]' },
      ),
    );
    assert.equal(changed["displayName"], "A");
    assert.deepEqual(changed["emails"], [{ value: "new@example.com", type: "work", primary: true }]);
    assert.deepEqual(changed["roles"], [{ primary: true, value: "admin" }]);
    assert.deepEqual(changed["addresses"], [{ type: "work", primary: true, locality: "London" }]);
  });
});
