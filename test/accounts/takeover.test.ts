import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { finishEndingTokens } from "../../src/accounts/end-tokens.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { deliverMails } from "../support/mailbox.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const newPassword = "a staple that is new";

let ada: TestUser;
const { service, clock } = await setUpService({
  stoppedAt: new Date("2026-05-01T12:00:00Z"),
  isEmptied: true,
});
const { advance, now } = clock;

const mails = async () => {
  await service.settled();
  return deliverMails(service.app);
};
async function link(): Promise<string> {
  await service.call("POST", "/api/auth/password/forgot", { body: { email: "ada@example.com" } });
  return (await mails()).find(({ subject }) => subject === "Choose a new password")!.token;
}
const reset = (token: string, more: object = {}) =>
  service.call("POST", "/api/auth/password/reset", { body: { token, password: newPassword, ...more } });
const signIn = (given: string) =>
  service.call("POST", "/api/auth/sign-in", { body: { email: "ada@example.com", password: given } });
const profileBy = (token: string) => service.call("GET", "/api/user/profile", { token });
async function newOrganizationToken(tenantId: string): Promise<string> {
  const made = await service.call<{ token: string }>("POST", `/api/tenants/${tenantId}/tokens`, {
    cookie: ada.cookie,
    body: { name: "ci" },
  });
  return made.data.token;
}
async function newPolicy(tenantId: string): Promise<string> {
  const pipeline = { provider: "github", repository: "acme/skills", ref: "refs/heads/main" };
  const made = await service.call<{ id: string }>("POST", `/api/tenants/${tenantId}/oidc-policies`, {
    cookie: ada.cookie,
    body: { name: "ci", ...pipeline },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data.id;
}

describe("an account that another person created with the owner's address", () => {
  const client_id = "svc-cli";
  const poll = (device_code: string) =>
    service.call("POST", "/api/auth/device/token", {
      body: { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code, client_id },
    });
  async function approvedCode(cookie: string): Promise<string> {
    const asked = await service.call("POST", "/api/auth/device/code", { body: { client_id } });
    const { device_code, user_code } = asked.body as Record<string, string>;
    const decided = await service.call("POST", "/api/auth/device/decision", {
      cookie,
      body: { userCode: user_code, approve: true },
    });
    assert.equal(decided.status, 200);
    return device_code!;
  }

  it("belongs to the owner alone after the reset: sessions, tokens, trust policies and device approvals end", async () => {
    ada = await service.newUser("ada");
    await mails();
    const tenant = await service.newOrg(ada, "acme");
    const organizationToken = await newOrganizationToken(tenant.id);
    const policy = await newPolicy(tenant.id);
    const deviceCode = await approvedCode(ada.cookie);
    const token = await link();

    assert.equal((await reset(token)).status, 200);

    assert.equal((await service.call("GET", "/api/user/profile", { cookie: ada.cookie })).status, 401);
    assert.equal((await profileBy(ada.token)).code, "unauthenticated");
    assert.equal((await poll(deviceCode)).body["error"], "invalid_grant");
    await service.settled();
    assert.equal(
      (await service.call("GET", "/api/tenants", { token: organizationToken })).code,
      "unauthenticated",
    );
    const { oidcPolicies } = service.app.storage;
    const { enabled, epoch } = (await oidcPolicies.find(tenant.id, policy))!;
    assert.deepEqual({ enabled, epoch }, { enabled: false, epoch: 1 });
    assert.equal((await signIn(newPassword)).data["emailVerified"], true);
  });

  it("gives no token to a request that was authenticated before the reset", async () => {
    ada = await service.newUser("ada");
    await mails();
    const token = await link();
    const { tokens } = service.app.storage;
    const { insert } = tokens;
    let whileMinting: (() => Promise<unknown>) | undefined = () => reset(token);
    tokens.insert = async (record) => {
      const act = whileMinting;
      whileMinting = undefined;
      await act?.();
      return insert(record);
    };
    let late: string;
    try {
      const minted = await service.call<{ token: string }>("POST", "/api/user/tokens", {
        token: ada.token,
        body: { name: "late" },
      });
      late = minted.data.token;
    } finally {
      tokens.insert = insert;
    }

    assert.equal((await profileBy(late)).code, "unauthenticated");
    advance(61_000);
    await finishEndingTokens(service.app);
    assert.equal(await tokens.listOfEarlierEpochs(ada.id, 1, 10).then((rows) => rows.length), 0);
    assert.deepEqual(await service.app.storage.users.listTokensEnding(now(), 10), []);
  });

  it("has its tokens revoked by the reconcile job if the process crashed after the reset", async () => {
    ada = await service.newUser("ada");
    await mails();
    const token = await link();
    const { background } = service.app;
    service.app.background = () => undefined;
    try {
      assert.equal((await reset(token)).status, 200);
    } finally {
      service.app.background = background;
    }
    assert.equal((await service.app.storage.tokens.listOfEarlierEpochs(ada.id, 1, 10)).length, 1);

    advance(61_000);
    await finishEndingTokens(service.app);

    assert.equal((await service.app.storage.tokens.listOfEarlierEpochs(ada.id, 1, 10)).length, 0);
  });

  it("approves no device once the sessions have ended, and does so again in a new one", async () => {
    ada = await service.newUser("ada");
    const first = await approvedCode(ada.cookie);
    await service.call("DELETE", "/api/user/sessions", { cookie: ada.cookie });

    assert.equal((await poll(first)).body["error"], "invalid_grant");
    const second = await approvedCode(ada.cookie);
    assert.equal((await poll(second)).status, 200);
  });
});

describe("a reset", () => {
  it("ends the account's API tokens on request, and frees their slots", async () => {
    ada = await service.newUser("ada");
    const [confirmation] = await mails();
    const body = { token: confirmation!.token };
    await service.call("POST", "/api/user/email/confirm", { cookie: ada.cookie, body });
    const token = await link();
    const tenant = await service.newOrg(ada, "acme");
    const organizationToken = await newOrganizationToken(tenant.id);

    await reset(token, { endTokens: true });

    assert.equal((await profileBy(ada.token)).code, "unauthenticated");
    assert.equal((await service.call("GET", "/api/tenants", { token: organizationToken })).status, 200);
    const signedIn = await signIn(newPassword);
    assert.equal(signedIn.data["emailVerified"], true);
    await service.settled();
    const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
    const left = await service.call<unknown[]>("GET", "/api/user/tokens", { cookie });
    assert.deepEqual(left.data, []);
    assert.match((await mails())[0]!.text, /API tokens of the account were ended/);
    const rows = service.app.storage.database.collection<EventRow>("audit_events");
    assert.equal(await rows.countDocuments({ userId: ada.id, name: "user.token_deleted" }), 1);
  });
});
