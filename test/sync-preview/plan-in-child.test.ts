/** A plan runs in a child process: data from a host can't block the service, and the response has the same form. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, afterEach, describe, it } from "node:test";
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import { closeChildren } from "../../workers/children.ts";
import { planInChild } from "../../workers/sync/plan-in-child.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { startGitHost, type HostedRepo } from "../support/host/git-host.ts";
import { jobProcesses } from "../support/job-processes.ts";
import { startService, type TestOrg, type TestUser } from "../support/service.ts";
import { until } from "../support/until.ts";

const secret = "a-password-that-nobody-may-see";

const host = await startGitHost();
const service = await startService({ syncPrivateNetwork: true });
// As `server.ts` opens it.
service.app.makePlan = (work) => planInChild(service.app, work);

afterEach(() => host.calm());
after(async () => {
  await closeChildren(service.app);
  await service.close();
  await host.close();
});

interface Draft {
  owner: TestUser;
  org: TestOrg;
  repository: HostedRepo;
  body: object;
}

async function draftOf(owner: TestUser, files: Record<string, string | Buffer>): Promise<Draft> {
  const org = await service.newOrg(owner);
  const repository = await host.newRepository({ secret });
  repository.commit(files);
  const body = { host: "local", url: repository.remote.url, username: "x-access-token", password: secret };
  return { owner, org, repository, body };
}

const planOf = ({ owner, org, body }: Draft) =>
  service.call<SyncPlanPayload>("POST", `/api/tenants/${org.id}/repo-sync/plan`, {
    token: owner.token,
    body,
  });

const fetches = () => host.asked.filter(({ step }) => step === "fetch").length;

/** The remaining files of mirrors for plans. */
function mirrorsOf({ org }: Draft): string[] {
  const folder = path.join(service.app.config.gitRoot, "t", org.id, "mirror");
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe("a plan in a child process", () => {
  it("equals the plan of this process, of a draft with its password and of a connection", async () => {
    const draft = await draftOf(await service.newUser(), { "skills/fresh/SKILL.md": "# Fresh\n\nbody\n" });

    const planned = await planOf(draft);

    assert.equal(planned.status, 200, JSON.stringify(planned.body));
    assert.deepEqual(planned.data.create, [{ path: "skills/fresh" }]);
    assert.equal(jobProcesses().length, 1);
    assert.deepEqual(mirrorsOf(draft), []);

    const { owner, org, body, repository } = draft;
    const base = `/api/tenants/${org.id}/repo-sync`;
    const made = await service.call<{ id: string }>("POST", base, { token: owner.token, body });
    await service.settled();
    await runConnection(service.app, made.data.id);
    repository.pull();
    repository.commit({ "skills/fresh/SKILL.md": "# Fresh\n\nanother body\n" });
    const next = await service.call<SyncPlanPayload>("GET", `${base}/plan`, { token: owner.token });
    assert.deepEqual(next.data.update, [{ path: "skills/fresh", skill: "fresh", conflict: false }]);
  });

  it("fails with the message and reason of the host's failure", async () => {
    const draft = await draftOf(await service.newUser(), { "a.txt": "1\n" });
    await host.trouble({ on: "fetch", answer: { status: 500 } });

    const failed = await planOf(draft);

    assert.deepEqual([failed.status, failed.code], [503, "unavailable"], JSON.stringify(failed.body));
    assert.deepEqual(failed.details, { kind: "repository", reason: "remote_failed" });
    assert.deepEqual(mirrorsOf(draft), []);
  });

  it("is limited to one at a time per person, whatever their organizations, and a few in total", async () => {
    const people = await Promise.all([1, 2, 3, 4].map(() => service.newUser()));
    const drafts = await Promise.all(people.map((one) => draftOf(one, { "a.txt": "1\n" })));
    const second = await draftOf(people[0]!, { "a.txt": "1\n" });
    await host.trouble({ on: "fetch", silent: true });
    const earlier = fetches();

    const first = drafts.slice(0, 3).map(planOf);
    await until("three fetches", () => fetches() >= earlier + 3);
    const [own, other] = await Promise.all([planOf(second), planOf(drafts[3]!)]);
    for (const pid of jobProcesses()) process.kill(pid, "SIGKILL");

    assert.deepEqual([own.status, own.code], [409, "conflict"]);
    assert.deepEqual([other.status, other.code, other.headers.get("retry-after")], [503, "unavailable", "1"]);
    for (const { code } of await Promise.all(first)) assert.equal(code, "unavailable");
    await host.calm();
    assert.equal((await planOf(second)).status, 200);
  });

  it("leaves nothing behind when its process dies, and the next one succeeds", async () => {
    const draft = await draftOf(await service.newUser(), { "a.txt": "1\n" });
    await host.trouble({ on: "fetch", times: 1, silent: true });
    const earlier = fetches();

    const dying = planOf(draft);
    await until("the fetch", () => fetches() > earlier);
    for (const pid of jobProcesses()) process.kill(pid, "SIGKILL");

    const { status, code } = await dying;
    assert.deepEqual([status, code], [503, "unavailable"]);
    assert.deepEqual(mirrorsOf(draft), []);
    assert.equal((await planOf(draft)).status, 200);
  });
});
