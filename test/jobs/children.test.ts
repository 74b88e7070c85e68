import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, afterEach, describe, it } from "node:test";
import type { ConnectionPayload } from "../../contract/payloads/sync.ts";
import { ChildProcessError } from "../../workers/child-error.ts";
import { closeChildren, runInChild } from "../../workers/children.ts";
import { runGit } from "../support/host/git-host.ts";
import { jobProcesses } from "../support/job-processes.ts";
import { repositoryOf } from "../support/native-git.ts";
import { publishSkill } from "../support/organization.ts";
import { programArgs } from "../support/root.ts";
import { assertNothingRuns } from "../support/server.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const limits = { maxOldSpaceMb: 256, timeoutMs: 60_000 };

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("jobs in processes of their own", async () => {
  const repositories = mkdtempSync(path.join(os.tmpdir(), "svc-children-"));
  const { service } = await setUpService({ ownQueue: true, localRepositories: repositories });
  const publisher = await newOrganization(service);
  const { id: skillId } = await publishSkill(service, publisher.org, publisher.owner, { name: "Checked" });
  await service.settled();

  afterEach(() => closeChildren(service.app));
  after(() => rmSync(repositories, { recursive: true, force: true }));

  const check = (more: Partial<Parameters<typeof runInChild>[3]> = {}) =>
    runInChild(service.app, "maintenance.check-repos", {}, { ...limits, ...more });

  it("do their work on the same data, and serve the next job with what is open", async () => {
    await check();
    const [first] = jobProcesses();
    await check();

    assert.deepEqual(jobProcesses(), [first]);
    await closeChildren(service.app);
    assert.deepEqual(jobProcesses(), []);
  });

  it("pass the job's own error on, with whether another try can help", async () => {
    const folder = path.join(repositoryOf(service.app.config.gitRoot, skillId), "objects", "pack");
    const pack = path.join(
      folder,
      readdirSync(folder).find((name) => name.endsWith(".pack"))!,
    );
    const whole = readFileSync(pack);
    chmodSync(pack, 0o644);
    const broken = Buffer.from(whole);
    broken.fill(0, 40, 80);
    writeFileSync(pack, broken);

    const error = await check().then(
      () => assert.fail("the fault was not found"),
      (thrown: Error & { retryable?: boolean }) => thrown,
    );
    writeFileSync(pack, whole);

    assert.equal(error.retryable, false);
    assert.match(error.message, new RegExp(`faults? in 1 skills: skill ${skillId}`));
    assert.match(error.stack!, /at checkRepos /);
    await check();
  });

  it("queue jobs through their worker: what follows a sync reaches the queue", async () => {
    const { owner, org } = await newOrganization(service);
    const bare = path.join(repositories, org.id, "skills.git");
    mkdirSync(bare, { recursive: true });
    runGit(bare, "init", "-q", "--bare", "-b", "main");
    const made = await service.call<ConnectionPayload>("POST", `/api/tenants/${org.id}/repo-sync`, {
      token: owner.token,
      body: { host: "local", url: "skills.git" },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const connectionId = made.data.id;
    const sync = () => runInChild(service.app, "sync.run", { connectionId }, limits);
    const clone = path.join(repositories, "copy");
    runGit(repositories, "clone", "-q", bare, clone);
    mkdirSync(path.join(clone, "skills", "pushed"), { recursive: true });
    writeFileSync(path.join(clone, "skills", "pushed", "SKILL.md"), "# Pushed\n\nzebra\n");
    runGit(clone, "add", "-A");
    runGit(clone, "commit", "-q", "-m", "push a skill");
    runGit(clone, "push", "-q", "origin", "HEAD:main");
    await service.settled();
    const { inspector } = service.app.queue;
    const waiting = async () => {
      const jobs = await inspector.jobs("sync", "waiting", await inspector.ids("sync", "waiting", 0, 100));
      return jobs.filter(({ payload }) => payload["connectionId"] === connectionId);
    };
    for (const { id } of await waiting()) await inspector.remove("sync", id);

    await sync();

    // Imported and settled over there, which asks for the next sync by the queue that is open here alone.
    await until("the next sync is queued", async () => (await waiting()).length > 0);
    assert.equal((await waiting()).length, 1);
    const connection = await service.app.storage.connections.find(connectionId);
    assert.ok(connection!.wanted > connection!.done);
    const found = await until("the imported skill is found by search", async () => {
      const { data } = await service.call<{ slug: string }[]>("GET", "/api/skills?query=zebra", {
        token: owner.token,
      });
      return data.length > 0 && data.map(({ slug }) => slug);
    });
    assert.deepEqual(found, ["pushed"]);

    for (const { id } of await waiting()) await inspector.remove("sync", id);
    await sync();
    // A request of the sync that came late would be missed only here: nothing else follows it.
    await new Promise((done) => setTimeout(done, 500));
    assert.deepEqual(await waiting(), []);
    const still = await service.app.storage.connections.find(connectionId);
    assert.equal(still!.done, still!.wanted);
  });

  it("are killed past their time, and told so", async () => {
    await assert.rejects(check({ timeoutMs: 50 }), (error: unknown) => {
      assert.ok(error instanceof ChildProcessError);
      assert.equal(error.code, "child_timeout");
      assert.match(error.message, /took longer than 0\.05 s/);
      return true;
    });
    assert.deepEqual(jobProcesses(), []);
    await check();
  });

  it("end alone when they need more memory than they may have", async () => {
    await assert.rejects(check({ maxOldSpaceMb: 12 }), (error: unknown) => {
      assert.ok(error instanceof ChildProcessError);
      assert.equal(error.code, "child_out_of_memory");
      assert.match(error.message, /12 MB/);
      return true;
    });
  });

  it("end when what they hold outside of their heap is too much", async () => {
    await check();
    await assert.rejects(check({ maxResidentMb: 20 }), (error: unknown) => {
      assert.ok(error instanceof ChildProcessError);
      assert.equal(error.code, "child_out_of_memory");
      assert.match(error.message, /20 MB/);
      return true;
    });
    assert.deepEqual(jobProcesses(), []);
  });

  it("take no job any more once they are to end", async () => {
    await check();
    const [old] = jobProcesses();

    const closing = closeChildren(service.app);
    await Promise.all([closing, check()]);

    assert.equal(jobProcesses().length, 1);
    assert.notDeepEqual(jobProcesses(), [old]);
  });

  it("report whether their caller cancelled them or their process was killed", async () => {
    const stop = new AbortController();
    const stopped = check({ signal: stop.signal });
    stop.abort();
    await assert.rejects(stopped, { code: "child_cancelled" });

    const running = check();
    const [pid] = jobProcesses();
    process.kill(pid!, "SIGKILL");
    await assert.rejects(running, { code: "child_ended" });
    await check();
  });

  it("end at once with their worker", async () => {
    const running = check();
    const rejected = assert.rejects(running, ChildProcessError);
    await closeChildren(service.app);
    await rejected;
    assert.deepEqual(jobProcesses(), []);
  });

  it("end with a worker that is killed", async () => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), "svc-parent-"));
    const database = service.app.storage.database;
    const place = { dataDir, mongodbUrl: database.url, database: database.raw.databaseName };
    const parent = spawn(
      process.execPath,
      [...programArgs("test/jobs/parent-process.ts"), JSON.stringify(place)],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const ended = once(parent, "exit").then(([code]) => assert.fail(`the worker ended with ${code}`));
    const [line] = (await Promise.race([once(parent.stdout, "data"), ended])) as [Buffer];
    const pid = Number(line.toString());
    assert.ok(isRunning(pid));
    const gone = once(parent, "exit");
    parent.kill("SIGKILL");
    await gone;
    await until("the job process ends", () => !isRunning(pid));
    // The queue's engine ends with its owner too, in a moment.
    await assertNothingRuns(dataDir);
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 30, retryDelay: 200 });
  });
});
