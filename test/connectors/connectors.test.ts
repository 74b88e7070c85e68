import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { readSecret } from "../../src/connectors/vault.ts";
import { rotateKeys } from "../../src/operations/keys/rotate-keys.ts";
import { openSecrets } from "../../src/secrets.ts";
import { newMember } from "../support/organization.ts";
import { closedAfter } from "../support/set-up.ts";
import { setUpConnectors } from "./fixture.ts";
import { startUpstream } from "./upstream.ts";

const central = await setUpConnectors();
const upstream = await closedAfter(startUpstream());

const apiKey = {
  headers: [
    { name: "X-Api-Key", kind: "member", label: "API key", secret: true, required: true },
    { name: "X-Plan", kind: "fixed", value: "team-{REGION}" },
  ],
  variables: [{ name: "REGION", kind: "member", label: "Region", secret: false, required: true }],
};
const secret = "sk-very-secret-0123456789";

describe("a hosted connector", () => {
  it("is created once for a user and a server, and waits for its user", async () => {
    const server = await central.register("plain", upstream.url);

    const first = await central.create(`${central.org.slug}/plain`);
    const second = await central.create(server.publicId);

    assert.equal(first.status, 201, first.error);
    assert.deepEqual([first.data.created, second.data.created], [true, false]);
    assert.equal(second.data.publicId, first.data.publicId);
    assert.deepEqual([first.data.connectionStatus, first.data.needsReconnect], ["pending", false]);
    assert.equal(
      first.data.connectUrl,
      `${central.service.url}/settings/connectors?connect=${first.data.publicId}`,
    );
    assert.equal(first.data.server?.host, new URL(upstream.url).host);
  });

  it("is connected in the browser only, and not by a token", async () => {
    const { data } = await central.create("plain");
    const path = `/api/user/connectors/${data.publicId}/connect`;

    const byToken = await central.service.call("POST", path, { token: central.member.token, body: {} });
    const connected = await central.connect(data.publicId);

    assert.deepEqual([byToken.status, byToken.code], [403, "forbidden"]);
    assert.match(byToken.error!, /settings\/connectors/);
    assert.equal(connected.status, 200, connected.error);
    assert.equal(connected.data.connector.connectionStatus, "connected");
    assert.equal(connected.data.authorizationUrl, undefined);
  });

  it("sends the values of its user to its server, and to no other", async () => {
    await central.register("keyed", upstream.url, apiKey);
    const { data } = await central.create("keyed");

    const missing = await central.connect(data.id, { variables: { "X-Api-Key": secret } });
    const unknown = await central.connect(data.id, { variables: { OTHER: "x" } });
    const broken = await central.connect(data.id, { variables: { "X-Api-Key": "a\r\nb", REGION: "eu" } });
    upstream.requests.length = 0;
    const done = await central.connect(data.id, { variables: { "X-Api-Key": secret, REGION: "eu" } });

    for (const refused of [missing, unknown, broken]) assert.equal(refused.code, "invalid_request");
    assert.equal(done.data.connector.connectionStatus, "connected", JSON.stringify(done.body));
    assert.ok(upstream.requests.length > 0);
    for (const { headers } of upstream.requests) {
      assert.equal(headers["x-api-key"], secret);
      assert.equal(headers["x-plan"], "team-eu");
      assert.equal(headers["cookie"], undefined);
    }
    assert.deepEqual(
      done.data.connector.values.map(({ name, supplied }) => [name, supplied]),
      [
        ["X-Api-Key", true],
        ["REGION", true],
      ],
    );
  });

  it("keeps values that are not supplied again", async () => {
    const { data } = await central.create("keyed");

    const again = await central.connect(data.id, { variables: { REGION: "us" } });

    assert.equal(again.data.connector.connectionStatus, "connected", JSON.stringify(again.body));
    assert.equal(upstream.requests.at(-1)!.headers["x-plan"], "team-us");
    assert.equal(upstream.requests.at(-1)!.headers["x-api-key"], secret);
  });

  it("shows its secrets nowhere: no response, log, job, event or field of the database", async () => {
    await central.service.settled();
    const { raw } = central.service.app.storage.database;
    const stored = await Promise.all(
      (await raw.collections()).map(async (collection) =>
        JSON.stringify(await collection.find({}).toArray()),
      ),
    );
    const answers = JSON.stringify([
      await central.list(),
      (await central.service.call("GET", "/api/user/audit-log", { token: central.member.token })).body,
      (
        await central.service.call("GET", `/api/tenants/${central.org.slug}/audit-log`, {
          token: central.owner.token,
        })
      ).body,
    ]);

    assert.ok(stored.some((text) => text.includes("dataKey")));
    for (const text of [...stored, answers, central.logged.join("\n")]) assert.ok(!text.includes(secret));
  });

  it("has credentials that open in its own record only, and that a later key of the service replaces", async () => {
    const { app } = central.service;
    const { dataDir } = app.config;
    const previous = readFileSync(join(dataDir, "secrets"), "utf8").trim();
    const later = `later:${randomBytes(32).toString("base64")}`;
    const by = (keys: string) => ({ ...app, secrets: openSecrets({ keys, dataDir }) });
    const { data } = await central.create("keyed");
    const read = async () => (await app.storage.connectors.withSecrets(data.id))!;
    const doc = await read();
    const values = readSecret(app, doc, "variables");
    assert.match(JSON.stringify(values), new RegExp(secret));
    const moved = [{ _id: app.newId() }, { userId: central.owner.id }, { tenantId: app.newId() }];
    for (const change of moved) assert.throws(() => readSecret(app, { ...doc, ...change }, "variables"));
    const fields = { ...doc.vault!.fields, client: doc.vault!.fields.variables! };
    assert.throws(() => readSecret(app, { ...doc, vault: { ...doc.vault!, fields } }, "client"));

    const unreadable = Array.from({ length: 120 }, (_, at) => ({
      _id: at.toString(16).padStart(24, "0"),
      vault: { keyId: "a-lost-one", dataKey: "AAAA", fields: {} },
    }));
    const stored = app.storage.database.raw.collection<{ _id: string }>("connectors");
    await stored.insertMany(unreadable);
    await rotateKeys(by(`${later},${previous}`));
    await stored.deleteMany({ "vault.keyId": "a-lost-one" });

    const rotated = await read();
    assert.equal(rotated.vault!.keyId, "later");
    assert.deepEqual(readSecret(by(later), rotated, "variables"), values);
    assert.throws(() => readSecret(app, rotated, "variables"));
    await rotateKeys(by(`${previous},${later}`));
    assert.deepEqual(readSecret(app, await read(), "variables"), values);
  });

  it("sends nothing to a changed address until its user has approved that", async () => {
    const elsewhere = await startUpstream();
    try {
      const { data } = await central.create("keyed");
      const changed = await central.service.call(
        "PATCH",
        `/api/tenants/${central.org.slug}/mcp-servers/keyed`,
        { token: central.owner.token, body: { url: elsewhere.url } },
      );
      assert.equal(changed.status, 200, changed.error);

      const seen = await central.read(data.id);
      const stale = await central.connect(data.id, { host: new URL(upstream.url).host });
      const variables = { "X-Api-Key": "another", REGION: "eu" };
      const { host, origin } = new URL(elsewhere.url);
      const neighbour = await central.connect(data.id, { host, url: `${origin}/other`, variables });
      const kept = await central.connect(data.id, { variables: { REGION: "eu" } });

      assert.deepEqual(
        [seen.connectionStatus, seen.needsReconnect, seen.problem],
        ["needs_auth", true, "address_changed"],
      );
      assert.ok(seen.values.every(({ supplied }) => !supplied));
      assert.deepEqual([stale.code, neighbour.code], ["conflict", "conflict"]);
      assert.ok(neighbour.error!.includes(`address is now ${elsewhere.url}:`));
      assert.equal(seen.server?.url, elsewhere.url);
      assert.equal(kept.code, "invalid_request", "the value for the previous address is not used");
      assert.deepEqual(elsewhere.requests, []);
      const approved = await central.connect(data.id, {
        host,
        url: elsewhere.url,
        variables,
      });
      assert.equal(approved.data.connector.connectionStatus, "connected");
      assert.ok(elsewhere.requests.every(({ headers }) => headers["x-api-key"] === "another"));
    } finally {
      await elsewhere.close();
    }
  });

  it("shows the host to which an address leads, also in one that an earlier version accepted", async () => {
    const server = await central.register("look-alike", upstream.url);
    const { raw } = central.service.app.storage.database;
    const hosts: [string, string][] = [
      ["https://{REGION}.example.com/mcp", "{REGION}.example.com"],
      ["https://evil.example\\.mcp.example.com/mcp", "evil.example"],
      ["https://mcp.ex\u0430mple.com/mcp", "mcp.xn--exmple-4nf.com"],
    ];
    const { data } = await central.create("look-alike");
    for (const [url, host] of hosts) {
      const id = { _id: server.id as never };
      await raw.collection("mcp_servers").updateOne(id, { $set: { "config.url": url } });

      assert.equal((await central.read(data.id)).server?.host, host);
    }
    await central.service.call("DELETE", `/api/user/connectors/${data.id}`, { token: central.member.token });
  });

  it("belongs to its user alone", async () => {
    const { data } = await central.create("plain");
    const other = await newMember(central.service, central.org, "member");
    const path = `/api/user/connectors/${data.id}`;

    for (const [method, target] of [
      ["GET", path],
      ["DELETE", path],
      ["GET", `/api/user/connectors/${data.publicId}`],
    ] as const)
      assert.equal((await central.service.call(method, target, { token: other.token })).code, "not_found");
    assert.equal((await central.connect(data.id, {}, other)).code, "not_found");
    assert.deepEqual(await central.list(other), []);
  });

  it("is refused for local servers, for strangers and for restricted tokens", async () => {
    await central.service.call("POST", `/api/tenants/${central.org.slug}/mcp-servers`, {
      token: central.owner.token,
      body: { name: "local", slug: "local", transport: "stdio", command: "npx", args: ["x"] },
    });
    const stranger = await central.service.newUser();
    const restricted = await central.service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: central.member.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });

    const local = await central.create("local");
    const strange = await central.create(`${central.org.slug}/plain`, stranger);
    const narrow = await central.create("plain", { ...central.member, token: restricted.data.token });

    assert.deepEqual([local.code, strange.code, narrow.code], ["invalid_request", "not_found", "forbidden"]);
  });

  it("is one of at most twenty", async () => {
    const busy = await newMember(central.service, central.org, "member");
    for (let number = 0; number <= limits.connectorsPerUser; number++)
      await central.register(`many-${number}`, upstream.url);
    const made = await Promise.all(
      Array.from({ length: limits.connectorsPerUser + 1 }, (_, number) =>
        central.create(`many-${number}`, busy),
      ),
    );

    assert.equal(made.filter(({ status }) => status === 201).length, limits.connectorsPerUser);
    assert.deepEqual(
      made.filter(({ status }) => status !== 201).map(({ code }) => code),
      ["limit_reached"],
    );
  });

  it("is deleted with its credentials, and the deletion is recorded", async () => {
    const { data } = await central.create("keyed");

    const gone = await central.service.call("DELETE", `/api/user/connectors/${data.id}`, {
      token: central.member.token,
    });
    await central.service.settled();

    assert.equal(gone.status, 200, gone.error);
    assert.ok((await central.list()).every(({ id }) => id !== data.id));
    const log = await central.service.call<{ entries: { action: string }[] }>("GET", "/api/user/audit-log", {
      token: central.member.token,
    });
    assert.equal(log.data.entries[0]!.action, "user.connector_deleted");
    const row = await central.service.app.storage.database.raw
      .collection<{ _id: string; vault?: object }>("connectors")
      .findOne({ _id: data.id });
    assert.equal(row?.vault, undefined);
  });
});
