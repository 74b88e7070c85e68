import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { purgeTokens } from "../../src/tokens/service.ts";
import { newFolder } from "../support/organization.ts";
import { setUpTokens } from "./fixture.ts";

const dayMs = 24 * 60 * 60_000;

const fixture = await setUpTokens();
const { service, owner, org, create, list, revoke, made, revokeAll, statusOf } = fixture;

describe("tokens of an organization", () => {
  it("are shown once, listed without their secret, and stored as a hash", async () => {
    const folder = await newFolder(service, org, owner, "ops/tools");
    const created = await made(owner, {
      expiresInDays: 30,
      scopes: { skill: ["read", "update", "read"], folder: [], auditLog: ["read"] },
      allowedFolderIds: [folder.id],
    });

    assert.match(created.token, /^lskt_[0-9a-f]{64}$/);
    assert.deepEqual(created.scopes, { skill: ["read", "update"], auditLog: ["read"] });
    assert.deepEqual(created.allowedFolders, [{ id: folder.id, path: "ops/tools" }]);
    assert.equal(created.createdBy, owner.username);
    assert.equal(Date.parse(created.expiresAt!) - Date.parse(created.createdAt), 30 * dayMs);
    const { token, ...shown } = created;
    assert.deepEqual((await list(owner)).data, [shown]);
    const rows = await service.app.storage.database.raw.collection("tokens").find({}).toArray();
    assert.ok(!JSON.stringify(rows).includes(token.slice(5)));
    await revokeAll();
  });

  it("store no secret for a call that is repeated with its Idempotency-Key", async () => {
    const call = () =>
      service.call("POST", `/api/tenants/${org.slug}/tokens`, {
        token: owner.token,
        body: { name: "once" },
        headers: { "idempotency-key": "organization-token-1" },
      });

    const [first, again] = [await call(), await call()];

    assert.equal(first.status, 201);
    assert.equal(again.status, 409);
    assert.doesNotMatch(JSON.stringify(again.body), /lskt_/);
    assert.equal((await list(owner)).data.length, 1);
    await revokeAll();
  });

  it("are listed newest first, page by page", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await made(owner, { name: `t${i}` })).id);
    await revoke(owner, ids[2]!);

    const first = await list(owner, "?limit=3");
    const second = await list(owner, `?limit=3&cursor=${first.nextCursor}`);

    assert.deepEqual(
      [...first.data, ...second.data].map(({ id }) => id),
      ids.filter((_, at) => at !== 2),
    );
    assert.equal(second.nextCursor, null);
    assert.equal((await list(owner, "?cursor=WyJ4Il0")).status, 400);
    assert.equal((await list(owner, "?limit=201")).status, 400);
    await revokeAll();
  });

  it("are rejected with a specific message if the request is invalid", async () => {
    const { id } = await newFolder(service, org, owner, "twice");
    const wrong: [object, RegExp][] = [
      [{ name: "" }, /"name"/],
      [{ name: "a\nb" }, /control characters/],
      [{ expiresInDays: 0 }, /"expiresInDays"/],
      [{ expiresInDays: 3651 }, /"expiresInDays"/],
      [{ scopes: { skill: ["fly"] } }, /"read"/],
      [{ scopes: { member: ["read"] } }, /member/],
      [{ scopes: { apiToken: ["manage"] } }, /apiToken/],
      [{ scopes: { folder: ["manageAcl"] } }, /"create"/],
      [{ scopes: null }, /scopes/],
      [{ allowedFolderIds: [] }, /must name a folder/],
      [{ allowedFolderIds: [id, id] }, /names a folder twice/],
      [{ allowedFolderIds: Array.from({ length: 101 }, (_, i) => `f${i}`) }, /100/],
      [{ allowedFolderIds: [{ $gt: "" }] }, /allowedFolderIds/],
      [{ tenantId: org.id }, /tenantId/],
      [{ userId: owner.id }, /userId/],
    ];

    for (const [fields, words] of wrong) {
      const answer = await create(owner, fields);
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.match(answer.error!, words);
    }
    assert.deepEqual((await list(owner)).data, []);
  });

  it("are limited to exactly 100, however many are requested concurrently", async () => {
    const batches = [40, 40, 40].map((count) => Array.from({ length: count }, () => () => create(owner)));
    const statuses: number[] = [];
    for (const batch of batches)
      statuses.push(...(await Promise.all(batch.map((call) => call()))).map(({ status }) => status));

    assert.deepEqual(
      statuses.slice(0, 80),
      Array.from({ length: 80 }, () => 201),
    );
    assert.equal(statuses.slice(80).filter((status) => status === 201).length, 20);
    assert.equal(statuses.slice(80).filter((status) => status === 422).length, 20);
    const full = await create(owner);
    assert.equal(full.code, "limit_reached");
    assert.deepEqual(full.details, { kind: "token", limit: 100 });
    const other = await service.newOrg(owner);
    assert.equal((await create(owner, {}, other.id)).status, 201);
    const personal = await service.call("POST", "/api/user/tokens", {
      token: owner.token,
      body: { name: "mine" },
    });
    assert.equal(personal.status, 201);

    const [last] = (await list(owner)).data;
    const racing = await Promise.all([
      revoke(owner, last!.id),
      ...Array.from({ length: 10 }, () => create(owner)),
    ]);
    assert.ok(racing.filter(({ status }) => status === 201).length <= 1);
    const held = await service.app.storage.tokens.takenSlots({ tenantId: org.id }, new Date());
    assert.equal(new Set(held).size, held.length);
    await revokeAll();
    assert.equal((await create(owner, { expiresInDays: 1 })).status, 201);
    await revokeAll();
  });

  it("end at revocation and expiry, with different errors", async () => {
    const [short, revoked, kept] = [
      await made(owner, { expiresInDays: 1 }),
      await made(owner),
      await made(owner),
    ];
    assert.deepEqual(
      await Promise.all([short, revoked, kept].map(({ token }) => statusOf(token))),
      [200, 200, 200],
    );

    const twice = await Promise.all([revoke(owner, revoked.id), revoke(owner, revoked.id)]);
    fixture.advance(dayMs);
    const ask = (token: string) => service.call("GET", "/api/skills", { token });
    const answers = [await ask(short.token), await ask(revoked.token), await ask(`lskt_${"0".repeat(64)}`)];

    assert.equal(twice.filter(({ status }) => status === 200).length, 1);
    assert.equal(twice.filter(({ status }) => status === 404).length, 1);
    for (const answer of answers) assert.equal(answer.status, 401);
    assert.match(answers[0]!.error!, /expired at \d{4}-/);
    assert.match(answers[1]!.error!, /revoked/);
    assert.match(answers[2]!.error!, /unknown/);
    assert.equal(await statusOf(kept.token), 200);
    await service.settled();
    const shown = (await list(owner)).data.find(({ id }) => id === kept.id);
    assert.ok(shown?.lastUsedAt !== undefined);
    const ids = async () => {
      const rows = await service.app.storage.database.raw.collection("tokens").find({}).toArray();
      return rows.map((row) => String(row._id));
    };
    fixture.advance(31 * dayMs);
    await purgeTokens(service.app);
    assert.ok((await ids()).includes(kept.id));
    assert.ok(!(await ids()).includes(short.id) && !(await ids()).includes(revoked.id));
    fixture.advance(-32 * dayMs);
    await revokeAll();
  });
});
