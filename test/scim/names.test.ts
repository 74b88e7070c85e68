/** Names and ids of identity providers that are not what they seem: repeated ids, escaped texts, names that are cut. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { afterLeaving, setUpScim, patchOp, type Json } from "./fixture.ts";

const { service, provider } = await setUpScim();

const off = patchOp({ op: "replace", path: "active", value: false });
const accountOf = async (name: string) =>
  (await service.app.storage.users.findCredentials(`${name}@example.com`))!._id;

describe("an externalId", () => {
  it("that two users or two groups have names two resources", async () => {
    const users = [
      await provider.newUser("first", { externalId: "same" }),
      await provider.newUser("second", { externalId: "same" }),
    ];
    assert.equal(new Set(users.map(({ id }) => id)).size, 2);
    const filter = encodeURIComponent('externalId eq "same"');
    assert.equal((await provider.ok("GET", `/Users?filter=${filter}`))["totalResults"], 2);
    for (const displayName of ["One", "Two"])
      await provider.ok("POST", "/Groups", { displayName, externalId: "same" });
    assert.equal((await provider.ok("GET", `/Groups?filter=${filter}`))["totalResults"], 2);
    const changed = patchOp({ op: "add", path: "externalId", value: "same" });
    await provider.ok("PATCH", `/Users/${(await provider.newUser("third")).id}`, changed);
  });
});

describe("a person who was deactivated and is created again", () => {
  it("comes back as the same person, with another user name too", async () => {
    const user = await provider.newUser("renamed", { externalId: "00u9" });
    const group = await provider.ok("POST", "/Groups", {
      displayName: "Back",
      members: [{ value: user.id }],
    });
    const userId = await accountOf("renamed");
    const emails = [{ value: "renamed@example.com", primary: true }];
    for (const userName of ["new-name@example.com", "new-name@example.com"]) {
      await provider.ok("PATCH", `/Users/${user.id}`, off);
      await afterLeaving(service, provider.org, userId);
      const back = await provider.ok("POST", "/Users", { userName, externalId: "00u9", emails });
      assert.deepEqual([back.id, back["userName"], back["active"]], [user.id, userName, true]);
      const member = await service.app.storage.memberships.find(provider.org.id, userId);
      assert.deepEqual(member?.teamIds, [group.id]);
    }
    const twice = await provider.send("POST", "/Users", { userName: "other@example.com", emails });
    assert.equal(twice.status, 409);
    assert.match(twice.body.detail ?? "", /change that user, or delete it first/);
  });

  it("with another address is another account", async () => {
    const user = await provider.newUser("old-address", { externalId: "00u8" });
    await provider.ok("PATCH", `/Users/${user.id}`, off);
    const other = await provider.newUser("new-address", { externalId: "00u8" });
    assert.notEqual(other.id, user.id);
    const previous = await accountOf("old-address");
    assert.equal(await service.app.storage.memberships.find(provider.org.id, previous), null);
  });
});

describe("the text of a filter", () => {
  it("is a JSON string", async () => {
    await provider.newUser("escaped", { title: 'ÄÖ\\CORP\\"ada"', nickName: "CORP\\ada" });
    const rows: [filter: string, found: number][] = [
      ['title eq "\\u00c4\\u00d6\\\\CORP\\\\\\"ada\\""', 1],
      ['title sw "\\u00C4" and title co "\\\\CORP"', 1],
      ['nickName eq "CORP\\\\ada"', 1],
      ['nickName eq "CORP\\ada"', 1],
      ['nickName eq "CORP\\\\\\\\ada"', 0],
      ['emails[type eq "\\u0077ork" and value sw "escaped"].value pr', 1],
      ['emails[type eq "work"].value eq "esc\\u0061ped@example.com"', 1],
      ['not (title eq "0") and userName sw "escaped"', 1],
    ];
    for (const [filter, found] of rows)
      assert.equal(
        (await provider.ok("GET", `/Users?filter=${encodeURIComponent(filter)}`))["totalResults"],
        found,
        filter,
      );
    const nul = await provider.send("GET", `/Users?filter=${encodeURIComponent('title co "\\u0000"')}`);
    assert.deepEqual([nul.status, nul.body.scimType], [400, "invalidFilter"]);
  });
});

describe("a name", () => {
  const teamOf = async ({ id }: Json & { id: string }) =>
    (await service.app.storage.teams.find(provider.org.id, id))?.name ?? "";

  it("whose first 50 characters two groups share gives two teams", async () => {
    const start = "Engineering and operations of all the platforms in the north";
    const made = [];
    for (const end of ["east", "west", "south"])
      made.push(await provider.ok("POST", "/Groups", { displayName: `${start} ${end}` }));
    const teams = await Promise.all(made.map(teamOf));
    assert.equal(new Set(teams).size, 3, teams.join(", "));
    assert.ok(teams.every((name) => name.length <= 50));
    assert.match(teams[2]!, / \(3\)$/);
    const short = await provider.ok("POST", "/Groups", { displayName: teams[0] });
    assert.match(await teamOf(short), / \(4\)$/);
    const renamed = patchOp({ op: "replace", path: "displayName", value: `${start} renamed` });
    await provider.ok("PATCH", `/Groups/${made[1]!.id}`, renamed);
    assert.equal(await teamOf(made[1]!), teams[1]);
    const again = await provider.send("POST", "/Groups", { displayName: `${start} east` });
    assert.equal(again.body.detail, `There is a group "${start} east" already.`);
  });

  it("of a user without an address is refused with what is needed", async () => {
    const refused = await provider.send("POST", "/Users", { userName: "jdoe", emails: [] });
    assert.deepEqual([refused.status, refused.body.scimType], [400, "invalidValue"]);
    assert.match(
      refused.body.detail ?? "",
      /"jdoe" is not an e-mail address.*emails\[type eq "work"\]\.value/,
    );
  });
});
