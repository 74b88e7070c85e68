import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { SessionPayload } from "../../contract/payloads/accounts/accounts.ts";
import { clientOf } from "../../src/auth/user-agent.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const password = "correct horse battery";

let now = new Date("2026-05-01T12:00:00Z");
const advance = (ms: number) => (now = new Date(now.getTime() + ms));

const { service } = await setUpService({ now: () => now });

afterEach(() => service.settled());

async function signIn(user: TestUser, userAgent = firefox): Promise<string> {
  const answer = await service.call("POST", "/api/auth/sign-in", {
    body: { email: `${user.username}@example.com`, password },
    headers: { "user-agent": userAgent },
  });
  assert.equal(answer.status, 200);
  return answer.headers.getSetCookie()[0]!.split(";")[0]!;
}

const list = async (cookie: string) =>
  (await service.call<SessionPayload[]>("GET", "/api/user/sessions", { cookie })).data;
const holds = async (cookie: string) =>
  (await service.call("GET", "/api/user/profile", { cookie })).status === 200;
const eventsOf = async (user: TestUser) => {
  await service.settled();
  const rows = service.app.storage.database.collection<EventRow>("audit_events");
  return rows.find({ userId: user.id, name: "user.sessions_ended" }).toArray();
};

describe("the list of sessions", () => {
  it("shows the browser of each, and which one makes the request", async () => {
    const grace = await service.newUser("grace");
    advance(1000);
    const cookie = await signIn(grace);
    advance(120_000);

    const [newest, first, ...rest] = await list(cookie);

    assert.deepEqual(rest, []);
    assert.equal(newest!.current, true);
    assert.equal(newest!.client, "Firefox on Linux");
    assert.equal(first!.current, false);
    assert.ok(newest!.createdAt > first!.createdAt);
    assert.ok(newest!.lastSeenAt < newest!.expiresAt);
    const shown = Object.keys(newest!).sort();
    assert.deepEqual(shown, ["client", "createdAt", "current", "expiresAt", "id", "lastSeenAt"]);
    assert.ok((await list(grace.cookie)).find((session) => session.id === first!.id)!.current);
  });

  it("leaves out ended sessions and those of other accounts", async () => {
    const user = await service.newUser();
    await service.newUser();
    const cookie = await signIn(user);
    advance(15 * 86_400_000);
    const fresh = await signIn(user);

    assert.equal((await list(fresh)).length, 1);
    assert.equal(await holds(cookie), false);
  });

  it("pages without loss or duplicates", async () => {
    const user = await service.newUser();
    for (let i = 0; i < 4; i++) await signIn(user);
    const seen: string[] = [];
    let cursor: string | null | undefined = "";
    do {
      const query: string = cursor ? `&cursor=${cursor}` : "";
      const page = await service.call<SessionPayload[]>("GET", `/api/user/sessions?limit=2${query}`, user);
      seen.push(...page.data.map((session) => session.id));
      cursor = page.nextCursor;
    } while (cursor);

    assert.equal(seen.length, 5);
    assert.deepEqual(seen, [...new Set(seen)].sort().toReversed());
    const foreign = Buffer.from('["x",1]').toString("base64url");
    const refused = await service.call("GET", `/api/user/sessions?cursor=${foreign}`, user);
    assert.equal(refused.code, "invalid_request");
  });

  it("is refused to a restricted token", async () => {
    const ada = await service.newUser();
    const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: ada.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });
    const { token } = made.data;

    for (const [method, path] of [
      ["GET", "/api/user/sessions"],
      ["DELETE", "/api/user/sessions"],
      ["DELETE", "/api/user/sessions/66aa00000000000000000001"],
    ] as const)
      assert.equal((await service.call(method, path, { token })).code, "forbidden", `${method} ${path}`);
    assert.equal((await service.call("GET", "/api/user/sessions", {})).code, "unauthenticated");
    assert.equal((await service.call("GET", "/api/user/sessions", { token: ada.token })).status, 200);
  });
});

describe("ending one session", () => {
  it("takes effect with the next request, and is audited", async () => {
    const user = await service.newUser();
    const other = await signIn(user);
    const [{ id }] = (await list(other)).filter((session) => session.current) as [SessionPayload];

    const ended = await service.call("DELETE", `/api/user/sessions/${id}`, { cookie: user.cookie });

    assert.equal(ended.status, 200);
    assert.deepEqual(ended.headers.getSetCookie(), []);
    assert.equal(await holds(other), false);
    assert.equal(await holds(user.cookie), true);
    assert.deepEqual(
      (await eventsOf(user)).map(({ metadata, resourceId }) => ({ metadata, resourceId })),
      [{ metadata: { sessionId: id }, resourceId: user.id }],
    );
  });

  it("clears the cookie if it is the caller's own", async () => {
    const user = await service.newUser();
    const [{ id }] = (await list(user.cookie)) as [SessionPayload];

    const ended = await service.call("DELETE", `/api/user/sessions/${id}`, { cookie: user.cookie });

    assert.match(ended.headers.getSetCookie()[0]!, /^svc_session=;.*Max-Age=0/);
    assert.equal(await holds(user.cookie), false);
  });

  it("returns the same for another account's session, an ended one and an unknown one", async () => {
    const user = await service.newUser();
    const other = await signIn(user);
    const ada = await service.newUser();
    const [own] = (await list(other)).filter((session) => session.current);
    const [foreign] = await list(ada.cookie);
    await service.call("DELETE", `/api/user/sessions/${own!.id}`, { cookie: user.cookie });

    for (const id of [foreign!.id, own!.id, "66aa00000000000000000001", "none", "%00"]) {
      const answer = await service.call("DELETE", `/api/user/sessions/${id}`, { cookie: user.cookie });
      assert.equal(answer.code, "not_found", id);
      assert.equal(answer.details?.["kind"], "session");
    }
    assert.equal(await holds(ada.cookie), true);
    assert.equal((await eventsOf(user)).length, 1);
  });

  it("is audited once when it is requested many times at once", async () => {
    const user = await service.newUser();
    const other = await signIn(user);
    const [{ id }] = (await list(other)).filter((session) => session.current) as [SessionPayload];

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call("DELETE", `/api/user/sessions/${id}`, user)),
    );

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 404).length, 19);
    assert.equal((await eventsOf(user)).length, 1);
  });

  it("is not undone by a concurrent use, and the row is removed once its event is in the log", async () => {
    const user = await service.newUser();
    const { storage } = service.app;
    const other = await signIn(user);
    const [{ id }] = (await list(other)).filter((session) => session.current) as [SessionPayload];
    await service.call("DELETE", `/api/user/sessions/${id}`, user);

    await storage.sessions.touch(id, advance(1000), new Date(now.getTime() + 86_400_000));
    assert.equal(await holds(other), false);

    const rows = storage.database.collection<{ _id: string; pendingSince?: Date; notice?: object }>(
      "sessions",
    );
    await service.settled();
    assert.equal((await rows.findOne({ _id: id }))!.pendingSince, undefined);
    await purge(service.app);
    // A row is kept until its mail is sent.
    assert.equal(await rows.findOne({ _id: id, notice: { $exists: false } }), null);
  });

  it("is logged by the reconcile job if the process crashed before it", async () => {
    const user = await service.newUser();
    const [{ id }] = (await list(user.cookie)) as [SessionPayload];
    const { storage } = service.app;
    const { background } = service.app;
    service.app.background = () => undefined;
    await service.call("DELETE", `/api/user/sessions/${id}`, user);
    service.app.background = background;
    assert.equal((await eventsOf(user)).length, 0);
    advance(60_000);
    await purge(service.app);
    assert.equal(
      await storage.database.collection<{ _id: string }>("sessions").countDocuments({ _id: id }),
      1,
    );

    await reconcile(service.app);

    assert.equal((await eventsOf(user)).length, 1);
    await purge(service.app);
    assert.equal(
      await storage.database.collection<{ _id: string }>("sessions").countDocuments({ _id: id }),
      0,
    );
  });
});

describe("ending all other sessions", () => {
  it("keeps the caller's, and new ones can be started", async () => {
    const user = await service.newUser();
    const others = [await signIn(user), await signIn(user)];

    const answer = await service.call("DELETE", "/api/user/sessions", { cookie: user.cookie });

    assert.equal(answer.status, 200);
    for (const cookie of others) assert.equal(await holds(cookie), false);
    assert.equal(await holds(user.cookie), true);
    assert.equal((await list(user.cookie)).length, 1);
    const fresh = await signIn(user);
    assert.equal(await holds(fresh), true);
    assert.equal((await list(fresh)).length, 2);
    assert.deepEqual(
      (await eventsOf(user)).map(({ metadata }) => metadata),
      [{ all: true }],
    );
  });

  it("keeps only that of the last caller", async () => {
    const user = await service.newUser();
    await service.call("DELETE", "/api/user/sessions", { cookie: user.cookie });
    const second = await signIn(user);

    await service.call("DELETE", "/api/user/sessions", { cookie: second });

    assert.equal(await holds(user.cookie), false);
    assert.equal(await holds(second), true);
  });

  it("by a token ends all of them, and the token keeps working", async () => {
    const user = await service.newUser();
    const other = await signIn(user);

    await service.call("DELETE", "/api/user/sessions", { token: user.token });

    assert.equal(await holds(user.cookie), false);
    assert.equal(await holds(other), false);
    assert.equal((await service.call("GET", "/api/user/profile", { token: user.token })).status, 200);
  });

  it("removes rows whose mail is sent, and never those of other accounts", async () => {
    const ada = await service.newUser();
    const user = await service.newUser();
    const mailSent = await signIn(user);
    const { id } = (await list(mailSent)).find((session) => session.current)!;
    await service.app.storage.sessions.removeNotice(id);
    await signIn(user);
    const waiting = (await list(user.cookie)).map((session) => session.id).filter((other) => other !== id);
    const rows = service.app.storage.database.collection<{ _id: string; userId: string }>("sessions");
    const kept = await rows.countDocuments({ userId: ada.id });

    await service.call("DELETE", "/api/user/sessions", { cookie: user.cookie });
    await service.settled();

    const left = await rows.find({ userId: user.id }).toArray();
    assert.equal(waiting.length, 2);
    assert.deepEqual(left.map(({ _id }) => _id).sort(), waiting.sort());
    assert.equal(await rows.countDocuments({ userId: ada.id }), kept);
  });

  it("leaves one when twenty browsers do it at once", async () => {
    const user = await service.newUser();
    const cookies = await Promise.all(Array.from({ length: 20 }, () => signIn(user)));

    const answers = await Promise.all(
      cookies.map((cookie) => service.call("DELETE", "/api/user/sessions", { cookie })),
    );

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ code }) => code === "unauthenticated").length, 19);
    const left = await Promise.all(cookies.map(holds));
    assert.equal(left.filter(Boolean).length, 1);
    assert.equal((await eventsOf(user)).length, 1);
  });

  it("ends a concurrent sign-in that has checked the password but not created its session yet", async () => {
    const user = await service.newUser();
    const { sessions } = service.app.storage;
    const { insert } = sessions;
    sessions.insert = async (session) => {
      sessions.insert = insert;
      await service.call("DELETE", "/api/user/sessions", { cookie: user.cookie });
      await insert(session);
    };

    const cookie = await signIn(user);

    assert.equal(await holds(cookie), false);
    assert.equal(await holds(user.cookie), true);
    assert.equal((await list(user.cookie)).length, 1);
  });
});

describe("the browser of a session", () => {
  for (const [userAgent, shown] of [
    [firefox, "Firefox on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
      "Safari on iOS",
    ],
    [
      "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36",
      "Chrome on Android",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 OPR/111.0",
      "Opera on macOS",
    ],
    ["curl/8.5.0", undefined],
    ["", undefined],
    ["<script>alert(1)</script> Windows", "Windows"],
  ] as const)
    it(`is ${shown ?? "nothing"} of ${userAgent.slice(0, 40)}`, () => {
      assert.equal(clientOf(userAgent), shown);
    });
});
