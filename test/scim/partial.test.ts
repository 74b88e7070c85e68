/** Requests of which a part is unknown or refused: the rest, and above all what removes access, takes effect. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { enterprise, setUpScim, patchOp, type Json } from "./fixture.ts";

const { provider } = await setUpScim();

const acme = "urn:ietf:params:scim:schemas:extension:acme:2.0:User";
const off = { op: "replace", path: "active", value: false };
const isMember = async (name: string) => (await provider.members()).some(({ username }) => username === name);
const lastEntry = async () => (await provider.log())[0]!;

describe("a deactivation", () => {
  const rows: [name: string, operations: Json[]][] = [
    ["an unknown extension", [off, { op: "replace", path: `${acme}:costCenter`, value: "7" }]],
    ["an unknown attribute before it", [{ op: "add", path: "badge", value: { id: 1 } }, off]],
    ["an unknown sub-attribute", [{ op: "Replace", path: 'emails[type eq "work"].owner', value: "x" }, off]],
    ["an unknown name without a path", [{ op: "replace", value: { active: false, [acme]: { badge: 1 } } }]],
    ["an unknown name of the extension", [{ op: "add", path: enterprise, value: { floor: "3" } }, off]],
    ["a value of a wrong type", [off, { op: "replace", path: "name", value: "Ada" }]],
    ["a readOnly attribute", [{ op: "replace", path: "groups", value: [] }, off]],
    ["a text that is too long", [off, { op: "add", path: "title", value: "x".repeat(2000) }]],
    ["an unknown operation", [{ op: "move", path: "title" }, off]],
    ["a filter that is not valid", [{ op: "add", path: 'emails[type eq "].value', value: "x" }, off]],
    ["a user name that is not given", [{ op: "remove", path: "userName" }, off]],
    [
      "a user name that another user has",
      [{ op: "replace", path: "userName", value: "Taken@example.com" }, off],
    ],
    ["a value as a list", [{ op: "Replace", path: "active", value: [{ $ref: null, value: "False" }] }]],
    [
      "the URN of its schema",
      [{ ...off, path: "urn:ietf:params:scim:schemas:core:2.0:User:Active" }, { op: "x" }],
    ],
    [
      "the URN of its schema without a path",
      [{ op: "replace", value: { "urn:ietf:params:scim:schemas:core:2.0:User:active": false } }, { op: "x" }],
    ],
  ];
  before(() => provider.newUser("taken", { active: false }));
  for (const [at, [name, operations]] of rows.entries())
    it(`by PATCH with ${name} takes effect`, async () => {
      const user = await provider.newUser(`patched-${at}`);
      assert.ok(await isMember(`patched-${at}`));

      const answer = await provider.send("PATCH", `/Users/${user.id}`, patchOp(...operations));

      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.body["active"], false);
      assert.equal(answer.body["userName"], user["userName"]);
      assert.equal(await isMember(`patched-${at}`), false);
    });

  it("by PUT takes effect with a body that is refused otherwise", async () => {
    const bodies = [
      { active: false },
      { active: "False", userName: "taken@example.com" },
      { active: false, userName: "put@example.com", emails: "none", [acme]: { badge: 1 } },
    ];
    for (const [at, body] of bodies.entries()) {
      const user = await provider.newUser(`put-${at}`);
      const answer = await provider.ok("PUT", `/Users/${user.id}`, body);
      assert.equal(answer["active"], false);
      assert.equal(await isMember(`put-${at}`), false);
    }
  });

  it("that is taken back in the same request is none", async () => {
    const user = await provider.newUser("kept");
    const answer = await provider.send(
      "PATCH",
      `/Users/${user.id}`,
      patchOp(off, { op: "replace", path: "active", value: true }, { op: "x" }),
    );
    assert.equal(answer.status, 400);
    assert.ok(await isMember("kept"));
  });

  it("of an owner is refused, and so is one of another version", async () => {
    const { owner } = provider;
    const address = `${owner.username}@example.com`;
    const user = await provider.ok("POST", "/Users", { userName: address, emails: [{ value: address }] });
    const body = patchOp(off, { op: "replace", path: "name", value: "x" });
    assert.equal((await provider.send("PATCH", `/Users/${user.id}`, body)).status, 403);
    const other = await provider.newUser("versioned");
    const stale = { "if-match": 'W/"99"' };
    assert.equal((await provider.send("PATCH", `/Users/${other.id}`, body, stale)).status, 412);
    assert.ok(await isMember("versioned"));
  });

  it("is logged with what was left out", async () => {
    const user = await provider.newUser("logged");
    const unknown = { op: "add", path: `${acme}:badge`, value: 1 };
    await provider.ok("PATCH", `/Users/${user.id}`, patchOp(off, unknown));
    const { changes, ignored, outcome } = await lastEntry();
    assert.deepEqual([changes, ignored, outcome], [["active: true → false"], [`${acme}:badge`], "changed"]);
    const second = await provider.newUser("logged-too");
    const wrong = { op: "replace", path: "name", value: "Ada" };
    await provider.ok("PATCH", `/Users/${second.id}`, patchOp(off, wrong));
    const partly = await lastEntry();
    assert.deepEqual([partly.status, partly.detail], [200, '"name" must be an object.']);
  });
});

describe("unknown attributes", () => {
  it("of a user are left out of POST, PUT and PATCH, whose rest is applied", async () => {
    const body = { userName: "badges@example.com", badge: 1, [acme]: { floor: "3" }, title: "Countess" };
    const user = await provider.ok("POST", "/Users", body);
    assert.deepEqual((await lastEntry()).ignored, ["badge", acme]);
    assert.deepEqual([user["badge"], user[acme], user["title"]], [undefined, undefined, "Countess"]);
    await provider.ok("PUT", `/Users/${user.id}`, { ...body, schemas: [acme], groups: [], meta: {} });
    assert.deepEqual((await lastEntry()).ignored, ["badge", acme]);
    const many = Array.from({ length: 30 }, (_, at) => [`x${at}`.padEnd(300, "\u202E"), at] as const);
    const patched = await provider.ok(
      "PATCH",
      `/Users/${user.id}`,
      patchOp({ op: "add", value: { ...Object.fromEntries(many), title: "Queen" } }),
    );
    assert.equal(patched["title"], "Queen");
    const { ignored = [] } = await lastEntry();
    assert.deepEqual([ignored.length, ignored[0], ignored.at(-1)], [21, "x0", "10 more"]);
  });

  it("in the address of the provider are no obstacle", async () => {
    for (const query of ["?aadOptscim062020", "?aadOptscim062020=&count=1"])
      assert.equal((await provider.send("GET", `/Users${query}`)).status, 200, query);
  });
});

describe("members of a group", () => {
  const teamOf = async (name: string) =>
    (await provider.members()).find(({ username }) => username === name)?.teamIds ?? [];
  const unknown = "0".repeat(24);

  it("that are unknown are skipped and logged", async () => {
    const user = await provider.newUser("crew");
    const members = [{ value: unknown }, { value: user.id }, { value: "a group", type: "Group" }];
    const group = await provider.ok("POST", "/Groups", { displayName: "Crew", members });
    const valuesOf = (body: Json) => (body["members"] as { value: string }[]).map(({ value }) => value);
    assert.deepEqual(valuesOf(group), [user.id]);
    assert.deepEqual((await lastEntry()).ignored, [`member ${unknown}`, "member a group"]);
    assert.deepEqual(await teamOf("crew"), [group.id]);
    const second = await provider.newUser("mate");
    const added = [{ value: second.id }, { value: unknown }];
    const patched = await provider.ok(
      "PATCH",
      `/Groups/${group.id}`,
      patchOp({ op: "add", path: "members", value: added }, { op: "add", path: "badge", value: 1 }),
    );
    assert.deepEqual(valuesOf(patched), [user.id, second.id]);
    assert.deepEqual((await lastEntry()).ignored, ["badge", `member ${unknown}`]);
    const put = { displayName: "Crew", members: [{ value: second.id }, { value: unknown }] };
    assert.deepEqual(valuesOf(await provider.ok("PUT", `/Groups/${group.id}`, put)), [second.id]);
    assert.deepEqual(await teamOf("crew"), []);
  });

  it("that a request removes lose the team even if the rest of it is refused", async () => {
    await provider.ok("POST", "/Groups", { displayName: "Reserved" });
    const [gone, kept] = [await provider.newUser("gone"), await provider.newUser("stays")];
    const group = await provider.ok("POST", "/Groups", { displayName: "Partly" });
    const everyone = [{ value: gone.id }, { value: kept.id }];
    const remove = { op: "remove", path: `members[value eq "${gone.id}"]` };
    const renamed = { displayName: "reserved", members: [{ value: kept.id }] };
    const requests: [method: string, body: Json, status: number][] = [
      ["PATCH", patchOp({ op: "replace", path: "displayName", value: "Reserved" }, remove), 409],
      ["PATCH", patchOp({ op: "replace", path: "displayName", value: {} }, remove), 400],
      ["PATCH", patchOp(remove, { op: "move" }), 400],
      ["PATCH", patchOp({ op: "Remove", path: "members", value: [{ value: gone.id }] }, { op: "" }), 400],
      ["PUT", renamed, 409],
      ["PUT", { ...renamed, displayName: 1 }, 400],
    ];
    for (const [method, body, status] of requests) {
      await provider.ok(
        "PATCH",
        `/Groups/${group.id}`,
        patchOp({ op: "add", path: "members", value: everyone }),
      );
      assert.deepEqual(await teamOf("gone"), [group.id]);
      const answer = await provider.send(method, `/Groups/${group.id}`, body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.deepEqual([await teamOf("gone"), await teamOf("stays")], [[], [group.id]], JSON.stringify(body));
      const entry = await lastEntry();
      assert.deepEqual([entry.outcome, entry.changes], ["refused", ["members: +0 −1"]]);
    }
    for (const [method, body] of [
      ["PUT", {}],
      ["PATCH", {}],
      ["PATCH", patchOp({ op: "remove" })],
    ] as const)
      assert.equal((await provider.send(method, `/Groups/${group.id}`, body)).status, 400);
    assert.deepEqual(await teamOf("stays"), [group.id]);
  });
});
