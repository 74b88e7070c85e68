/**
 * Pull requests at GitHub by both ways of authentication: found, opened once, updated, closed, and errors of missing
 * permission.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RepoError } from "../../repos/errors.ts";
import { openGitHubAppHost, openGitHubTokenHost } from "../../repos/hosts/github.ts";
import type { RepositoryHost } from "../../repos/hosts/host.ts";
import { runGit } from "../support/host/git-host.ts";
import { mergePull } from "../support/host/github-pulls-stub.ts";
import { startGitHub, type StubRepository } from "../support/host/github-stub.ts";
import { closedAfter } from "../support/set-up.ts";

const stub = await closedAfter(startGitHub());

const place = () => ({ apiUrl: stub.url, webUrl: stub.url, allowPrivateNetwork: true });
const byToken = (repository: StubRepository, token: string) =>
  openGitHubTokenHost(place(), { id: String(repository.id) }, token);
const byApp = (repository: StubRepository) =>
  openGitHubAppHost(place(), stub.app, repository.installationId!, { id: String(repository.id) });

const ways: [string, (repository: StubRepository) => RepositoryHost][] = [
  ["a token", (repository) => byToken(repository, stub.newToken([repository]))],
  ["the App", byApp],
];
const between = { from: "svc-sync/main", to: "main" };

function commitToBranch({ repo }: StubRepository, name: string): void {
  runGit(repo.copy, "checkout", "-q", "-B", "work");
  repo.commit({ [name]: name });
  runGit(repo.copy, "push", "-q", "-f", "origin", "work:refs/heads/svc-sync/main", "main:refs/heads/main");
  runGit(repo.copy, "checkout", "-q", "main");
}

for (const [way, open] of ways)
  describe(`pull requests by ${way}`, () => {
    it("are opened once, distinguished by their state, and updated and closed by their numbers", async () => {
      const repository = await stub.newRepository(`acme/pulls-${way.split(" ")[1]}`, { installed: true });
      repository.repo.commit({ "a.txt": "1" });
      commitToBranch(repository, "b.txt");
      const pulls = open(repository).pullRequests!;
      assert.equal(await pulls.find(between), undefined);

      const made = await pulls.open({ ...between, title: "One", body: "first\n" });
      const again = await pulls.open({ ...between, title: "Two", body: "second\n" });

      assert.deepEqual(
        [made.number, made.state, made.title, made.body, made.commit],
        [1, "open", "One", "first\n", repository.repo.head("svc-sync/main")],
      );
      assert.deepEqual(again, made, "the one that is open is found");
      await pulls.update(1, { title: "Three" });
      assert.deepEqual((await pulls.find(between))?.title, "Three");
      await pulls.close(1);
      assert.equal((await pulls.find(between))?.state, "closed");
      const next = await pulls.open({ ...between, title: "Four", body: "" });
      assert.equal(next.number, 2);
      mergePull(repository, repository.pulls[1]!, "squash");
      assert.deepEqual(
        [(await pulls.find(between))?.state, (await pulls.find(between))?.number],
        ["merged", 2],
      );
      assert.equal(await pulls.find({ from: "main", to: "svc-sync/main" }), undefined);
      await assert.rejects(pulls.open({ from: "no/such", to: "main", title: "x", body: "" }), RepoError);
    });
  });

describe("pull requests that are not allowed", () => {
  const names = (error: unknown) =>
    error instanceof RepoError && error.code === "auth_failed" && /"Pull requests: read/.test(error.message);

  it("report the permission that a token lacks", async () => {
    const repository = await stub.newRepository("acme/no-pulls-token");
    const host = byToken(repository, stub.newToken([repository], { pulls: false }));

    await assert.rejects(host.pullRequests!.find(between), names);
    await assert.rejects(host.pullRequests!.open({ ...between, title: "x", body: "" }), names);
  });

  it("report the permission that the App lacks, which syncs without it", async () => {
    const repository = await stub.newRepository("acme/no-pulls-app", { installed: true });
    repository.allowsPulls = false;
    const host = byApp(repository);

    await assert.rejects(host.pullRequests!.find(between), names);
    assert.equal((await host.remote()).kind, "http");
  });
});
