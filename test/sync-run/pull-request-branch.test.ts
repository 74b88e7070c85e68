/** Pull-request mode at a git server without pull requests: there is only the branch, which people merge by hand. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RepositorySyncPayload } from "../../contract/payloads/sync.ts";
import { runGit } from "../support/git-host.ts";
import { startService, type TestService } from "../support/service.ts";
import { connectedWorld, publish, textOf, versionsOf, type SyncWorld } from "../support/sync/fixture.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const branch = "svc-sync/main";

async function withWorld(test: (world: SyncWorld) => Promise<void>): Promise<void> {
  const world = await connectedWorld(service);
  const { connections } = service.app.storage;
  const mode = { from: "push", to: "pull_request" } as const;
  assert.ok(await connections.request({ id: world.connectionId }, { mode, now: service.app.now() }));
  world.copy.write("code.txt", "theirs\n");
  world.copy.push("first");
  try {
    await test(world);
  } finally {
    await world.close();
  }
}

async function proposal(world: SyncWorld) {
  const at = `/api/tenants/${world.org.id}/repo-sync`;
  const { data } = await service.call<RepositorySyncPayload>("GET", at, { token: world.owner.token });
  assert.equal(data.connection?.status, "active", JSON.stringify(data.connection));
  return data.proposal!;
}

const tipOf = (world: SyncWorld) =>
  runGit(world.remote, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`) || undefined;

/** What a person does after `git fetch`, with `main` checked out. */
function byHand(world: SyncWorld, ...commands: string[][]): void {
  world.copy.update();
  for (const command of commands) world.copy.git(...command);
  world.copy.git("push", "-q", "origin", "HEAD:main");
}

describe("a branch that is proposed without a pull request", () => {
  it("is reported, kept up to date, and merged or fast-forwarded by hand", () =>
    withWorld(async (world) => {
      const main = world.tip();
      const one = await publish(world, "One", "first");
      assert.equal(await world.sync(), "done");
      assert.equal(world.tip(), main);
      const first = await proposal(world);
      assert.deepEqual(
        [first.state, first.branch, first.number, first.url, first.commit, first.skills],
        ["branch", branch, null, null, tipOf(world), 1],
      );
      assert.match(first.message, /svc-sync\/main/);

      byHand(world, ["merge", "-q", "--ff-only", `origin/${branch}`]);
      await publish(world, "One", "second");
      assert.equal(await world.sync(), "done");
      assert.match(await textOf(world, one.id), /second/);
      assert.equal((await proposal(world)).state, "branch");
      byHand(world, ["merge", "-q", "--no-ff", "--no-edit", `origin/${branch}`]);
      runGit(world.remote, "update-ref", "-d", `refs/heads/${branch}`);
      assert.equal(await world.sync(), "done");
      assert.equal((await proposal(world)).state, "none");
      assert.equal(tipOf(world), undefined);
      assert.equal((await versionsOf(world, one.id)).length, 2);
    }));

  it("with foreign commits is left unchanged until they are merged, or the branch is deleted", () =>
    withWorld(async (world) => {
      const one = await publish(world, "One", "first");
      await world.sync();
      const edit = (text: string) => {
        world.copy.update();
        world.copy.git("checkout", "-q", "-B", "work", `origin/${branch}`);
        world.copy.write(
          "skills/one/SKILL.md",
          world.copy.read("skills/one/SKILL.md").replace(/\w+\n$/, text),
        );
        world.copy.git("commit", "-q", "-a", "-m", "reviewed");
        world.copy.git("push", "-q", "origin", `HEAD:${branch}`);
        world.copy.git("checkout", "-q", "-B", "main", "origin/main");
        return tipOf(world);
      };
      const theirs = edit("reviewed\n");
      await publish(world, "Two", "first");
      assert.equal(await world.sync(), "done");
      assert.deepEqual([tipOf(world), (await proposal(world)).state], [theirs, "edited"]);

      byHand(world, ["merge", "-q", "--no-ff", "--no-edit", `origin/${branch}`]);
      assert.equal(await world.sync(), "done");
      assert.match(await textOf(world, one.id), /reviewed/);
      const conflicts = await service.app.storage.syncConflicts.list({
        connectionId: world.connectionId,
        limit: 9,
      });
      assert.deepEqual(conflicts, []);
      assert.deepEqual((await proposal(world)).state, "branch");
      assert.equal(runGit(world.remote, "show", `${branch}:skills/two/SKILL.md`).split("\n").at(-1), "first");

      const again = edit("again\n");
      await world.sync();
      assert.deepEqual([tipOf(world), (await proposal(world)).state], [again, "edited"]);
      runGit(world.remote, "update-ref", "-d", `refs/heads/${branch}`);
      assert.equal(await world.sync(), "done");
      assert.equal((await proposal(world)).state, "branch");
      assert.equal(runGit(world.remote, "log", "-1", "--format=%P", branch), world.tip());
    }));

  it("is not changed if it existed before", () =>
    withWorld(async (world) => {
      world.copy.git("push", "-q", "origin", `HEAD:${branch}`);
      world.copy.git("checkout", "-q", "-B", "work");
      world.copy.write("own.txt", "own\n");
      world.copy.git("add", "-A");
      world.copy.git("commit", "-q", "-m", "own");
      world.copy.git("push", "-q", "origin", `HEAD:${branch}`);
      const theirs = tipOf(world);
      await publish(world, "One", "first");

      assert.equal(await world.sync(), "done");

      assert.deepEqual([tipOf(world), (await proposal(world)).state], [theirs, "edited"]);
    }));

  it("is recognized if the mirror, or all sync state, is lost", () =>
    withWorld(async (world) => {
      const { app } = service;
      const mirror = world.ports.mirrors.open({ tenantId: world.org.id, connectionId: world.connectionId });
      await publish(world, "One", "first");
      await publish(world, "Two", "first");
      await world.sync();
      const tip = tipOf(world);

      await mirror.drop();
      assert.equal(await world.sync(), "done");
      assert.deepEqual([tipOf(world), (await proposal(world)).state], [tip, "branch"]);
      world.copy.update();
      world.copy.git("checkout", "-q", "-B", "work", `origin/${branch}`);
      world.copy.git("merge", "-q", "--no-ff", "--no-edit", "origin/main");
      world.copy.git("commit", "-q", "--allow-empty", "-m", "again");
      world.copy.git("push", "-q", "origin", `HEAD:${branch}`);
      await mirror.drop();
      await publish(world, "One", "second");
      assert.equal(await world.sync(), "done");
      assert.equal((await proposal(world)).state, "branch", "what holds nothing of theirs is gone on from");
      const next = tipOf(world);
      assert.equal(runGit(world.remote, "merge-base", next!, tip!), tip);

      await app.storage.syncProposals.removeOfConnection(world.connectionId);
      await app.storage.syncProposed.removeOfConnection(world.connectionId);
      assert.equal(await world.sync(), "done");
      assert.deepEqual([tipOf(world), (await proposal(world)).state], [next, "branch"]);
      byHand(world, ["merge", "-q", "--no-ff", "--no-edit", `origin/${branch}`]);
      assert.equal(await world.sync(), "done");
      assert.equal((await proposal(world)).state, "none");
    }));
});
