import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { checkRepos, repackRepository, maintainRepos } from "../../workers/maintenance/maintain-repos.ts";
import { startWorkers } from "../../workers/start.ts";
import { repositoryOf } from "../support/native-git.ts";
import { setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const dayMs = 86_400_000;

const { service, clock } = await setUpService({ ownQueue: true });
const user = await service.newUser();
const tenantId = (await service.newOrg(user)).id;
const skillId = await publish("Tidied", 5);

beforeEach(async () => {
  clock.aheadMs = 0;
  const { inspector } = service.app.queue;
  for (const id of await inspector.ids("maintenance", "waiting", 0, 100))
    await inspector.remove("maintenance", id);
});

async function publish(name: string, versions: number): Promise<string> {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId, name, content: "first\n" },
  });
  const { id } = made.data.skill;
  for (let i = 1; i < versions; i++)
    await service.call("POST", `/api/skills/${id}/versions`, {
      token: user.token,
      body: { content: `text ${i}\n` },
    });
  await service.settled();
  return id;
}

async function queued() {
  const { inspector } = service.app.queue;
  const jobs = await inspector.jobs(
    "maintenance",
    "waiting",
    await inspector.ids("maintenance", "waiting", 0, 100),
  );
  return jobs.map(({ name, payload }) => [name, payload["skillId"]]);
}

describe("tidying repositories", () => {
  it("repacks only repositories whose skill has been idle for a day", async () => {
    await maintainRepos(service.app);
    assert.deepEqual(await queued(), []);

    clock.aheadMs = 2 * dayMs;
    await maintainRepos(service.app);
    await maintainRepos(service.app);
    assert.deepEqual(await queued(), [["maintenance.repack", skillId]]);

    await repackRepository(service.app, { tenantId, skillId });
    assert.equal(await service.app.repos.countPacks({ tenantId, skillId }), 1);
    const versions = await service.app.storage.versions.list(skillId, { prerelease: true, limit: 10 });
    for (const { oid, digest } of versions)
      await service.app.repos.verify({ tenantId, skillId }, oid, digest);
  });

  it("leaves a skill alone that was worked on since it was queued", async () => {
    const other = await publish("Busy", 4);

    await repackRepository(service.app, { tenantId, skillId: other });

    assert.equal(await service.app.repos.countPacks({ tenantId, skillId: other }), 4);
  });

  it("merges packs where many have gathered, with git or without", async () => {
    const many = await publish("Many", 2);
    const { app } = service;
    const { gitProgram } = app.config;
    const counted = app.repos.countPacks;
    app.repos.countPacks = async (repo) => (repo.skillId === many ? 16 : counted(repo));
    app.config.gitProgram = "no-such-git";
    clock.aheadMs = 2 * dayMs;
    await maintainRepos(app);
    app.config.gitProgram = gitProgram;
    app.repos.countPacks = counted;

    assert.deepEqual(await queued(), [["maintenance.merge-packs", many]]);
    const folder = path.join(repositoryOf(app.config.gitRoot, many), "objects", "pack");
    assert.ok(readdirSync(folder).length > 0);
  });

  it("is queued again by the check if its job was lost, although the skill does not change any more", async () => {
    const { app } = service;
    const idle = await publish("Idle", 4);
    const loseJobs = async () => {
      for (const id of await app.queue.inspector.ids("maintenance", "waiting", 0, 100))
        await app.queue.inspector.remove("maintenance", id);
    };
    for (const days of [2, 60, 90]) {
      clock.aheadMs = days * dayMs;
      await maintainRepos(app);
      await loseJobs();
    }

    clock.aheadMs = 91 * dayMs;
    await maintainRepos(app);
    assert.deepEqual(await queued(), [], "its skill has not changed since the last pass");
    await checkRepos(app);

    assert.ok((await queued()).some(([name, id]) => name === "maintenance.repack" && id === idle));
  });

  it("is scheduled, with all else that repeats", async () => {
    const workers = await startWorkers(service.app);
    const { inspector } = service.app.queue;
    const names = [
      "maintenance.compact-repos",
      "maintenance.check-repos",
      "maintenance.purge",
      "maintenance.reconcile",
    ];
    // The first run of an interval is due at once: its next one is delayed only when that run has begun.
    const jobs = await until("each schedule has its next job delayed", async () => {
      const delayed = await inspector.jobs(
        "maintenance",
        "delayed",
        await inspector.ids("maintenance", "delayed", 0, 100),
      );
      const scheduled = delayed.filter(({ isScheduled }) => isScheduled);
      return names.every((name) => scheduled.some((job) => job.name === name)) && scheduled;
    });
    await workers.close();
    const tidy = jobs.find(({ name }) => name === "maintenance.compact-repos")!;
    // A queue counts from when it was asked, so that some milliseconds are missing.
    const minute = new Date(Math.round(tidy.runsAt!.getTime() / 60_000) * 60_000);
    assert.equal(minute.toISOString().slice(11, 16), "02:17");
  });
});
