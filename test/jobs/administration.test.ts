import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type {
  AdminConnectionPayload,
  HealthPayload,
  JobDetailPayload,
  JobMetricsPayload,
  JobPayload,
  QueuePayload,
} from "../../contract/payloads/service/jobs.ts";
import { apiRoutes } from "../../src/api.ts";
import { openRunCounter } from "../../src/jobs/metrics.ts";
import { type Consumers, type Processors, queueNames } from "../../src/queue/index.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { connectionDoc } from "../support/connection.ts";
import { newMember } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { everyProcessor } from "../support/processors.ts";
import { setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const logged: string[] = [];
let consumers: Consumers | undefined;

const { service, clock } = await setUpService({ reportsCommands: true, ownQueue: true, logged });
const admin = await service.newUser("chief");
const someone = await service.newUser("someone");

afterEach(async () => {
  await consumers?.close();
  consumers = undefined;
});
beforeEach(async () => {
  const { inspector } = service.app.queue;
  for (const queue of queueNames)
    for (const state of ["waiting", "delayed", "failed", "completed"] as const)
      for (const id of await inspector.ids(queue, state, 0, 2000)) await inspector.remove(queue, id);
});

const get = <T>(path: string) => service.call<T>("GET", path, { token: admin.token });
const post = <T>(path: string) => service.call<T>("POST", path, { token: admin.token });
const permanently = (message: string) => Object.assign(new Error(message), { retryable: false });

function consume(processors: Partial<Processors>) {
  const counter = openRunCounter(service.app);
  const started = service.app.queue.startConsumers(
    { ...everyProcessor(async () => {}), ...processors },
    { concurrency: 5, observe: (run) => counter.count(run) },
  );
  consumers = {
    async close() {
      await started.close();
      await counter.close();
    },
  };
}

async function failJobs(count: number) {
  consume({
    async "mail.account"({ userId }) {
      throw permanently(`no mail for ${userId}`);
    },
  });
  for (let i = 0; i < count; i++) await service.app.queue.enqueue("mail.account", { userId: `u${i}` });
  await until("the failures", async () => (await service.app.queue.counts()).mail.failed === count);
  await consumers?.close();
  consumers = undefined;
}

describe("the administrators' interface", () => {
  it("is unseen by anybody else, in the words of a path that leads nowhere", async () => {
    const org = await service.newOrg(admin);
    const member = await newMember(service, org, "member");
    const orgToken = await service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
      token: admin.token,
      body: { name: "ci" },
    });
    const scoped = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: admin.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });
    const routes = apiRoutes(service.app, "0").filter((route) => route.path.startsWith("/api/admin/"));
    const unknown = await service.call("GET", "/api/admin/nowhere");
    assert.ok(routes.length >= 13, `${routes.length} routes`);
    const untouched = await service.app.queue.counts();

    for (const route of routes) {
      const path = route.path.replace(":queue", "mail").replace(":id", "1");
      for (const credentials of [
        {},
        { token: someone.token },
        { cookie: someone.cookie },
        { token: member.token },
        { token: orgToken.data.token },
        { token: scoped.data.token },
      ]) {
        const answer = await service.call(route.method.toUpperCase(), `${path}?limit=wrong`, credentials);
        assert.equal(answer.status, 404, `${route.method} ${path}`);
        assert.equal(answer.error, unknown.error!.replace("/api/admin/nowhere", path));
      }
    }
    assert.deepEqual(await service.app.queue.counts(), untouched);
    assert.equal(await service.app.queue.inspector.isPaused("mail"), false);
    for (const credentials of [{ token: admin.token }, { cookie: admin.cookie }])
      assert.equal((await service.call("GET", "/api/admin/queues", credentials)).status, 200);
  });

  it("takes no change by cookie from another site", async () => {
    const answer = await service.call("POST", "/api/admin/queues/mail/pause", {
      cookie: admin.cookie,
      headers: { origin: "https://evil.example" },
    });

    assert.equal(answer.status, 403);
    assert.equal(await service.app.queue.inspector.isPaused("mail"), false);
  });

  it("lists queues with counts, rates and whether they are paused", async () => {
    await failJobs(3);
    const queues = (await get<QueuePayload[]>("/api/admin/queues")).data;
    const mail = queues.find(({ name }) => name === "mail")!;

    assert.deepEqual(queues.map(({ name }) => name).toSorted(), [...queueNames].toSorted());
    assert.deepEqual(mail.jobs.toSorted(), ["mail.account", "mail.followed", "mail.invitation"]);
    assert.equal(mail.counts.failed, 3);
    assert.equal(mail.rates.failed, 0.6);
    assert.equal(mail.paused, false);
  });

  it("shows a failed job with its error, retries it, and gives the reason if it cannot", async () => {
    await failJobs(1);
    const [listed] = (await get<JobPayload[]>("/api/admin/jobs?queue=mail&state=failed")).data;
    const path = `/api/admin/jobs/mail/${listed!.id}`;
    const detail = (await get<JobDetailPayload>(path)).data;

    assert.equal(listed!.error, "no mail for u0");
    assert.deepEqual(detail.payload, { userId: "u0" });
    assert.match(detail.stacks[0]!, /no mail for u0\n\s+at .*administration\.test/);
    assert.equal((await post(`${path}/promote`)).code, "conflict");
    assert.equal((await post(`${path}/retry`)).status, 200);
    assert.equal((await get<JobDetailPayload>(path)).data.state, "waiting");
    const again = await post(`${path}/retry`);
    assert.deepEqual([again.status, again.code], [409, "conflict"]);
    assert.match(again.error!, /nothing to retry/);
    const removed = await service.call("DELETE", path, { token: admin.token });
    assert.deepEqual(removed.body, { success: true });
    assert.equal((await get(path)).code, "not_found");
    assert.equal((await post(`${path}/retry`)).code, "not_found");
    assert.equal((await get("/api/admin/jobs/mail/a%00b")).code, "invalid_request");
    assert.equal((await get("/api/admin/jobs/none/1")).code, "not_found");
    assert.equal((await get("/api/admin/jobs?queue=none")).code, "not_found");
    assert.equal((await get("/api/admin/jobs?state=odd")).status, 400);
    const acts = logged.filter((line) => line.includes("an administrator acts"));
    assert.ok(acts.some((line) => line.includes('"act":"job.retried"') && line.includes(admin.id)));
    assert.ok(acts.some((line) => line.includes('"act":"job.removed"')));
  });

  it("records every action in the service's log and the administrator's own log only", async () => {
    await failJobs(1);
    const [failed] = (await get<JobPayload[]>("/api/admin/jobs?queue=mail&state=failed")).data;
    await service.app.queue.enqueue("mail.account", { userId: "later" }, { delayMs: 600_000 });
    const [delayed] = (await get<JobPayload[]>("/api/admin/jobs?queue=mail&state=delayed")).data;
    const path = `/api/admin/jobs/mail/${failed!.id}`;
    await post("/api/admin/queues/mail/pause");
    await post("/api/admin/queues/mail/resume");
    await post(`/api/admin/jobs/mail/${delayed!.id}/promote`);
    await post("/api/admin/queues/mail/retry-failed");
    await post(`${path}/retry`);
    await service.call("DELETE", path, { token: admin.token });
    await post("/api/admin/jobs/mail/none/retry");
    const expected = [
      "job.removed",
      "job.retried",
      "queue.failed_retried",
      "job.promoted",
      "queue.resumed",
      "queue.paused",
    ];

    const log = (await get<AuditLogPayload>("/api/admin/audit-log?limit=6")).data;
    const own = await service.call<AuditLogPayload>(
      "GET",
      "/api/user/audit-log?action=job.*,queue.*&limit=6",
      { token: admin.token },
    );
    const other = await service.call<AuditLogPayload>("GET", "/api/user/audit-log?action=job.*,queue.*", {
      token: someone.token,
    });

    assert.deepEqual(
      log.entries.map(({ action }) => action),
      expected,
    );
    assert.deepEqual(own.data.entries, log.entries);
    assert.deepEqual(other.data.entries, []);
    const [removed] = log.entries;
    assert.deepEqual(removed!.actor, { type: "user", id: admin.id, name: admin.username });
    assert.deepEqual(
      [removed!.resourceType, removed!.resourceId, removed!.metadata],
      ["job", failed!.id, { queue: "mail", job: "mail.account", payload: { userId: "u0" } }],
    );
    assert.ok(removed!.ip);
    const one = (await get<AuditLogPayload>("/api/admin/audit-log?action=job.promoted&limit=1")).data;
    assert.equal(one.entries[0]!.resourceId, delayed!.id);
    assert.equal((await get("/api/admin/audit-log?action=nothing")).status, 400);
    assert.equal(
      (await service.call("GET", "/api/tenants/service/audit-log", { token: admin.token })).code,
      "not_found",
    );
  });

  it("pages through more than a thousand jobs of several queues, none lost and none twice", async () => {
    const { queue } = service.app;
    const wanted = new Set<string>();
    for (let i = 0; i < 1050; i++) {
      await queue.enqueue("mail.account", { userId: `u${i}` }, { delayMs: 600_000 + i * 10 });
      wanted.add(`mail u${i}`);
      if (i % 3 !== 0) continue;
      await queue.enqueue("orgs.erase", { tenantId: `t${i}` }, { delayMs: 600_000 + i * 10 });
      wanted.add(`orgs t${i}`);
    }
    const seen: JobPayload[] = [];
    let cursor: string | null | undefined = "";
    let pages = 0;
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof get<JobPayload[]>>> = await get<JobPayload[]>(
        `/api/admin/jobs?state=delayed&limit=200${cursor ? `&cursor=${cursor}` : ""}`,
      );
      assert.equal(page.status, 200, page.error);
      seen.push(...page.data);
      cursor = page.nextCursor;
      pages++;
      // Jobs before the cursor are removed in the meantime, and new ones are added.
      for (const { id, queue: name } of page.data.slice(0, 3))
        await queue.inspector.remove(name as "mail", id);
      await queue.enqueue("mail.account", { userId: "new" }, { delayMs: 1000 + pages });
    }
    const names = seen.map(
      ({ queue: name, payload }) => `${name} ${String(payload["userId"] ?? payload["tenantId"])}`,
    );
    const old = names.filter((name) => !name.endsWith(" new"));

    assert.equal(pages, 7);
    assert.equal(new Set(old).size, old.length, "none twice");
    assert.deepEqual(new Set(old), wanted);
    const times = seen.map(({ runsAt }) => runsAt!);
    assert.deepEqual(times, times.toSorted(), "in the order in which they run");
    assert.equal((await get("/api/admin/jobs?state=failed&cursor=bm9uc2Vuc2U")).status, 400);
  });

  it("retries all failed jobs of a queue", async () => {
    await failJobs(45);

    const answer = await post<{ retried: number; left: number }>("/api/admin/queues/mail/retry-failed");

    assert.deepEqual(answer.data, { retried: 45, left: 0 });
    assert.equal((await service.app.queue.counts()).mail.waiting, 45);
  });

  it("pauses and resumes a queue", async () => {
    await post("/api/admin/queues/mail/pause");
    const paused = (await get<QueuePayload[]>("/api/admin/queues")).data.filter((queue) => queue.paused);
    await post("/api/admin/queues/mail/resume");

    assert.deepEqual(
      paused.map(({ name }) => name),
      ["mail"],
    );
    assert.equal(await service.app.queue.inspector.isPaused("mail"), false);
    assert.equal((await post("/api/admin/queues/none/pause")).code, "not_found");
  });

  it("shows the results of jobs over time, and removes them after a week", async () => {
    await service.app.storage.database.raw.collection("job_minutes").deleteMany({});
    await failJobs(4);
    const hour = (await get<JobMetricsPayload>("/api/admin/metrics")).data;
    const sums = (metrics: JobMetricsPayload) => metrics.steps.reduce((sum, { failed }) => sum + failed, 0);

    assert.equal(hour.steps.length, 60);
    assert.equal(sums(hour), 4);
    assert.ok(hour.steps.some(({ averageMs, maxMs }) => averageMs !== null && maxMs !== null));
    for (const [range, steps] of [
      ["day", 96],
      ["week", 84],
    ] as const) {
      const wide = (await get<JobMetricsPayload>(`/api/admin/metrics?range=${range}&queue=mail`)).data;
      assert.deepEqual([wide.steps.length, sums(wide)], [steps, 4]);
    }
    assert.equal(sums((await get<JobMetricsPayload>("/api/admin/metrics?queue=orgs")).data), 0);
    const plans = await plansOf(service, async () => {
      await get("/api/admin/metrics?range=week");
      await get("/api/admin/queues");
      await get("/api/admin/connections");
    });
    assertIndexed(plans, 200);
    const { raw } = service.app.storage.database;
    clock.aheadMs = 6 * 86_400_000;
    await purge(service.app);
    assert.equal(await raw.collection("job_minutes").countDocuments({ queue: "mail" }), 1);
    clock.aheadMs = 8 * 86_400_000;
    await purge(service.app);
    clock.aheadMs = 0;
    assert.equal(await raw.collection("job_minutes").countDocuments(), 0);
  });

  it("lists connections in trouble first, by pages, each with its newest failure, over or not", async () => {
    const { connections, database } = service.app.storage;
    const at = new Date(Date.UTC(2026, 0, 1));
    const problem = { code: "auth_failed" as const, message: "No.", at };
    const statuses = ["active", "blocked", "active", "failing", "active", "active"] as const;
    for (const [n, status] of statuses.entries())
      await connections.insert(
        connectionDoc(n, {
          status,
          problem: status === "active" ? undefined : problem,
          lastProblem: n === 2 ? problem : undefined,
        }),
      );
    const listed: AdminConnectionPayload[] = [];

    const plans = await plansOf(service, async () => {
      for (let cursor = ""; ;) {
        const page = await get<AdminConnectionPayload[]>(`/api/admin/connections?limit=2${cursor}`);
        listed.push(...page.data);
        if (typeof page.nextCursor !== "string") break;
        cursor = `&cursor=${page.nextCursor}`;
      }
    });

    await database.raw.collection("connections").deleteMany({});
    assert.deepEqual(
      listed.map(({ id }) => id),
      ["c003", "c001", "c005", "c004", "c002", "c000"],
    );
    assert.deepEqual(
      listed.map((one) => [one.problem?.code ?? null, one.lastProblem?.code ?? null]),
      [
        ["auth_failed", "auth_failed"],
        ["auth_failed", "auth_failed"],
        [null, null],
        [null, null],
        [null, "auth_failed"],
        [null, null],
      ],
    );
    const lists = plans.filter(({ command }) => command["find"] === "connections");
    assertIndexed(lists, 6);
    assert.ok(lists.every(({ stages }) => !stages.includes("SORT")));
  });

  it("shows the state of engines, disks and git, and the connections", async () => {
    const health = (await get<HealthPayload>("/api/admin/health")).data;
    const connections = await get<AdminConnectionPayload[]>("/api/admin/connections");

    assert.deepEqual([health.database.ok, health.queue.ok], [true, true]);
    assert.match(health.versions.database!, /^\d+\.\d+/);
    assert.ok(health.disks.every(({ freeBytes, totalBytes }) => freeBytes! > 0 && totalBytes! >= freeBytes!));
    assert.deepEqual(connections.data, []);
    assert.equal((await get("/api/admin/connections?cursor=W10")).code, "invalid_request");
    assert.deepEqual(health.conditions, []);
    const { operatorConditions } = service.app.storage;
    const at = service.app.now();
    await operatorConditions.apply("sync-lag", "A sync waits.", { id: service.app.newId(), at }, at);
    const { gitProgram } = service.app.config;
    service.app.config.gitProgram = "no-such-git";
    const without = (await get<HealthPayload>("/api/admin/health")).data;
    service.app.config.gitProgram = gitProgram;
    assert.equal(without.git.ok, false);
    assert.match(without.git.detail, /No git program/);
    assert.deepEqual(without.conditions, [
      { condition: "sync-lag", text: "A sync waits.", since: at.toISOString() },
    ]);
  });
});
