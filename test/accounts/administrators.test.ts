/** The right to administer the service, and the sign-up mode: both are changed by administrators while it runs. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type {
  AdminUserPayload,
  ServiceSettingsPayload,
} from "../../contract/payloads/service/administration.ts";
import type { ServicePayload } from "../../contract/payloads/service/service.ts";
import { finishAdministratorChange } from "../../src/accounts/administration/administrators.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { newMember, publishSkill } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const { service, clock } = await setUpService({ reportsCommands: true });

afterEach(async () => {
  clock.aheadMs = 0;
  await service.settled();
  await service.empty();
});

const change = (by: TestUser, id: string, action: "grant" | "remove", reason = "holiday") =>
  service.call<AdminUserPayload>("POST", `/api/admin/users/${id}/${action}-administrator`, {
    cookie: by.cookie,
    body: { reason },
  });
const grant = (by: TestUser, to: TestUser) => change(by, to.id, "grant");
const remove = (by: TestUser, from: TestUser) => change(by, from.id, "remove");
const administrators = async (by: TestUser) =>
  (await service.call<AdminUserPayload[]>("GET", "/api/admin/users?administrator=true", by)).data.map(
    ({ username }) => username,
  );
const isAllowed = async (user: TestUser) =>
  (await service.call("GET", "/api/admin/queues", { cookie: user.cookie })).status === 200;
const log = async (by: TestUser) => {
  await service.settled();
  return (await service.call<AuditLogPayload>("GET", "/api/admin/audit-log", { cookie: by.cookie })).data
    .entries;
};

describe("the right to administer the service", () => {
  it("is changed only by an administrator who has just verified who they are", async () => {
    const [chief, deputy] = [await service.newUser("chief"), await service.newUser("deputy")];
    assert.equal((await grant(chief, deputy)).status, 200);
    clock.aheadMs = limits.recentVerificationMs + 1000;

    const answers = [await remove(chief, deputy), await remove(deputy, chief)];

    assert.deepEqual(
      answers.map(({ code }) => code),
      ["reauthentication_required", "reauthentication_required"],
    );
    assert.deepEqual(await administrators(chief), ["chief", "deputy"]);
  });

  it("is handed over with a reason, counts from the next request, and never opens an organization", async () => {
    const chief = await service.newUser("chief");
    const deputy = await service.newUser("deputy");
    const owner = await service.newUser("owner");
    const org = await service.newOrg(owner, "lumen");
    const plan = { name: "Secret plan", folder: "/", visibility: "private" };
    const skill = await publishSkill(service, org, owner, plan);
    await newMember(service, org, "viewer");
    assert.equal(await isAllowed(deputy), false);

    const granted = await grant(chief, deputy);

    assert.equal(granted.data.isAdministrator, true, JSON.stringify(granted.body));
    assert.deepEqual([await isAllowed(deputy), await administrators(chief)], [true, ["chief", "deputy"]]);
    assert.equal((await service.call("GET", `/api/tenants/${org.id}`, deputy)).status, 404);
    assert.equal((await service.call("GET", `/api/skills/${skill.publicId}`, deputy)).status, 404);
    assert.equal((await grant(chief, deputy)).code, "conflict");
    assert.equal((await remove(chief, chief)).status, 200);
    assert.deepEqual([await isAllowed(chief), await isAllowed(deputy)], [false, true]);
    const entries = (await log(deputy)).filter(({ resourceType }) => resourceType === "user");
    assert.deepEqual(
      entries.map(({ action, actor, resourceId, metadata }) => [
        action,
        actor.name,
        resourceId,
        metadata["username"],
        metadata["reason"],
      ]),
      [
        ["user.administrator_removed", "chief", chief.id, "chief", "holiday"],
        ["user.administrator_granted", "chief", deputy.id, "deputy", "holiday"],
      ],
    );
  });

  it("stays with at least one account, also if two administrators remove each other at once", async () => {
    const chief = await service.newUser("chief");
    const alone = await remove(chief, chief);
    assert.equal(alone.code, "refused");
    assert.match(alone.error!, /"chief" is the only administrator/);
    let left = [chief];
    for (let round = 0; round < 3; round++) {
      const others = await Promise.all([1, 2].map((n) => service.newUser(`deputy-${round}-${n}`)));
      await Promise.all(others.map((other) => grant(left[0]!, other)));
      const all = [...left, ...others];

      const answers = await Promise.all(all.map((one, at) => remove(all[(at + 1) % all.length]!, one)));

      const statuses = answers.map(({ status }) => status);
      assert.ok(
        statuses.every((status) => [200, 404, 409, 422].includes(status)),
        String(statuses),
      );
      left = [];
      for (const one of all) if (await isAllowed(one)) left.push(one);
      assert.ok(left.length >= 1, `none is left: ${String(statuses)}`);
    }
  });

  it("is not given to a suspended account, and keeps an account from being suspended or deleted", async () => {
    const chief = await service.newUser("chief");
    const deputy = await service.newUser("deputy");
    const suspend = () =>
      service.call("POST", `/api/admin/users/${deputy.id}/suspend`, {
        cookie: chief.cookie,
        body: { reason: "spam" },
      });
    await suspend();
    assert.equal((await grant(chief, deputy)).code, "refused");
    await service.call("POST", `/api/admin/users/${deputy.id}/unsuspend`, {
      cookie: chief.cookie,
      body: { reason: "resolved" },
    });
    await grant(chief, deputy);

    assert.equal((await suspend()).code, "refused");
    const deleted = await service.call("DELETE", "/api/user/account", {
      cookie: chief.cookie,
      body: { password: "correct horse battery" },
    });
    assert.equal(deleted.code, "refused");
    assert.match(deleted.error!, /Remove this right first/);
    assert.equal((await change(chief, service.app.newId(), "grant")).code, "not_found");
  });

  it("survives a crash between the record of a change and its effect", async () => {
    const chief = await service.newUser("chief");
    const [one, two] = [await service.newUser("one"), await service.newUser("two")];
    const { serviceSettings, users } = service.app.storage;
    const event = (userId: string) => ({
      _id: service.app.newId(),
      name: "user.administrator_granted" as const,
      tenantId: "service",
      actor: { type: "user" as const, id: chief.id, name: "chief" },
      resourceType: "user",
      resourceId: userId,
      metadata: { reason: "crash" },
      createdAt: service.app.now(),
    });
    const begin = (userId: string, isAdministrator: boolean) =>
      serviceSettings.beginAdministratorChange({ userId, isAdministrator, event: event(userId) });

    const number = await begin(one.id, true);
    assert.equal(await begin(two.id, true), null, "one change at a time");
    await grant(chief, two);

    assert.deepEqual(await administrators(chief), ["chief", "one", "two"]);
    clock.aheadMs = 60_000;
    await reconcile(service.app);
    assert.equal((await log(chief)).filter(({ metadata }) => metadata["reason"] === "crash").length, 1);
    // A process that applies the change late, after the right was removed again.
    await remove(chief, one);
    const late = { number: number!, isAdministrator: true };
    assert.equal(await users.applyAdministratorChange(one.id, late, "applied", [event(one.id)]), false);
    await begin(two.id, false);
    await finishAdministratorChange(service.app);
    assert.deepEqual(await administrators(chief), ["chief"]);
    await begin(chief.id, false);
    await reconcile(service.app);
    assert.deepEqual(await administrators(chief), ["chief"], "the last one stays");
  });

  it("is found by an index", async () => {
    const chief = await service.newUser("chief");
    const deputy = await service.newUser("deputy");
    await Promise.all(Array.from({ length: 12 }, (_, n) => service.newUser(`user-${n}`)));
    const plans = await plansOf(service, async () => {
      await administrators(chief);
      await grant(chief, deputy);
      await remove(chief, deputy);
      await service.call("GET", "/api/admin/organizations", { cookie: chief.cookie });
    });
    assertIndexed(plans, 10);
  });
});

describe("the sign-up mode", () => {
  it("is set by an administrator, with the reason in the log, and precedes the configuration", async () => {
    const chief = await service.newUser("chief");
    const set = (signUp: string, reason = "too many strangers") =>
      service.call<ServiceSettingsPayload>("PATCH", "/api/admin/settings", {
        cookie: chief.cookie,
        body: { signUp, reason },
      });
    const signUp = (username: string) =>
      service.call("POST", "/api/auth/sign-up", {
        body: { email: `${username}@example.org`, password: "correct horse battery", name: "N", username },
      });
    const isOpen = async () => (await service.call<ServicePayload>("GET", "/api/service")).data.signUpOpen;
    const read = await service.call<ServiceSettingsPayload>("GET", "/api/admin/settings", chief);
    const others = { anonymousMcp: "on", configuredAnonymousMcp: "on", rootCollection: null };
    assert.deepEqual(read.data, { signUp: "open", configuredSignUp: "open", ...others });

    const closed = await set("invite");

    assert.deepEqual(closed.data, { signUp: "invite", configuredSignUp: "open", ...others });
    assert.equal(await isOpen(), false);
    assert.equal((await signUp("visitor")).code, "forbidden");
    assert.equal((await service.raw("GET", "/sign-up")).status, 403);
    assert.equal((await set("invite")).status, 200);
    assert.deepEqual(
      [(await set("odd")).code, (await set("open", "")).code],
      ["invalid_request", "invalid_request"],
    );
    await set("open", "a conference");
    assert.equal((await signUp("visitor")).status, 201);
    const changes = (await log(chief)).filter(({ action }) => action === "service.sign_up_changed");
    assert.deepEqual(
      changes.map(({ actor, metadata }) => [actor.name, metadata]),
      [
        ["chief", { before: "invite", after: "open", reason: "a conference" }],
        ["chief", { before: "open", after: "invite", reason: "too many strangers" }],
      ],
    );
    const file = await service.raw("GET", "/api/admin/audit-log/export?action=service.*", {
      cookie: chief.cookie,
    });
    assert.match(await file.text(), /too many strangers/);
    assert.match(file.headers.get("content-disposition")!, /audit-log-service-/);
  });
});
