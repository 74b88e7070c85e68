/** Pull-request mode at a git server without pull requests: there is only the branch, which people merge by hand. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepositorySyncPayload } from "../../contract/payloads/sync.ts";
import { runGit } from "../support/host/git-host.ts";
import { setUpService } from "../support/set-up.ts";
import { connectedFixture, publish, textOf, versionsOf, type SyncFixture } from "../support/sync/fixture.ts";

const { service } = await setUpService();

const branch = "svc-sync/main";

async function withFixture(test: (fixture: SyncFixture) => Promise<void>): Promise<void> {
  const fixture = await connectedFixture(service);
  const { connections } = service.app.storage;
  const mode = { from: "push", to: "pull_request" } as const;
  assert.ok(await connections.request({ id: fixture.connectionId }, { mode, now: service.app.now() }));
  fixture.copy.write("code.txt", "theirs\n");
  fixture.copy.push("first");
  try {
    await test(fixture);
  } finally {
    await fixture.close();
  }
}

async function proposal(fixture: SyncFixture) {
  const at = `/api/tenants/${fixture.org.id}/repo-sync`;
  const { data } = await service.call<RepositorySyncPayload>("GET", at, { token: fixture.owner.token });
  assert.equal(data.connection?.status, "active", JSON.stringify(data.connection));
  return data.proposal!;
}

const tipOf = (fixture: SyncFixture) =>
  runGit(fixture.remote, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`) || undefined;

/** Runs git commands as a person would after `git fetch`, with `main` checked out. */
function byHand(fixture: SyncFixture, ...commands: string[][]): void {
  fixture.copy.update();
  for (const command of commands) fixture.copy.git(...command);
  fixture.copy.git("push", "-q", "origin", "HEAD:main");
}

describe("a branch that is proposed without a pull request", () => {
  it("is reported, kept up to date, and merged or fast-forwarded by hand", () =>
    withFixture(async (fixture) => {
      const main = fixture.tip();
      const one = await publish(fixture, "One", "first");
      assert.equal(await fixture.sync(), "done");
      assert.equal(fixture.tip(), main);
      const first = await proposal(fixture);
      assert.deepEqual(
        [first.state, first.branch, first.number, first.url, first.commit, first.skills],
        ["branch", branch, null, null, tipOf(fixture), 1],
      );
      assert.match(first.message, /svc-sync\/main/);

      byHand(fixture, ["merge", "-q", "--ff-only", `origin/${branch}`]);
      await publish(fixture, "One", "second");
      assert.equal(await fixture.sync(), "done");
      assert.match(await textOf(fixture, one.id), /second/);
      assert.equal((await proposal(fixture)).state, "branch");
      byHand(fixture, ["merge", "-q", "--no-ff", "--no-edit", `origin/${branch}`]);
      runGit(fixture.remote, "update-ref", "-d", `refs/heads/${branch}`);
      assert.equal(await fixture.sync(), "done");
      assert.equal((await proposal(fixture)).state, "none");
      assert.equal(tipOf(fixture), undefined);
      assert.equal((await versionsOf(fixture, one.id)).length, 2);
    }));

  it("with foreign commits is left unchanged until they are merged, or the branch is deleted", () =>
    withFixture(async (fixture) => {
      const one = await publish(fixture, "One", "first");
      await fixture.sync();
      const edit = (text: string) => {
        fixture.copy.update();
        fixture.copy.git("checkout", "-q", "-B", "work", `origin/${branch}`);
        fixture.copy.write(
          "skills/one/SKILL.md",
          fixture.copy.read("skills/one/SKILL.md").replace(/\w+\n$/, text),
        );
        fixture.copy.git("commit", "-q", "-a", "-m", "reviewed");
        fixture.copy.git("push", "-q", "origin", `HEAD:${branch}`);
        fixture.copy.git("checkout", "-q", "-B", "main", "origin/main");
        return tipOf(fixture);
      };
      const theirs = edit("reviewed\n");
      await publish(fixture, "Two", "first");
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual([tipOf(fixture), (await proposal(fixture)).state], [theirs, "edited"]);

      byHand(fixture, ["merge", "-q", "--no-ff", "--no-edit", `origin/${branch}`]);
      assert.equal(await fixture.sync(), "done");
      assert.match(await textOf(fixture, one.id), /reviewed/);
      const conflicts = await service.app.storage.syncConflicts.list({
        connectionId: fixture.connectionId,
        limit: 9,
      });
      assert.deepEqual(conflicts, []);
      assert.deepEqual((await proposal(fixture)).state, "branch");
      assert.equal(
        runGit(fixture.remote, "show", `${branch}:skills/two/SKILL.md`).split("\n").at(-1),
        "first",
      );

      const again = edit("again\n");
      await fixture.sync();
      assert.deepEqual([tipOf(fixture), (await proposal(fixture)).state], [again, "edited"]);
      runGit(fixture.remote, "update-ref", "-d", `refs/heads/${branch}`);
      assert.equal(await fixture.sync(), "done");
      assert.equal((await proposal(fixture)).state, "branch");
      assert.equal(runGit(fixture.remote, "log", "-1", "--format=%P", branch), fixture.tip());
    }));

  it("is not changed if it existed before", () =>
    withFixture(async (fixture) => {
      fixture.copy.git("push", "-q", "origin", `HEAD:${branch}`);
      fixture.copy.git("checkout", "-q", "-B", "work");
      fixture.copy.write("own.txt", "own\n");
      fixture.copy.git("add", "-A");
      fixture.copy.git("commit", "-q", "-m", "own");
      fixture.copy.git("push", "-q", "origin", `HEAD:${branch}`);
      const theirs = tipOf(fixture);
      await publish(fixture, "One", "first");

      assert.equal(await fixture.sync(), "done");

      assert.deepEqual([tipOf(fixture), (await proposal(fixture)).state], [theirs, "edited"]);
    }));

  it("is recognized if the mirror, or all sync state, is lost", () =>
    withFixture(async (fixture) => {
      const { app } = service;
      const mirror = fixture.ports.mirrors.open({
        tenantId: fixture.org.id,
        connectionId: fixture.connectionId,
      });
      await publish(fixture, "One", "first");
      await publish(fixture, "Two", "first");
      await fixture.sync();
      const tip = tipOf(fixture);

      await mirror.drop();
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual([tipOf(fixture), (await proposal(fixture)).state], [tip, "branch"]);
      fixture.copy.update();
      fixture.copy.git("checkout", "-q", "-B", "work", `origin/${branch}`);
      fixture.copy.git("merge", "-q", "--no-ff", "--no-edit", "origin/main");
      fixture.copy.git("commit", "-q", "--allow-empty", "-m", "again");
      fixture.copy.git("push", "-q", "origin", `HEAD:${branch}`);
      await mirror.drop();
      await publish(fixture, "One", "second");
      assert.equal(await fixture.sync(), "done");
      assert.equal((await proposal(fixture)).state, "branch", "what holds nothing of theirs is gone on from");
      const next = tipOf(fixture);
      assert.equal(runGit(fixture.remote, "merge-base", next!, tip!), tip);

      await app.storage.syncProposals.removeOfConnection(fixture.connectionId);
      await app.storage.syncProposed.removeOfConnection(fixture.connectionId);
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual([tipOf(fixture), (await proposal(fixture)).state], [next, "branch"]);
      byHand(fixture, ["merge", "-q", "--no-ff", "--no-edit", `origin/${branch}`]);
      assert.equal(await fixture.sync(), "done");
      assert.equal((await proposal(fixture)).state, "none");
    }));
});
