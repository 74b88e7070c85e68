import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  DeviceCodePayload,
  DeviceTokenPayload,
  PendingDevicePayload,
} from "../../contract/payloads/accounts/devices.ts";
import { deviceGrantType, purgeDeviceCodes } from "../../src/auth/device/device.ts";
import { readUserCode } from "../../src/auth/device/user-code.ts";
import {
  createToken,
  signUp,
  startAccounts,
  statusesOf,
  type AccountsService,
  type Answer,
  setUpAccount,
} from "../support/accounts-app.ts";

const minuteMs = 60_000;
const client_id = "svc-cli";

/** Asserts that a response is an error by the standard, and returns its code. */
function errorOf(answer: Answer): string {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(new Set(Object.keys(answer.body)), new Set(["error", "error_description"]));
  return answer.body.error!;
}

describe("device sign-in", () => {
  let service: AccountsService;
  let cookie: string;
  let userId: string;
  setUpAccount((made) => ({ service, cookie, userId } = made));

  async function start(fields: Record<string, string> = {}): Promise<DeviceCodePayload> {
    const answer = await service.call("POST", "/api/auth/device/code", {
      urlencoded: { client_id, ...fields },
    });
    assert.equal(answer.status, 200, answer.text);
    return DeviceCodePayload.strict().parse(answer.body);
  }
  const poll = (device_code: string) =>
    service.call("POST", "/api/auth/device/token", {
      urlencoded: { grant_type: deviceGrantType, device_code, client_id },
    });
  const decide = (userCode: string, approve: boolean, by = cookie) =>
    service.call("POST", "/api/auth/device/decision", { cookie: by, json: { userCode, approve } });
  const stored = () => service.storage.database.raw.collection("device_codes").findOne({});
  const ownEvents = async () => {
    await service.settled();
    const ofAllTime = { log: { userId }, from: new Date(0) };
    const entries = await service.storage.auditEvents.list(ofAllTime, 0, 50);
    return entries.map(({ name }) => name).sort();
  };

  it("issues codes by the standard, without an envelope", async () => {
    const code = await start();

    assert.match(code.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.equal(code.verification_uri, `${service.url}/device`);
    assert.equal(code.verification_uri_complete, `${service.url}/device?user_code=${code.user_code}`);
    assert.equal(code.expires_in, 600);
    assert.equal(code.interval, 5);
  });

  it("exchanges an approved code for a working token that is named after its machine", async () => {
    const code = await start({ hostname: "workbench" });
    assert.equal(errorOf(await poll(code.device_code)), "authorization_pending");

    const decision = await decide(code.user_code, true);
    const answer = await poll(code.device_code);

    assert.deepEqual(decision.body, { success: true, data: { approved: true } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const { access_token: token, token_type } = DeviceTokenPayload.strict().parse(answer.body);
    assert.equal(token_type, "Bearer");
    const profile = await service.call("GET", "/api/user/profile", { token });
    assert.equal(profile.body.data.id, userId);
    const [listed] = await service.storage.tokens.list({ userId }, undefined, 10);
    assert.equal(listed?.name, "svc CLI on workbench");
    assert.deepEqual(await ownEvents(), ["user.cli_login", "user.token_created"]);
  });

  it("accepts JSON as well as forms, and ignores unknown parameters", async () => {
    const asked = await service.call("POST", "/api/auth/device/code", {
      json: { client_id, scope: "all", future: { x: 1 } },
    });
    const code = DeviceCodePayload.parse(asked.body);
    await decide(code.user_code, true);

    const answer = await service.call("POST", "/api/auth/device/token", {
      json: { grant_type: deviceGrantType, device_code: code.device_code, client_id, scope: "all" },
    });

    assert.equal(answer.status, 200);
  });

  it("compares user codes without case, dashes and spaces", async () => {
    const variants = [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replace("-", ""),
      (code: string) => ` ${code.replace("-", " ")} `,
      (code: string) => code.replace("-", "–"),
    ];
    for (const write of variants) {
      const { user_code } = await start();
      assert.equal((await decide(write(user_code), true)).status, 200, write(user_code));
    }
    for (const junk of ["", "BBBB", "BBBB-BBBA", "BBBB-BBBBB", "ＢＢＢＢ-BBBB"]) {
      assert.equal(readUserCode(junk), undefined, junk);
    }
  });

  it("is denied permanently", async () => {
    const code = await start();

    await decide(code.user_code, false);

    assert.equal(errorOf(await poll(code.device_code)), "access_denied");
    assert.equal((await decide(code.user_code, true)).status, 404);
    assert.equal(errorOf(await poll(code.device_code)), "access_denied");
    assert.deepEqual(await service.storage.tokens.list({ userId }, undefined, 10), []);
  });

  it("is decided once, however many decisions arrive at once", async () => {
    const code = await start();
    const bob = await signUp(service, "bob");

    const answers = await Promise.all([
      decide(code.user_code, true),
      decide(code.user_code, false),
      decide(code.user_code, true, bob.cookie),
    ]);

    assert.deepEqual(statusesOf(answers), [200, 404, 404]);
  });

  it("gives one token to one of many concurrent polls, and reports the code as used afterwards", async () => {
    const code = await start();
    await decide(code.user_code, true);

    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(code.device_code)));

    const given = answers.filter(({ status }) => status === 200);
    assert.equal(given.length, 1);
    for (const answer of answers) if (answer.status !== 200) assert.equal(errorOf(answer), "expired_token");
    const late = await poll(code.device_code);
    assert.equal(errorOf(late), "expired_token");
    assert.match(late.body.error_description!, /used/);
    assert.equal((await service.storage.tokens.list({ userId }, undefined, 10)).length, 1);
    assert.deepEqual(await ownEvents(), ["user.cli_login", "user.token_created"]);
  });

  it("reports a code as used if its token exists, though the process crashed before marking it", async () => {
    const code = await start();
    await decide(code.user_code, true);
    await poll(code.device_code);
    await service.settled();
    const codes = service.storage.database.raw.collection("device_codes");
    await codes.updateOne({}, { $set: { state: "approved" } });

    assert.equal(errorOf(await poll(code.device_code)), "expired_token");
    assert.equal((await service.storage.tokens.list({ userId }, undefined, 10)).length, 1);
  });

  it("expires after 10 minutes, decided or not", async () => {
    const [pending, approved] = [await start(), await start()];
    await decide(approved.user_code, true);
    service.advance(10 * minuteMs);

    const answer = await poll(pending.device_code);

    assert.equal(errorOf(answer), "expired_token");
    assert.match(answer.body.error_description!, /expired/);
    assert.equal(errorOf(await poll(approved.device_code)), "expired_token");
    assert.equal((await decide(pending.user_code, true)).status, 404);
    assert.deepEqual(await service.storage.tokens.list({ userId }, undefined, 10), []);
  });

  it("slows down a client that polls too fast, by 5 s each time", async () => {
    const { device_code } = await start();
    const at = async (ms: number) => {
      service.advance(ms);
      return errorOf(await poll(device_code));
    };

    assert.equal(await at(0), "authorization_pending");
    assert.equal(await at(5000), "authorization_pending");
    assert.equal(await at(1000), "slow_down");
    assert.equal(await at(6000), "slow_down");
    assert.equal((await stored())?.["intervalSeconds"], 15);
    assert.equal(await at(15_000), "authorization_pending");
    assert.equal(await at(10_000), "slow_down");
  });

  it("slows down concurrent polls of a client, but never delays an approved token", async () => {
    const code = await start();

    const errors = (await Promise.all([poll(code.device_code), poll(code.device_code)])).map(errorOf);

    assert.deepEqual(new Set(errors), new Set(["authorization_pending", "slow_down"]));
    await decide(code.user_code, true);
    assert.equal((await poll(code.device_code)).status, 200);
  });

  it("returns the errors of the standard", async () => {
    const { device_code } = await start();
    const token = "/api/auth/device/token";
    const grant_type = deviceGrantType;
    const cases: [string, Record<string, unknown>, string][] = [
      ["/api/auth/device/code", {}, "invalid_request"],
      ["/api/auth/device/code", { client_id: 5 }, "invalid_request"],
      ["/api/auth/device/code", { client_id: "other" }, "invalid_client"],
      [token, { client_id, device_code }, "invalid_request"],
      [token, { client_id, device_code, grant_type: "password" }, "unsupported_grant_type"],
      [token, { client_id, grant_type }, "invalid_request"],
      [token, { device_code, grant_type }, "invalid_request"],
      [token, { client_id: "other", device_code, grant_type }, "invalid_client"],
      [token, { client_id, device_code: "unknown", grant_type }, "invalid_grant"],
      [token, { client_id, device_code: { $ne: null }, grant_type }, "invalid_request"],
    ];
    for (const [path, json, error] of cases) {
      assert.equal(errorOf(await service.call("POST", path, { json })), error, JSON.stringify(json));
    }
    const text = await service.call("POST", token, { raw: { type: "text/plain", body: "x" } });
    assert.equal(text.status, 415);
  });

  it("reports the token limit, and continues once there is room", async () => {
    const made = await Promise.all(Array.from({ length: 25 }, () => createToken(service, cookie)));
    const code = await start();
    await decide(code.user_code, true);

    const full = await poll(code.device_code);
    assert.equal(errorOf(full), "limit_reached");
    assert.match(full.body.error_description!, /25 API tokens/);
    await service.call("DELETE", `/api/user/tokens/${made[0]!.id}`, { cookie });

    assert.equal((await poll(code.device_code)).status, 200);
  });

  it("reports a code as used if its token took the last slot", async () => {
    await Promise.all(Array.from({ length: 24 }, () => createToken(service, cookie)));
    const code = await start();
    await decide(code.user_code, true);

    const answers = await Promise.all(Array.from({ length: 4 }, () => poll(code.device_code)));

    const errors = answers.filter(({ status }) => status !== 200).map(errorOf);
    assert.deepEqual(errors, Array(3).fill("expired_token"));
  });

  it("shows the program, the machine and what it would get before the decision, in a session only", async () => {
    const code = await start({ hostname: "workbench" });
    const { token } = await createToken(service, cookie);
    const read = (by: object, userCode = code.user_code) =>
      service.call("GET", `/api/auth/device?user_code=${encodeURIComponent(userCode)}`, by);

    const shown = await read({ cookie }, code.user_code.toLowerCase());

    const { requestedAt, expiresAt, ...rest } = PendingDevicePayload.strict().parse(shown.body.data);
    assert.deepEqual(rest, {
      userCode: code.user_code,
      client: "svc CLI",
      machine: "workbench",
      network: "127.0.0.1",
      grants: { kind: "personal_token", access: "full", idleDays: 90 },
    });
    assert.equal(Date.parse(expiresAt) - Date.parse(requestedAt), 10 * minuteMs);
    assert.deepEqual(
      statusesOf([await read({}), await read({ token }), await read({ cookie }, "X")]),
      [401, 403, 404],
    );
    await decide(code.user_code, false);
    assert.equal((await read({ cookie })).status, 404);
  });

  it("can be approved in a browser session only", async () => {
    const { user_code: userCode } = await start();
    const { token } = await createToken(service, cookie);
    const json = { userCode, approve: true };

    const byToken = await service.call("POST", "/api/auth/device/decision", { token, json });
    const byAnonymous = await service.call("POST", "/api/auth/device/decision", { json });
    const foreign = await service.call("POST", "/api/auth/device/decision", {
      cookie,
      json,
      headers: { origin: "https://evil.example" },
    });
    const wrong = [
      { userCode },
      { userCode, approve: "yes" },
      { userCode: 5, approve: true },
      { ...json, x: 1 },
    ];

    assert.deepEqual([byToken.status, byAnonymous.status, foreign.status], [403, 401, 403]);
    for (const fields of wrong) {
      const answer = await service.call("POST", "/api/auth/device/decision", { cookie, json: fields });
      assert.equal(answer.status, 400, JSON.stringify(fields));
    }
    assert.equal((await stored())?.["state"], "pending");
  });

  it("stores neither device code nor address in plain text, and the address no longer than needed", async () => {
    const code = await start();
    const asked = await stored();
    assert.ok(!JSON.stringify(asked).includes(code.device_code));
    assert.ok(!JSON.stringify(asked).includes("127.0.0.1"));
    assert.equal(service.app.secrets.open(String(asked!["sealedAddress"]), String(asked!._id)), "127.0.0.1");

    await decide(code.user_code, false);

    assert.equal((await stored())!["sealedAddress"], undefined);
    assert.ok(!JSON.stringify(service.logged).includes(code.device_code));
  });

  it("purges the addresses of expired codes at once, and the codes a day later", async () => {
    await start();
    service.advance(9 * minuteMs);
    await purgeDeviceCodes(service.app);
    assert.ok((await stored())!["sealedAddress"]);

    service.advance(minuteMs);
    assert.equal(await purgeDeviceCodes(service.app), 0);
    assert.equal((await stored())!["sealedAddress"], undefined);
    service.advance(24 * 60 * minuteMs);
    assert.equal(await purgeDeviceCodes(service.app), 1);
    assert.equal(await stored(), null);
  });

  it("reduces a hostile machine name to one harmless line", async () => {
    const code = await start({ hostname: ` evil\u202E\n\u0000host${"x".repeat(200)} ` });
    await decide(code.user_code, true);
    await poll(code.device_code);

    const [listed] = await service.storage.tokens.list({ userId }, undefined, 1);
    assert.equal(listed?.name, `svc CLI on evilhost${"x".repeat(56)}`);
  });
});

describe("guessing user codes", () => {
  it("is limited per account", async () => {
    const service = await startAccounts({ rateLimits: true });
    try {
      await service.clear();
      const { cookie } = await signUp(service, "ada");
      const guess = () =>
        service.call("POST", "/api/auth/device/decision", {
          cookie,
          json: { userCode: "BBBB-BBBB", approve: true },
        });

      const statuses: number[] = [];
      for (let i = 0; i < 21; i++) statuses.push((await guess()).status);

      assert.deepEqual(statuses, [...Array<number>(20).fill(404), 429]);
      const page = await service.call("GET", "/device?user_code=BBBB-BBBB", { cookie });
      assert.equal(page.status, 429);
    } finally {
      await service.close();
    }
  });
});
