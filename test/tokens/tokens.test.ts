import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CreatedTokenPayload, TokenPayload } from "../../contract/payloads/accounts/tokens.ts";
import { publishEvents } from "../../src/audit/events.ts";
import { purgeTokens, removeTokensOfUser } from "../../src/tokens/service.ts";
import {
  createToken,
  password,
  signUp,
  statusesOf,
  type AccountsService,
  setUpAccount,
} from "../support/accounts-app.ts";

const dayMs = 24 * 60 * 60_000;

describe("a personal token", () => {
  let service: AccountsService;
  let cookie: string;
  let userId: string;
  setUpAccount((made) => ({ service, cookie, userId } = made));

  const list = async () =>
    TokenPayload.array().parse((await service.call("GET", "/api/user/tokens", { cookie })).body.data);
  const revoke = (id: string, more: object = { cookie }) =>
    service.call("DELETE", `/api/user/tokens/${id}`, more);

  it("is shown once, and only its hash is stored", async () => {
    const { answer, token } = await createToken(service, cookie, {
      name: "deploy",
      expiresInDays: 30,
      scopes: { skill: ["read", "update", "read"], auditLog: ["read"] },
    });

    assert.equal(answer.status, 201);
    const created = CreatedTokenPayload.parse(answer.body.data);
    assert.match(created.token, /^lsk_[0-9a-f]{64}$/);
    assert.deepEqual(created.scopes, { skill: ["read", "update"], auditLog: ["read"] });
    const lasts = Date.parse(created.expiresAt!) - Date.parse(created.createdAt);
    assert.equal(lasts, 30 * dayMs);
    const { token: _, ...shown } = created;
    assert.deepEqual(await list(), [shown]);
    const stored = JSON.stringify(await service.storage.database.raw.collection("tokens").find({}).toArray());
    assert.ok(!stored.includes(token.slice(4)));
    assert.ok(!JSON.stringify(service.logged).includes(token));
  });

  it("is not stored for a call that is repeated with its Idempotency-Key", async () => {
    const headers = { "idempotency-key": "deploy-token-1" };
    const make = () =>
      service.call("POST", "/api/user/tokens", { cookie, json: { name: "deploy" }, headers });

    const first = await make();
    const again = await make();

    assert.match(String(first.body.data["token"]), /^lsk_/);
    assert.doesNotMatch(again.text, /lsk_/);
    assert.match(again.text, /shown once/);
    assert.equal((await list()).length, 1);
    const records = await service.storage.database.raw.collection("idempotency").find({}).toArray();
    const kept = records.map((row) => service.app.secrets.open(String(row["sealed"]), String(row._id)));
    assert.deepEqual(kept, ['{"shownOnce":true}']);
    assert.equal(again.status, 409);
  });

  it("is rejected if the request is invalid, and nothing is stored", async () => {
    const wrong: Record<string, unknown>[] = [
      { name: "" },
      { name: "x".repeat(101) },
      { name: 5 },
      { name: undefined },
      { expiresInDays: 0 },
      { expiresInDays: 1.5 },
      { expiresInDays: "30" },
      { expiresInDays: 3651 },
      { scopes: ["skill:read"] },
      { scopes: { skill: "read" } },
      { scopes: { skill: ["fly"] } },
      { scopes: { folder: ["read"] } },
      { scopes: { member: ["read"] } },
      { scopes: { apiToken: ["manage"] } },
      { scopes: { folder: ["manageAcl"] } },
      { allowedFolderIds: [] },
      { allowedFolderIds: ["a", "a"] },
      { allowedFolderIds: Array.from({ length: 101 }, (_, i) => `f${i}`) },
      { allowedFolderIds: "x" },
      { userId: "somebody-else" },
    ];

    for (const fields of wrong) {
      const { answer } = await createToken(service, cookie, fields);
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.equal(answer.body.code, "invalid_request");
    }
    const { answer } = await createToken(service, cookie, { scopes: { member: ["read"] } });
    assert.match(answer.body.error!, /member/);
    assert.deepEqual(await list(), []);
  });

  it("can't name a folder that its owner does not see", async () => {
    const { answer } = await createToken(service, cookie, { allowedFolderIds: ["0123456789abcdef01234567"] });

    assert.equal(answer.status, 404);
    assert.deepEqual(answer.body.details, { kind: "folder", ref: "0123456789abcdef01234567" });
  });

  it("is listed newest first, page by page", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await createToken(service, cookie)).id);
    await revoke(ids[1]!);
    const page = async (query: string) =>
      (await service.call("GET", `/api/user/tokens?limit=2${query}`, { cookie })).body;

    const first = await page("");
    const second = await page(`&cursor=${String(first["nextCursor"])}`);

    const shown = TokenPayload.array().parse([first.data, second.data].flat());
    assert.deepEqual(
      shown.map(({ id }) => id),
      ids.filter((_, at) => at !== 1),
    );
    assert.equal(second["nextCursor"], null);
    assert.equal((await service.call("GET", "/api/user/tokens?cursor=x", { cookie })).status, 400);
  });

  it("is given to exactly 25 of 40 concurrent calls", async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => createToken(service, cookie)));

    const statuses = made.map(({ answer }) => answer.status);
    assert.equal(statuses.filter((status) => status === 201).length, 25);
    assert.equal(statuses.filter((status) => status === 422).length, 15);
    const refused = made.find(({ answer }) => answer.status === 422)!;
    assert.equal(refused.answer.body.code, "limit_reached");
    assert.equal((await list()).length, 25);
    const other = await signUp(service, "bob");
    assert.equal((await createToken(service, other.cookie)).answer.status, 201);
  });

  it("frees its slot at revocation and at expiry", async () => {
    const made = await Promise.all(
      Array.from({ length: 25 }, (_, i) => createToken(service, cookie, i < 5 ? { expiresInDays: 1 } : {})),
    );
    assert.equal((await createToken(service, cookie)).answer.status, 422);

    await revoke(made[24]!.id);
    assert.equal((await createToken(service, cookie)).answer.status, 201);
    assert.equal((await createToken(service, cookie)).answer.status, 422);
    service.advance(dayMs);
    await service.call("POST", "/api/auth/reauthenticate", { cookie, json: { password } });
    const more = await Promise.all(Array.from({ length: 9 }, () => createToken(service, cookie)));

    assert.equal(more.filter(({ answer }) => answer.status === 201).length, 5);
  });

  it("counts towards the limit while tokens are concurrently revoked and created", async () => {
    const made = await Promise.all(Array.from({ length: 25 }, () => createToken(service, cookie)));

    await Promise.all([
      ...made.slice(0, 10).map(({ id }) => revoke(id)),
      ...Array.from({ length: 20 }, () => createToken(service, cookie)),
    ]);

    const live = await service.storage.tokens.takenSlots({ userId }, new Date());
    assert.equal(new Set(live).size, live.length);
    assert.ok(live.length <= 25 && live.length >= 15);
    assert.equal((await list()).length, live.length);
  });

  it("is revoked once, and only by its owner", async () => {
    const { id } = await createToken(service, cookie);
    const other = await signUp(service, "bob");

    const byOther = await revoke(id, { cookie: other.cookie });
    const twice = await Promise.all([revoke(id), revoke(id)]);
    const junk = await Promise.all(["x", "0".repeat(24), "%00"].map((ref) => revoke(ref)));

    assert.equal(byOther.status, 404);
    assert.deepEqual(statusesOf(twice), [200, 404]);
    for (const answer of junk) assert.equal(answer.status, 404);
    assert.deepEqual(await list(), []);
  });

  it("can create others if it is unrestricted", async () => {
    const free = await createToken(service, cookie);
    const scoped = await createToken(service, cookie, { scopes: { skill: ["read"] } });
    const empty = await createToken(service, cookie, { scopes: {} });

    const mint = (token: string) =>
      service.call("POST", "/api/user/tokens", { token, json: { name: "child" } });

    assert.equal((await mint(free.token)).status, 201);
    assert.equal((await mint(scoped.token)).status, 403);
    assert.equal((await mint(empty.token)).status, 403);
  });

  it("has its creation and end recorded in its owner's log", async () => {
    const { id } = await createToken(service, cookie, { name: "deploy" });
    await revoke(id);
    await service.settled();

    const log = await service.call("GET", "/api/user/audit-log", { cookie });

    const entries = log.body.data["entries"] as { action: string; resourceId: string; metadata: object }[];
    assert.deepEqual(
      entries.map(({ action, resourceId }) => [action, resourceId]),
      [
        ["user.token_deleted", id],
        ["user.token_created", id],
      ],
    );
    assert.deepEqual(await service.storage.tokens.listUnflushed(new Date(Date.now() + dayMs), 10), []);
  });

  it("is purged 30 days after its end, unless its event has not been published", async () => {
    const now = new Date();
    const kept = await createToken(service, cookie);
    const expiring = await createToken(service, cookie, { expiresInDays: 1 });
    const revoked = await createToken(service, cookie);
    const unsettled = await createToken(service, cookie);
    await revoke(revoked.id);
    await service.settled();
    // Revoked by a process that crashed before it copied the event to the log.
    const event = {
      ...(await service.storage.auditEvents.list({ log: { userId }, from: new Date(0) }, 0, 1))[0]!,
      _id: "f".repeat(24),
    };
    await service.storage.tokens.revoke(unsettled.id, { userId }, now, [event]);
    const left = async () => {
      const rows = await service.storage.database.raw.collection("tokens").find({}).toArray();
      return new Set(rows.map((row) => String(row._id)));
    };

    service.advance(29 * dayMs);
    assert.equal(await purgeTokens(service.app), 0);
    service.advance(2 * dayMs + 1000);
    assert.equal(await purgeTokens(service.app), 2);
    assert.deepEqual(await left(), new Set([kept.id, unsettled.id]));
    assert.ok(!(await left()).has(expiring.id));

    const [document] = await service.storage.tokens.listUnflushed(service.app.now(), 10);
    await publishEvents(service.app, service.storage.tokens, document!._id, document!.outbox!);
    assert.equal(await purgeTokens(service.app), 1);
    assert.deepEqual(await left(), new Set([kept.id]));
  });

  it("is deleted with its owner, once the log has its events", async () => {
    const [settled, unsettled] = [await createToken(service, cookie), await createToken(service, cookie)];
    const other = await signUp(service, "bob");
    const kept = await createToken(service, other.cookie);
    await service.settled();
    const { tokens, database } = service.storage;
    // Revoked by a process that crashed before it copied the event to the log.
    const created = await database.raw.collection("audit_events").findOne({ resourceId: unsettled.id });
    const event = { ...created, _id: service.app.newId(), name: "user.token_deleted" };
    await tokens.revoke(unsettled.id, { userId }, new Date(), [event as never]);

    await Promise.all([removeTokensOfUser(service.app, userId), removeTokensOfUser(service.app, userId)]);

    const left = await database.raw.collection("tokens").find({}).toArray();
    assert.deepEqual(
      left.map(({ _id }) => String(_id)),
      [kept.id],
    );
    const use = await service.call("GET", "/api/user/profile", { token: settled.token });
    assert.equal(use.status, 401);
    const logged = await database.raw.collection("audit_events").find({ resourceId: unsettled.id }).toArray();
    assert.deepEqual(
      new Set(logged.map((row) => String(row["name"]))),
      new Set(["user.token_created", "user.token_deleted"]),
    );
  });
});
