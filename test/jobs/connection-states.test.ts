/** Connections of real repositories in the administrators' list: in sync, waiting for a person, and failing. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, it } from "node:test";
import type { AdminConnectionPayload } from "../../contract/payloads/service/jobs.ts";
import type { ConnectionPayload } from "../../contract/payloads/sync.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { runGit, startGitHost } from "../support/host/git-host.ts";
import type { TestOrg } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-connection-states-"));
const gitHost = await startGitHost();
const { service } = await setUpService({
  ownQueue: true,
  localRepositories: folder,
  syncPrivateNetwork: true,
});

after(async () => {
  await gitHost?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(slug: string, url: string, prepare?: (org: TestOrg) => void): Promise<string> {
  const owner = await service.newUser();
  const org = await service.newOrg(owner, slug);
  prepare?.(org);
  const made = await service.call<ConnectionPayload>("POST", `/api/tenants/${org.id}/repo-sync`, {
    token: owner.token,
    body: { host: "local", url },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data.id;
}

/** A repository in which `skills` is a submodule, which a person has to change. */
function prepareBlocked({ id }: TestOrg): void {
  const bare = path.join(folder, id, "blocked.git");
  const copy = path.join(folder, "copy");
  mkdirSync(bare, { recursive: true });
  runGit(bare, "init", "-q", "--bare", "-b", "main");
  runGit(folder, "clone", "-q", bare, copy);
  runGit(copy, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},skills`);
  runGit(copy, "commit", "-q", "-m", "a submodule");
  runGit(copy, "push", "-q", "origin", "HEAD:main");
}

it("shows the progress and the error of each connection, with the name of its organization", async () => {
  const admin = await service.newUser("chief");
  const [active, failing] = [await gitHost.newRepository(), await gitHost.newRepository()];
  for (const repository of [active, failing]) repository.commit({ "a.txt": "1" });
  const isBlocked = await connect("blocked-org", "blocked.git", prepareBlocked);
  const isActive = await connect("active-org", active.remote.url);
  const isFailing = await connect("failing-org", failing.remote.url);
  await service.settled();
  await runConnection(service.app, isBlocked);
  await runConnection(service.app, isActive);
  await gitHost.trouble({ on: "fetch-refs", answer: { status: 502 } });
  await runConnection(service.app, isFailing);

  const list = await service.call<AdminConnectionPayload[]>("GET", "/api/admin/connections", admin);

  const of = (slug: string) => list.data.find(({ organization }) => organization?.slug === slug)!;
  assert.deepEqual(
    list.data.map(({ status }) => status),
    ["failing", "blocked", "active"],
  );
  const synced = of("active-org");
  assert.match(synced.repository, /^127\.0\.0\.1:\d+\/repository-0$/);
  assert.deepEqual(
    [
      synced.organization?.name,
      synced.url,
      synced.branch,
      synced.host,
      synced.lastCommit,
      synced.lastProblem,
    ],
    ["active-org", active.remote.url, "main", "local", active.head(), null],
  );
  assert.ok(synced.lastSyncAt !== null && synced.lastLagMs! > 0);
  const stuck = of("blocked-org");
  assert.deepEqual(
    [stuck.repository, stuck.url, stuck.lastSyncAt, stuck.problem?.code, stuck.failures],
    ["blocked", null, null, "skills_blocked", 0],
  );
  assert.match(stuck.problem!.message, /^skills is not a directory in the repository: /);
  const lost = of("failing-org");
  assert.deepEqual([lost.problem?.code, lost.failures, lost.waiting], ["remote_failed", 1, true]);
  assert.ok(lost.waitingSince !== null);
});
