import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Document } from "mongodb";
import { purgeSessions } from "../../src/auth/sessions.ts";
import { reconcileMails } from "../../workers/mail/reconcile-mails.ts";
import { assertIndexed, plansOf, insertCopies } from "../support/plans.ts";
import { setUpService } from "../support/set-up.ts";

const password = "correct horse battery";
const sessionsOfUser = 40;

const { service } = await setUpService({ reportsCommands: true });
await service.newUser();
const user = await service.newUser();
await service.settled();
await multiply();

/** Many accounts and sessions, some of them this user's. */
async function multiply(): Promise<void> {
  const users = service.app.storage.database.collection<Document>("users");
  await users.updateMany({}, { $unset: { founder: true, mailsDue: true } });
  await insertCopies(service, "users", 1000, (i) => ({
    email: `c${i}@x.org`,
    emailKey: `c${i}@x.org`,
    username: `c${i}`,
  }));
  await insertCopies(service, "sessions", 1000, (i) => ({
    userId: i % (1000 / sessionsOfUser) === 0 ? user.id : `other${i}`,
    secretHash: `hash${i}`,
    epoch: 0,
  }));
}

describe("the plans of queries of accounts", () => {
  const json = (body: object) => ({ cookie: user.cookie, body });

  it("list and end sessions by index", async () => {
    assertIndexed(
      await plansOf(service, async () => {
        const page = await service.call("GET", "/api/user/sessions?limit=5", user);
        assert.equal(page.status, 200);
        await service.call("GET", `/api/user/sessions?limit=5&cursor=${page.nextCursor}`, user);
        await service.call("DELETE", "/api/user/sessions/66aa00000000000000000001", user);
      }),
      sessionsOfUser + 2,
    );
    const ended = await plansOf(service, () =>
      service.call("DELETE", "/api/user/sessions", { cookie: user.cookie }),
    );
    assertIndexed(ended, sessionsOfUser + 2);
    assert.ok(ended.some(({ command }) => command["delete"] === "sessions"));
  });

  it("change address and password by index", async () => {
    assertIndexed(
      await plansOf(service, async () => {
        const asked = await service.call("POST", "/api/user/email", json({ email: "n@x.org", password }));
        assert.equal(asked.status, 200);
        await service.call("POST", "/api/user/email/resend", { cookie: user.cookie });
        await service.call("POST", "/api/auth/password/forgot", { body: { email: "c7@x.org" } });
      }),
      2,
    );
  });

  it("reconcile mails and expired sessions by index", async () => {
    const due = {
      id: "m",
      kind: "password-changed",
      to: "c@x.org",
      createdAt: new Date(0),
      expiresAt: new Date(0),
    };
    const users = service.app.storage.database.collection<Document>("users");
    await users.updateOne({ username: "c9" }, { $set: { mailsDue: [due] } });

    const { queue } = service.app;
    const queued: object[] = [];
    service.app.queue = { ...queue, enqueue: async (_, payload) => void queued.push(payload) };
    assertIndexed(await plansOf(service, () => reconcileMails(service.app)), 3);
    service.app.queue = queue;
    assert.equal(queued.length, 1);
    assertIndexed(await plansOf(service, () => purgeSessions(service.app)), 2);
  });

  it("find deletions to continue by index", async () => {
    assertIndexed(await plansOf(service, () => service.app.storage.users.listDeleted(new Date(), 100)), 0);
  });

  it("delete an account by index", async () => {
    assertIndexed(
      await plansOf(service, async () => {
        const deleted = await service.call("DELETE", "/api/user/account", {
          token: user.token,
          body: { password },
        });
        assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
      }),
      5,
    );
  });
});
