import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { purgeSessions } from "../../src/auth/sessions.ts";
import { deliverMails, deliverNotices, type Delivered } from "../support/mailbox.ts";
import { startService, type TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const password = "correct horse battery";
const client_id = "svc-cli";

let ada: TestUser;

const { service } = await setUpService();

afterEach(async () => {
  await service.settled();
  await service.empty();
});

const notices = async () => {
  await service.settled();
  return deliverNotices(service.app);
};
/** An account whose first mails have been delivered. */
async function newAda(): Promise<void> {
  ada = await service.newUser("ada");
  await notices();
}
const signIn = (cookie?: string) =>
  service.call("POST", "/api/auth/sign-in", {
    body: { email: "ada@example.com", password },
    headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0" },
    cookie,
  });
const cookies = (headers: Headers) => headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
const status = async (credentials: object) =>
  (await service.call("GET", "/api/user/profile", credentials)).status;
const open = async ({ link }: Delivered) => {
  const response = await service.raw("GET", link.slice(service.url.length));
  return { status: response.status, text: await response.text() };
};
const press = async (token: string) => {
  const response = await service.raw("POST", "/end-access", {
    bytes: Buffer.from(new URLSearchParams({ token }).toString()),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: service.url },
  });
  return { status: response.status, text: await response.text() };
};

describe("a mail about a new session, token or device", () => {
  it("reports a sign-in from an unknown browser once, and ends its session by a button", async () => {
    await newAda();
    const first = await signIn();
    const [session, device] = cookies(first.headers);
    const [mail, ...rest] = await notices();
    assert.deepEqual(rest, []);
    assert.equal(mail!.to, "ada@example.com");
    assert.equal(mail!.subject, "New sign-in to your account");
    assert.match(mail!.text, /Firefox on Linux/);

    const again = await signIn(device);
    assert.equal(again.status, 200);
    assert.deepEqual(await notices(), [], "the browser is known now");

    for (let i = 0; i < 2; i++)
      assert.match((await open(mail!)).text, /<form method="post" action="\/end-access"/);
    assert.equal(await status({ cookie: session! }), 200, "opening a link changes nothing");
    assert.equal((await press(mail!.token)).status, 200);
    assert.equal(await status({ cookie: session! }), 401);
    assert.equal(await status({ cookie: ada.cookie }), 200);
    assert.equal((await press(mail!.token)).status, 422);
  });

  it("reports a session that ended before its mail was sent, since its browser counts as known from then on", async () => {
    await newAda();
    const [session, device] = cookies((await signIn()).headers);
    await service.call("POST", "/api/auth/sign-out", { cookie: session! });

    const [mail, ...rest] = await notices();

    assert.deepEqual(rest, []);
    assert.equal(mail!.subject, "New sign-in to your account");
    assert.match(mail!.text, /It has ended since/);
    assert.equal(mail!.link, `${service.url}/forgot-password`);
    const other = cookies((await signIn(device)).headers)[0]!;
    assert.deepEqual(await notices(), []);

    await signIn();
    const ending = await service.call("DELETE", "/api/user/sessions", { cookie: other });
    assert.equal(ending.status, 200);
    assert.match((await notices())[0]!.text, /It has ended since/);
    await purgeSessions(service.app);
    assert.deepEqual(await notices(), []);
  });

  it("reports each new token, and revokes it", async () => {
    await newAda();
    const tenant = await service.newOrg(ada, "acme");
    const body = { name: "win a prize at evil.example" };
    const own = await service.call<{ token: string }>("POST", "/api/user/tokens", { ...ada, body });
    const path = `/api/tenants/${tenant.id}/tokens`;
    const shared = await service.call<{ token: string }>("POST", path, { token: ada.token, body });

    const mails = await notices();

    assert.equal(mails.length, 2);
    assert.deepEqual(
      mails.map(({ subject, to }) => [subject, to]),
      mails.map(() => ["A new API token was created", "ada@example.com"]),
    );
    for (const { text } of mails) assert.doesNotMatch(text, /evil\.example/);
    for (const mail of mails) {
      assert.ok(!mail.text.includes(own.data.token) && !mail.text.includes(shared.data.token));
      assert.equal((await press(mail.token)).status, 200);
    }
    assert.equal(await status({ token: own.data.token }), 401);
    assert.equal(await status({ token: shared.data.token }), 401);
    assert.equal(await status({ token: ada.token }), 200);
  });

  it("does not let a previous administrator end an organization's token", async () => {
    await newAda();
    const tenant = await service.newOrg(ada, "acme");
    const path = `/api/tenants/${tenant.id}/tokens`;
    const body = { name: "deploy" };
    const { data } = await service.call<{ token: string }>("POST", path, { token: ada.token, body });
    const [mail] = await notices();
    const memberships = service.app.storage.database.collection("memberships");
    await memberships.updateOne({ tenantId: tenant.id, userId: ada.id }, { $set: { role: "viewer" } });

    assert.equal((await press(mail!.token)).status, 422);
    assert.equal((await service.call("GET", "/api/tenants", { token: data.token })).status, 200);
  });

  it("reports an approved device by the name that it gave", async () => {
    await newAda();
    const fields = { client_id, hostname: "workbench" };
    const asked = await service.call("POST", "/api/auth/device/code", { body: fields });
    const { device_code, user_code } = asked.body as Record<string, string>;
    const decision = { userCode: user_code, approve: true };
    await service.call("POST", "/api/auth/device/decision", { cookie: ada.cookie, body: decision });
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const given = await service.call("POST", "/api/auth/device/token", {
      body: { grant_type, device_code, client_id },
    });

    const [mail] = await notices();

    assert.equal(mail!.subject, "A device was signed in to your account");
    assert.match(mail!.text, /svc CLI on workbench/);
    assert.equal((await press(mail!.token)).status, 200);
    assert.equal(await status({ token: given.body["access_token"] }), 401);
  });

  it("rejects a link that was forged, altered or made for another purpose", async () => {
    await newAda();
    await signIn();
    const [mail] = await notices();
    const [id, end, signature] = mail!.token.split(".") as [string, string, string];

    for (const wrong of [
      "",
      "x",
      `token-${id.split("-")[1]}.${end}.${signature}`,
      `${id}.zzzzzz.${signature}`,
    ])
      assert.equal((await press(wrong)).status, 422, wrong);
  });

  it("is limited to twenty an hour, and to five for an unconfirmed address", async () => {
    const limited = await startService({ rateLimits: true });
    const makeTokens = async (user: TestUser, count: number) => {
      const made: string[] = [];
      for (let i = 0; i < count; i++) {
        const answer = await limited.call<{ id: string }>("POST", "/api/user/tokens", {
          token: user.token,
          body: { name: `t${i}` },
        });
        if (answer.status !== 201) break;
        made.push(answer.data.id);
      }
      await limited.settled();
      return made;
    };
    try {
      const user = await limited.newUser("ada");
      await makeTokens(user, 7);
      assert.equal((await deliverNotices(limited.app)).length, 5);

      await limited.app.storage.users.markVerified(user.id, "ada@example.com", new Date());
      const made = await makeTokens(user, 25);
      for (let i = 0; i < 5; i++)
        assert.deepEqual(await makeTokens(user, 1), [], "a refused token counts nothing");
      assert.equal(made.length, 17);
      assert.equal((await deliverNotices(limited.app)).length, 17);
      const { tokens } = limited.app.storage;
      for (const id of made) await tokens.revoke(id, { userId: user.id }, new Date(), []);
      await makeTokens(user, 5);
      assert.equal((await deliverNotices(limited.app)).length, 3);
    } finally {
      await limited.close();
    }
  });
});

describe("changes of a password", () => {
  it("send five mails an hour to an address", async () => {
    const limited = await startService({ rateLimits: true });
    try {
      const { token } = await limited.newUser("ada");
      await limited.settled();
      await deliverMails(limited.app);
      const statuses: number[] = [];
      for (let i = 0; i < 6; i++) {
        const body = {
          currentPassword: i === 0 ? password : `${password} ${i}`,
          newPassword: `${password} ${i + 1}`,
        };
        statuses.push((await limited.call("POST", "/api/user/password", { token, body })).status);
        await limited.settled();
      }

      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
      assert.equal((await deliverMails(limited.app)).length, 5);
    } finally {
      await limited.close();
    }
  });
});
