import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const dayMs = 24 * 3_600_000;
const client_id = "svc-cli";
const machine = "a".repeat(64);

let now = new Date("2026-05-01T12:00:00Z");
const advance = (days: number) => (now = new Date(now.getTime() + days * dayMs));

const { service } = await setUpService({ now: () => now });
await service.newUser();
const ada = await service.newUser("ada");
const org = await service.newOrg(ada, "acme");

type Listed = { id: string; name: string; expiresAt?: string; isLogin?: true }[];

/** In a new session, since tests move the clock beyond the end of others. */
async function freshSession(user: TestUser): Promise<string> {
  const body = { email: `${user.username}@example.com`, password: "correct horse battery" };
  const answer = await service.call("POST", "/api/auth/sign-in", { body });
  return answer.headers.getSetCookie()[0]!.split(";")[0]!;
}
async function login(user: TestUser, fields: object = {}): Promise<string> {
  const asked = await service.call("POST", "/api/auth/device/code", { body: { client_id, ...fields } });
  const { device_code, user_code } = asked.body as Record<string, string>;
  const cookie = await freshSession(user);
  await service.call("POST", "/api/auth/device/decision", {
    cookie,
    body: { userCode: user_code, approve: true },
  });
  advance(0.0001);
  const answer = await service.call("POST", "/api/auth/device/token", {
    body: { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code, client_id },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body["access_token"] as string;
}
const create = (credentials: object, body: object = {}) =>
  service.call<{ id: string; token: string }>("POST", "/api/user/tokens", {
    ...credentials,
    body: { name: "made", ...body },
  });
const createForOrg = (credentials: object, body: object = {}) =>
  service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
    ...credentials,
    body: { name: "made", ...body },
  });
const isValid = async (token: string) => {
  const answer = await service.call("GET", "/api/user/profile", { token });
  await service.settled();
  return answer.status === 200;
};
/** A token makes another one only after its holder has confirmed who they are. */
async function confirm(token: string): Promise<void> {
  const body = { password: "correct horse battery" };
  const answer = await service.call("POST", "/api/auth/reauthenticate", { token, body });
  assert.equal(answer.status, 200, answer.error);
}
const listed = async (user: TestUser) =>
  (await service.call<Listed>("GET", "/api/user/tokens", { cookie: await freshSession(user) })).data;

describe("the login of a device", () => {
  it("ends 90 days after its last use", async () => {
    const token = await login(ada);
    const [made] = await listed(ada);
    assert.equal(made!.isLogin, true);
    assert.equal(Math.round((Date.parse(made!.expiresAt!) - now.getTime()) / dayMs), 90);

    advance(89);
    assert.ok(await isValid(token));
    advance(89);
    assert.ok(await isValid(token));
    advance(91);
    assert.ok(!(await isValid(token)));
    assert.ok(!(await isValid(token)), "an expired login is not renewed by trying");
  });

  it("is extended as often as its use is recorded", async () => {
    const token = await login(ada);
    await isValid(token);
    const { tokens } = service.app.storage;
    const { touch } = tokens;
    let writes = 0;
    tokens.touch = (...args) => {
      writes++;
      return touch(...args);
    };
    try {
      for (let i = 0; i < 5; i++) await isValid(token);
      assert.equal(writes, 0);
      advance(0.001);
      await isValid(token);
      assert.equal(writes, 1);
    } finally {
      tokens.touch = touch;
    }
  });

  it("replaces the earlier login of the same machine and account, and nothing else", async () => {
    const bob = await service.newUser("bob");
    const [old, othersSameMachine, otherMachine, withoutMachine] = [
      await login(ada, { machine }),
      await login(bob, { machine }),
      await login(ada, { machine: "b".repeat(64) }),
      await login(ada, { machine: "not a hash" }),
    ];

    const fresh = await login(ada, { machine });

    assert.equal(await isValid(old), false);
    for (const token of [fresh, othersSameMachine, otherMachine, withoutMachine])
      assert.equal(await isValid(token), true);
  });

  it("takes one of the 25 tokens however often a machine logs in", async () => {
    const eve = await service.newUser("eve");
    for (let i = 0; i < 27; i++) await login(eve, { machine });

    assert.deepEqual(
      (await listed(eve)).map(({ isLogin }) => isLogin),
      [true, undefined],
    );
  });
});

describe("DELETE /api/user/tokens/current", () => {
  it("revokes the calling token, also one without any scope", async () => {
    const cookie = await freshSession(ada);
    const narrow = (await create({ cookie }, { scopes: {} })).data.token;
    const end = (credentials: object) => service.call("DELETE", "/api/user/tokens/current", credentials);

    assert.equal((await end({ token: narrow })).status, 200);
    assert.equal((await end({ token: narrow })).code, "unauthenticated");
    assert.equal((await end({ cookie })).code, "refused");
    assert.equal((await end({})).code, "unauthenticated");
    const ofOrg = (await createForOrg({ cookie })).data.token;
    assert.equal((await end({ token: ofOrg })).code, "forbidden");
  });
});

describe("a restricted token", () => {
  it("can't create tokens of any kind", async () => {
    const cookie = await freshSession(ada);
    const path = `/api/tenants/${org.id}/folders`;
    await service.call("POST", path, { cookie, body: { path: "Docs" } });
    const [folder] = (await service.call<{ id: string }[]>("GET", path, { cookie })).data;
    for (const limits of [
      { scopes: {} },
      { scopes: { skill: ["read", "create", "update", "delete"] } },
      { allowedFolderIds: [folder!.id] },
    ]) {
      const made = await create({ cookie }, limits);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { token } = made.data;
      assert.equal((await create({ token })).code, "forbidden", JSON.stringify(limits));
      assert.equal((await createForOrg({ token })).code, "forbidden", JSON.stringify(limits));
    }
  });
});

describe("an organization's maximum lifetime of tokens", () => {
  const setMaximum = async (maxTokenDays: number | null) =>
    service.call<{ maxTokenDays: number | null }>("PATCH", `/api/tenants/${org.id}`, {
      cookie: await freshSession(ada),
      body: { maxTokenDays },
    });
  const reaches = async (token: string) => {
    const answer = await service.call("GET", `/api/tenants/${org.id}`, { token });
    return answer.status === 200 ? "yes" : answer.code;
  };

  it("causes a new token that would exceed it to be rejected", async () => {
    assert.equal((await setMaximum(30)).data.maxTokenDays, 30);
    const cookie = await freshSession(ada);

    for (const body of [{}, { expiresInDays: 31 }]) {
      const refused = await createForOrg({ cookie }, body);
      assert.equal(refused.code, "refused");
      assert.match(refused.error!, /"expiresInDays" to 30/);
    }
    assert.equal((await createForOrg({ cookie }, { expiresInDays: 30 })).status, 201);
    const folders = await service.call<{ id: string }[]>("GET", `/api/tenants/${org.id}/folders`, { cookie });
    const allowedFolderIds = [folders.data[0]!.id];
    assert.equal((await create({ cookie }, { allowedFolderIds })).code, "refused");
    assert.equal((await create({ cookie }, { allowedFolderIds, expiresInDays: 7 })).status, 201);
    assert.equal((await create({ cookie })).status, 201, "a token of one's own acts elsewhere too");
  });

  it("ends the access of older tokens to the organization, and only there", async () => {
    await setMaximum(null);
    const cookie = await freshSession(ada);
    const elsewhere = await service.newOrg(ada);
    const own = (await create({ cookie })).data.token;
    const ofOrg = (await createForOrg({ cookie })).data.token;
    const machineLogin = await login(ada);
    advance(20);
    await confirm(own);
    const successor = (await create({ token: own })).data.token;
    advance(10);
    for (const token of [own, ofOrg, machineLogin, successor]) assert.equal(await reaches(token), "yes");

    await setMaximum(30);

    for (const token of [own, machineLogin, successor]) {
      assert.equal(await reaches(token), "forbidden");
      assert.equal(await isValid(token), true);
      assert.equal((await service.call("GET", `/api/tenants/${elsewhere.id}`, { token })).status, 200);
      const tenants = await service.call<{ id: string }[]>("GET", "/api/tenants", { token });
      assert.ok(!tenants.data.some(({ id }) => id === org.id));
    }
    const refused = await service.call("GET", `/api/tenants/${org.id}`, { token: own });
    assert.match(refused.error!, /"acme" accepts API tokens up to an age of 30 days/);
    assert.equal(await reaches(ofOrg), "unauthenticated");
    assert.equal(await reaches(await login(ada)), "yes");
    await setMaximum(null);
    assert.equal(await reaches(own), "yes");
  });

  it("is set by those who manage the organization's security, to whole days or none", async () => {
    for (const wrong of [0, -1, 1.5, 3651, "30"])
      assert.equal((await setMaximum(wrong as number)).code, "invalid_request");
    const stranger = await service.newUser();
    const foreign = await service.call("PATCH", `/api/tenants/${org.id}`, {
      token: stranger.token,
      body: { maxTokenDays: 1 },
    });
    assert.equal(foreign.code, "not_found");
  });
});
