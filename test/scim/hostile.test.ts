import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { scimEndpointRoutes } from "../../src/scim/endpoint-routes.ts";
import { runCount } from "../support/run-count.ts";
import { newProvider, setUpScim, patchOp, type Json } from "./fixture.ts";

const { service, provider } = await setUpScim();
const other = await newProvider(service);
const user = await provider.newUser("ada", { externalId: "ada" });
const group = await provider.ok("POST", "/Groups", { displayName: "Crew", members: [{ value: user.id }] });
const foreign = await other.newUser("eve");
const foreignGroup = await other.ok("POST", "/Groups", {
  displayName: "Spies",
  members: [{ value: foreign.id }],
});

const readUser = () => provider.ok("GET", `/Users/${user.id}`);
const readGroup = () => provider.ok("GET", `/Groups/${group.id}`);

const replace = (path: string | undefined, value: unknown) => patchOp({ op: "replace", path, value });

/** Different paths of 100 KiB together. */
const manyPaths = Object.fromEntries(
  Array.from({ length: 1000 }, (_, at) => [`emails[type eq "${"x".repeat(80)}${at}"].value`, "x@x.io"]),
);

describe("a resource with the name of a property of every object", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])
    it(`does not exist: ${name}`, async () => {
      for (const path of [`/${name}`, `/${name}/x`, `/Schemas/${name}`, `/ResourceTypes/${name}`])
        assert.equal((await provider.send("GET", path)).status, 404, path);
    });
});

describe("a request that is not valid", () => {
  const rows: [name: string, type: "Users" | "Groups", body: unknown, status: number, scimType?: string][] = [
    ["a filter on __proto__", "Users", replace('emails[__proto__ eq "x"].value', "x"), 400, "invalidFilter"],
    [
      "20,000 parentheses in a path",
      "Users",
      replace(`emails[${"(".repeat(20_000)}]`, "x"),
      400,
      "invalidPath",
    ],
    [
      "too many levels",
      "Users",
      replace(`emails[${"(".repeat(50)}type eq "x"${")".repeat(50)}]`, "x"),
      400,
      "invalidFilter",
    ],
    [
      "10,000 operations",
      "Users",
      patchOp(...Array.from({ length: 10_000 }, () => ({ op: "remove", path: "title" }))),
      413,
      "tooMany",
    ],
    [
      "long filters together",
      "Groups",
      patchOp(
        ...Array.from({ length: 40 }, () => ({
          op: "remove",
          path: `members[${'value eq "x" or '.repeat(125)}value pr]`,
        })),
      ),
      413,
      "tooMany",
    ],
    ["long filters in a value", "Users", replace(undefined, manyPaths), 413, "tooMany"],
    [
      "filters that compare too many values",
      "Users",
      patchOp(
        {
          op: "add",
          path: "emails",
          value: Array.from({ length: 49 }, (_, at) => ({ value: `${at}@x.io`, type: "other" })),
        },
        ...Array.from({ length: 500 }, () => ({
          op: "add",
          path: 'emails[type eq "other"].display',
          value: "x",
        })),
      ),
      413,
      "tooMany",
    ],
    ["another id", "Users", replace(undefined, { id: "0".repeat(24) }), 400, "mutability"],
    ["groups of a user", "Users", replace("groups", []), 400, "mutability"],
    ["meta", "Users", replace("meta.version", "1"), 400, "mutability"],
    ["a removal without a path", "Users", patchOp({ op: "remove" }), 400, "noTarget"],
    [
      "a filter without a match",
      "Users",
      replace('emails[value eq "none"]', { value: "x" }),
      400,
      "noTarget",
    ],
    ["an unknown operation", "Users", patchOp({ op: "move", path: "title", value: 1 }), 400, "invalidSyntax"],
    ["no operations", "Users", {}, 400, "invalidSyntax"],
    ["operations of a wrong type", "Users", { Operations: "x" }, 400, "invalidSyntax"],
    ["an operation of a wrong type", "Users", { Operations: [null] }, 400, "invalidSyntax"],
    ["a body that is a list", "Users", [], 400, "invalidSyntax"],
    ["a body that is no JSON", "Users", "{", 400, "invalidSyntax"],
    ["a path of a wrong type", "Users", patchOp({ op: "add", path: 1, value: 1 }), 400, "invalidPath"],
    ["an active of a wrong type", "Users", replace("active", "perhaps"), 400, "invalidValue"],
    ["a name of a wrong type", "Users", replace("name", [1]), 400, "invalidValue"],
    ["a userName of a wrong type", "Users", replace("userName", {}), 400, "invalidValue"],
    ["a removal of the userName", "Users", patchOp({ op: "remove", path: "userName" }), 400, "invalidValue"],
    [
      "too many addresses",
      "Users",
      replace(
        "emails",
        Array.from({ length: 99 }, (_, at) => ({ value: `${at}@x.io` })),
      ),
      400,
      "tooMany",
    ],
    ["a text that is too long", "Users", replace("title", "x".repeat(1001)), 400, "invalidValue"],
    ["members of a wrong type", "Groups", replace("members", [[1]]), 400, "invalidValue"],
    [
      "a filter of members by name",
      "Groups",
      patchOp({ op: "remove", path: 'members[display eq "x"]' }),
      400,
      "invalidFilter",
    ],
    ["an empty name", "Groups", replace("displayName", " "), 400, "invalidValue"],
    ["a removal of the name", "Groups", patchOp({ op: "remove", path: "displayName" }), 400, "mutability"],
  ];
  for (const [name, type, body, status, scimType] of rows)
    it(`with ${name} is refused and changes nothing`, async () => {
      const [previous, id] = type === "Users" ? [await readUser(), user.id] : [await readGroup(), group.id];

      const answer = await provider.send("PATCH", `/${type}/${id}`, body);

      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(answer.body.scimType, scimType);
      assert.deepEqual(await (type === "Users" ? readUser() : readGroup()), previous);
    });

  for (const [name, type, body] of [
    ["the path __proto__", "Users", replace("__proto__", { isAdmin: true })],
    ["the path constructor.prototype", "Users", replace("constructor.prototype", 1)],
    ["the sub-attribute toString", "Users", replace("name.toString", "x")],
    ["the key __proto__", "Users", `{"Operations":[{"op":"add","value":{"__proto__":{"active":false}}}]}`],
    ["the key constructor", "Groups", replace(undefined, { constructor: 1 })],
  ] as const)
    it(`with ${name} changes nothing, since it is unknown`, async () => {
      const [previous, id] = type === "Users" ? [await readUser(), user.id] : [await readGroup(), group.id];

      const answer = await provider.send("PATCH", `/${type}/${id}`, body);

      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(answer.body, previous);
      assert.deepEqual(Object.keys(Object.prototype), []);
    });

  it("with several operations applies none if one is not valid", async () => {
    const previous = await readUser();

    const answer = await provider.send(
      "PATCH",
      `/Users/${user.id}`,
      patchOp({ op: "add", path: "title", value: "Countess" }, { op: "add", path: "name", value: "x" }),
    );

    assert.equal(answer.status, 400);
    assert.deepEqual(await readUser(), previous);
  });

  it("in a query or with an unknown method is refused", async () => {
    const filters = [
      '"',
      "userName eq",
      'toString eq "x"',
      'userName eq "a" constructor userName eq "b"',
      "(".repeat(900),
    ];
    for (const filter of filters) {
      const answer = await provider.send("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      assert.deepEqual([answer.status, answer.body.scimType], [400, "invalidFilter"], filter);
    }
    const long = `userName eq "${"\n".repeat(1500)}`;
    for (const filter of ["(".repeat(20_000), long]) {
      const answer = await provider.send("POST", "/Users/.search", { filter });
      assert.deepEqual([answer.status, answer.body.scimType], [400, "invalidFilter"]);
    }
    for (const [method, path, status] of [
      ["POST", "/ServiceProviderConfig", 405],
      ["DELETE", "/Users", 405],
      ["GET", "/Me", 501],
      ["POST", "/Bulk", 501],
      ["GET", "/Nothing", 404],
      ["GET", "/Users/x/y", 404],
      ["GET", "/Users?count=x", 400],
      ["GET", "/Users?sortBy=password", 400],
      ["GET", "/Schemas?filter=id", 403],
    ] as const)
      assert.equal((await provider.send(method, path)).status, status, `${method} ${path}`);
    assert.equal((await provider.send("POST", "/Users", `"${"x".repeat(1_100_000)}"`)).status, 413);
  });

  it("by fuzzing gets a SCIM response and never fails", async () => {
    const names = fc.constantFrom(
      "userName",
      "active",
      "emails",
      "name",
      "__proto__",
      "members",
      "schemas",
      "externalId",
      "id",
      "",
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom("False", true, null, [], [{ value: "x" }]),
    );
    const path = fc.oneof(
      names,
      fc.string({ maxLength: 40 }),
      fc.constantFrom('emails[type eq "x"]', "name.familyName"),
    );
    const operation = fc.record(
      { op: fc.constantFrom("add", "Replace", "remove", "x"), path, value },
      { requiredKeys: ["op"] },
    );
    const resource = fc.dictionary(names, value, { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { maxLength: 4 }),
        resource,
        fc.string({ maxLength: 60 }),
        async (operations, body, filter) => {
          for (const answer of [
            await provider.send("PATCH", `/Groups/${group.id}`, patchOp(...(operations as Json[]))),
            await provider.send("PATCH", `/Users/${user.id}`, patchOp(...(operations as Json[]))),
            await provider.send("POST", "/Users", body),
            await provider.send(
              "GET",
              `/Groups?filter=${encodeURIComponent(filter)}&sortBy=${encodeURIComponent(filter)}`,
            ),
          ])
            assert.ok(answer.status < 500, JSON.stringify(answer.body));
        },
      ),
      { numRuns: runCount(12, 600) },
    );
  });
});

describe("a token of one organization", () => {
  it("reaches nothing of another one", async () => {
    const untouched = [
      await other.ok("GET", `/Users/${foreign.id}`),
      await other.ok("GET", `/Groups/${foreignGroup.id}`),
    ];
    for (const [type, id] of [
      ["Users", foreign.id],
      ["Groups", foreignGroup.id],
    ] as const) {
      const body = {
        Operations: [{ op: "replace", path: "externalId", value: "x" }],
        userName: "x@x.io",
        displayName: "x",
      };
      for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
        const answer = await provider.send(method, `/${type}/${id}`, method === "GET" ? undefined : body);
        assert.equal(answer.status, 404, `${method} ${type}`);
      }
      const filter = encodeURIComponent(`id eq "${id}"`);
      assert.equal((await provider.ok("GET", `/${type}?filter=${filter}`))["totalResults"], 0);
    }
    const added = await provider.send(
      "PATCH",
      `/Groups/${group.id}`,
      patchOp({ op: "add", path: "members", value: [{ value: foreign.id }] }),
    );
    assert.deepEqual(added.body["members"], (await readGroup())["members"]);
    assert.ok(!JSON.stringify(added.body).includes(foreign.id));
    const wrong = await fetch(`${other.base}/Users`, {
      headers: { authorization: `Bearer ${provider.token}` },
    });
    const unknown = await fetch(`${other.base.slice(0, -24)}${"0".repeat(24)}/Users`, {
      headers: { authorization: `Bearer ${provider.token}` },
    });
    assert.deepEqual([wrong.status, unknown.status], [401, 401]);
    assert.deepEqual(await wrong.json(), await unknown.json());
    assert.deepEqual(
      [await other.ok("GET", `/Users/${foreign.id}`), await other.ok("GET", `/Groups/${foreignGroup.id}`)],
      untouched,
    );
    assert.equal((await service.call("GET", "/api/user/profile", { token: provider.token })).status, 401);
  });
});

describe("the endpoint of an organization", () => {
  it("takes no other credentials, on any route", async () => {
    const routes = scimEndpointRoutes(service.app, []);
    const untouched = await other.ok("GET", "/Users");
    const orgToken = await service.call<{ token: string }>("POST", `/api/tenants/${other.org.id}/tokens`, {
      cookie: other.owner.cookie,
      body: { name: "ci" },
    });
    const credentials: [string, Record<string, string>][] = [
      ["none", {}],
      ["its owner's session", { cookie: other.owner.cookie }],
      ["its owner's token", { authorization: `Bearer ${other.owner.token}` }],
      ["its own API token", { authorization: `Bearer ${orgToken.data.token}` }],
      ["the SCIM token of another", { authorization: `Bearer ${provider.token}` }],
      [
        "the SCIM token as a password",
        { authorization: `Basic ${Buffer.from(`x:${other.token}`).toString("base64")}` },
      ],
    ];
    for (const { method, path } of routes)
      for (const [name, headers] of credentials) {
        const at = path.replace(":provider", other.base.slice(-24)).replace("*rest", `Users/${foreign.id}`);
        const sends = method !== "get" && method !== "delete";
        const answer = await fetch(service.url + at, {
          method: method.toUpperCase(),
          headers: { ...headers, ...(sends ? { "content-type": "application/scim+json" } : {}) },
          body: sends ? "{}" : undefined,
        });
        const text = await answer.text();
        assert.equal(answer.status, 401, `${name}: ${method} ${path}: ${text}`);
        assert.ok(!text.includes("eve"), text);
      }
    assert.equal(routes.length, 10);
    assert.deepEqual(await other.ok("GET", "/Users"), untouched);
  });
});

describe("concurrent requests", () => {
  it("are all applied, and a version that is not current is refused", async () => {
    const [a, b] = [await provider.newUser("beth"), await provider.newUser("carol")];
    const add = (id: string) => patchOp({ op: "add", path: "members", value: [{ value: id }] });
    await Promise.all([a, b].map(({ id }) => provider.ok("PATCH", `/Groups/${group.id}`, add(id))));
    await Promise.all([
      provider.ok("PATCH", `/Users/${a.id}`, replace("title", "Queen")),
      provider.ok("PATCH", `/Users/${a.id}`, replace("nickName", "Bess")),
    ]);

    const members = (await readGroup())["members"] as { value: string }[];
    assert.ok([a, b].every(({ id }) => members.some(({ value }) => value === id)));
    const changed = await provider.send("GET", `/Users/${a.id}`);
    assert.deepEqual([changed.body["title"], changed.body["nickName"]], ["Queen", "Bess"]);
    const etag = changed.headers.get("etag")!;
    assert.equal(
      (await provider.send("GET", `/Users/${a.id}`, undefined, { "if-none-match": etag })).status,
      304,
    );
    const stale = await provider.send("PATCH", `/Users/${a.id}`, replace("title", "x"), {
      "if-match": 'W/"1"',
    });
    assert.equal(stale.status, 412);
    const current = await provider.send("PATCH", `/Users/${a.id}`, replace("title", "x"), {
      "if-match": etag,
    });
    assert.equal(current.status, 200);
  });
});
