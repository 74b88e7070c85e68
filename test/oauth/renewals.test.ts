import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { App } from "../../src/app.ts";
import { renewTokens } from "../../src/oauth/issue-tokens.ts";
import { openSecrets } from "../../src/secrets.ts";
import { sendAccountMails } from "../../workers/mail/account.ts";
import { setUpAccount, statusesOf, type AccountsService } from "../support/accounts-app.ts";
import { takeMails } from "../support/mailbox.ts";
import { actorOf, connect, errorOf, newClient, tokensOf, type Connected } from "./fixture.ts";

const revoked = /revoked/;
const withinMs = limits.oauthRepeatedRenewalMs;

describe("the renewal of an OAuth client's tokens", () => {
  let service: AccountsService;
  let cookie: string;
  let userId: string;
  setUpAccount((made) => ({ service, cookie, userId } = made));

  const grants = () =>
    service.storage.database.raw.collection<{ _id: string; renewals?: object[]; reused?: string }>(
      "oauth_grants",
    );
  const eventsOf = async () => {
    await service.settled();
    const entries = await service.storage.auditEvents.list({ log: { userId }, from: new Date(0) }, 0, 50);
    return entries.filter(({ name }) => name.startsWith("user.grant_"));
  };
  const mailsOf = async () => {
    await sendAccountMails(service.app, { userId });
    return takeMails(service.app);
  };
  const assertRevoked = async ({ renew }: Connected, token: string) => {
    assert.equal(errorOf(await renew(token)), "invalid_grant");
    assert.equal((await eventsOf())[0]?.name, "user.grant_revoked");
  };
  /** Another process of the service: with the same database and key ring, and without the memory of the first one. */
  const otherProcess = (keys?: string): App =>
    Object.create(service.app, {
      secrets: { value: openSecrets({ keys, dataDir: service.app.config.dataDir }) },
    }) as App;

  it("gives concurrent processes of a client the same tokens, which work", async () => {
    const { tokens, renew } = await connect(service, cookie);

    const answers = await Promise.all(Array.from({ length: 8 }, () => renew(tokens.refresh_token)));

    assert.deepEqual(new Set(statusesOf(answers)), new Set([200]));
    const [first, ...others] = answers.map(tokensOf);
    for (const { access_token, refresh_token } of others)
      assert.deepEqual([access_token, refresh_token], [first!.access_token, first!.refresh_token]);
    assert.equal((await actorOf(service, first!.access_token)).userId, userId);
    const next = await renew(first!.refresh_token);
    assert.equal(next.status, 200, "the access goes on");
  });

  it("can be repeated for a minute from the first one on, also in another process", async () => {
    const { tokens, renew, clientId } = await connect(service, cookie);
    const first = tokensOf(await renew(tokens.refresh_token));
    service.advance(5000);

    const again = tokensOf(await renew(tokens.refresh_token));
    service.advance(withinMs - 10_000);
    const input = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: clientId };
    const elsewhere = await renewTokens(otherProcess(), input);

    for (const { access_token, refresh_token, expires_in } of [again, elsewhere]) {
      assert.deepEqual([access_token, refresh_token], [first.access_token, first.refresh_token]);
      assert.ok(expires_in < first.expires_in && expires_in > 3500, String(expires_in));
    }
    assert.equal((await actorOf(service, again.access_token)).userId, userId);
  });

  it("stores neither the tokens nor what they could be made from without a key", async () => {
    const { tokens, renew } = await connect(service, cookie);
    const renewed = tokensOf(await renew(tokens.refresh_token));
    await renew(tokens.refresh_token);

    const stored = JSON.stringify(await grants().find().toArray());
    for (const { access_token, refresh_token } of [tokens, renewed])
      for (const secret of [access_token.slice(5), refresh_token.slice(-87, -44), refresh_token.slice(-43)]) {
        assert.ok(!stored.includes(secret));
        assert.ok(!service.logged.some((line) => line.includes(secret)));
      }
  });

  it("leads a late process to the current tokens when those that it missed were renewed as well", async () => {
    const { tokens, renew } = await connect(service, cookie);
    let current = tokens;
    for (let round = 0; round < 3; round++) {
      service.advance(10_000);
      current = tokensOf(await renew(current.refresh_token));
    }

    const late = tokensOf(await renew(tokens.refresh_token));

    assert.deepEqual([late.access_token, late.refresh_token], [current.access_token, current.refresh_token]);
    assert.equal((await actorOf(service, late.access_token)).userId, userId);
    service.advance(withinMs - 20_000 + 1);
    await assertRevoked({ renew } as Connected, tokens.refresh_token);
  });

  it("with a replaced token revokes the access after that minute, with an audit event and a mail", async () => {
    const connected = await connect(service, cookie);
    const { tokens, renew } = connected;
    await mailsOf();
    const renewed = tokensOf(await renew(tokens.refresh_token));
    service.advance(withinMs - 1000);
    assert.equal((await renew(tokens.refresh_token)).status, 200);
    service.advance(1001);

    await assertRevoked(connected, tokens.refresh_token);

    assert.equal(errorOf(await renew(renewed.refresh_token)), "invalid_grant");
    await assert.rejects(actorOf(service, renewed.access_token), revoked);
    const [event] = await eventsOf();
    assert.equal(event?.metadata["by"], "reuse of a refresh token");
    const [mail, ...more] = await mailsOf();
    assert.deepEqual(
      [mail!.to, mail!.subject, more.length],
      ["ada@example.org", "The access of a program was revoked", 0],
    );
    assert.match(
      mail!.text,
      /program "Agent" had access[^]*refresh token was used again[^]*connect it again/,
    );
    assert.match(mail!.link, /\/settings\/applications$/);
    await renew(tokens.refresh_token);
    assert.deepEqual(await mailsOf(), [], "a grant that was revoked before is not reported again");
  });

  it("is refused to another client, which does not revoke anything", async () => {
    const { tokens, renew } = await connect(service, cookie);
    const renewed = tokensOf(await renew(tokens.refresh_token));
    const client_id = await newClient(service, "Other");

    assert.equal(errorOf(await renew(tokens.refresh_token, { client_id })), "invalid_grant");
    service.advance(withinMs + 1);
    assert.equal(errorOf(await renew(tokens.refresh_token, { client_id })), "invalid_grant");

    assert.equal((await actorOf(service, renewed.access_token)).userId, userId);
  });

  it("can be repeated while keys are rotated, and ends nothing where the key has left the ring", async () => {
    const { tokens, renew, clientId } = await connect(service, cookie);
    const renewed = tokensOf(await renew(tokens.refresh_token));
    const input = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: clientId };
    const own = readFileSync(path.join(service.app.config.dataDir, "secrets"), "utf8").trim();
    const newKey = `new:${Buffer.alloc(32, 7).toString("base64")}`;

    const repeated = await renewTokens(otherProcess(`${newKey},${own}`), input);

    assert.equal(repeated.refresh_token, renewed.refresh_token);
    await assert.rejects(renewTokens(otherProcess(newKey), input), /unknown/);
    assert.equal((await actorOf(service, renewed.access_token)).userId, userId);
  });

  it("is limited in number within a minute, and old renewals are forgotten", async () => {
    const { tokens, renew } = await connect(service, cookie);
    let { refresh_token } = tokens;
    for (let round = 0; round < limits.oauthRenewals; round++)
      refresh_token = tokensOf(await renew(refresh_token)).refresh_token;

    const limited = await renew(refresh_token);

    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get("retry-after")) > 0);
    assert.equal(
      (await renew(tokens.refresh_token)).status,
      200,
      "the first one still leads to the current tokens",
    );
    service.advance(withinMs + 1);
    assert.equal((await renew(refresh_token)).status, 200);
    const [stored] = await grants().find().toArray();
    assert.equal(stored?.renewals?.length, 1);
  });
});
