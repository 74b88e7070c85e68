/**
 * GitHub's repositories by both ways of authentication, and GitHub's possible responses, over a loopback stub of its
 * REST interface.
 */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { RepoError, type RepoFailure } from "../../repos/errors.ts";
import { findInstallation, openGitHubAppHost, openGitHubTokenHost } from "../../repos/hosts/github.ts";
import type { RepositoryHost } from "../../repos/hosts/host.ts";
import { openMirrorBench } from "../mirror/fixtures.ts";
import { startGitHub, type StubAnswer, type StubRepository } from "../support/host/github-stub.ts";
import { hostContract } from "../support/host/host-contract.ts";

const stub = await startGitHub();
const bench = await openMirrorBench();

after(async () => {
  await bench.close();
  await stub.close();
});

const place = () => ({ apiUrl: stub.url, webUrl: stub.url, allowPrivateNetwork: true });
const byToken = (repository: StubRepository, token: string) =>
  openGitHubTokenHost(place(), { id: String(repository.id) }, token);
const byApp = (repository: StubRepository) =>
  openGitHubAppHost(place(), stub.app, repository.installationId!, { id: String(repository.id) });
const failsWith = (code: RepoFailure) => (error: unknown) =>
  error instanceof RepoError && error.code === code && !/stub_|Basic/.test(error.message);

type Way = (repository: StubRepository) => RepositoryHost;
const ways: [string, open: Way, asStranger: Way][] = [
  [
    "by a token",
    (repository) => byToken(repository, stub.newToken([repository])),
    (repository) => byToken(repository, stub.newToken([])),
  ],
  ["by the App", byApp, (repository) => byApp({ ...repository, installationId: 1 })],
];

for (const [way, open, asStranger] of ways)
  describe(`a repository at GitHub ${way}`, () => {
    let made = 0;
    hostContract(async () => {
      const name = `acme/${way.split(" ").at(-1)}-contract-${made++}`;
      const repository = await stub.newRepository(name, { installed: true });
      return { bench, repository: repository.repo, host: open(repository), stranger: asStranger(repository) };
    });

    it("has its properties, git address and head", async () => {
      const repository = await stub.newRepository(`acme/${way.split(" ").at(-1)}-plain`, { installed: true });
      const host = open(repository);
      assert.equal(await host.head("main"), undefined, "an empty repository has no head");
      const commit = repository.repo.commit({ "a.txt": "1" });

      const description = await host.describe();
      const head = await host.head("main");

      assert.deepEqual(
        [description.id, description.fullName, description.defaultBranch, description.sizeKb],
        [String(repository.id), repository.fullName, "main", 12],
      );
      assert.notEqual(description.canPush, false);
      assert.ok(head !== "unchanged" && head?.oid === commit && head.etag);
      assert.equal(await host.head("main", head.etag), "unchanged");
      repository.repo.commit({ "a.txt": "2" });
      assert.notEqual(await host.head("main", head.etag), "unchanged");
      assert.equal(await host.head("no/such"), undefined);
    });

    it("remains the same when it is renamed, and is not confused with a new one of its old name", async () => {
      const name = `acme/${way.split(" ").at(-1)}-old`;
      const repository = await stub.newRepository(name, { installed: true });
      stub.rename(repository, `${name}-new`);
      const thief = await stub.newRepository(name, { installed: true });

      const description = await open(repository).describe();
      const remote = await open(repository).remote();

      assert.deepEqual([description.id, description.fullName], [String(repository.id), `${name}-new`]);
      assert.equal(remote.kind === "http" && remote.url, `${stub.url}/${name}-new.git`);
      assert.notEqual(thief.id, repository.id);
      stub.remove(repository);
      await assert.rejects(open(repository).describe(), failsWith("remote_missing"));
      await assert.rejects(open(repository).head("main"), failsWith("remote_missing"));
    });
  });

describe("the App", () => {
  it("gets tokens for one repository and its contents only, one for each job", async () => {
    const repository = await stub.newRepository("acme/narrow", { installed: true });
    stub.asked.length = 0;

    const host = byApp(repository);
    await host.describe();
    await host.remote();
    await host.head("main");
    await byApp(repository).remote();

    const asked = stub.asked.filter(({ path: at }) => at.endsWith("/access_tokens"));
    assert.equal(asked.length, 2);
    assert.deepEqual(asked[0]!.body, {
      repository_ids: [repository.id],
      permissions: { contents: "write", metadata: "read" },
    });
  });

  it("finds its installation, or none if it is not installed", async () => {
    const repository = await stub.newRepository("acme/installed", { installed: true });
    await stub.newRepository("acme/not-installed");

    assert.equal(await findInstallation(place(), stub.app, "acme/installed"), repository.installationId);
    await assert.rejects(
      findInstallation(place(), stub.app, "acme/not-installed"),
      failsWith("remote_missing"),
    );
  });
});

describe("the webhook of a token's connection", () => {
  it("is created once, renewed with another secret, and removed permanently", async () => {
    const repository = await stub.newRepository("acme/hooked");
    const host = byToken(repository, stub.newToken([repository]));

    const first = await host.ensureWebhook!({ url: "https://svc.example/hook", secret: "one" });
    const second = await host.ensureWebhook!({ url: "https://svc.example/hook", secret: "two" });

    assert.equal(second.id, first.id);
    assert.deepEqual(
      repository.hooks.map(({ secret }) => secret),
      ["two"],
    );
    await host.removeWebhook!({ id: first.id, url: "https://svc.example/hook" });
    await host.removeWebhook!({ id: first.id, url: "https://svc.example/hook" });
    assert.deepEqual(repository.hooks, []);
    const weak = byToken(repository, stub.newToken([repository], { webhooks: false }));
    await assert.rejects(
      weak.ensureWebhook!({ url: "https://svc.example/hook", secret: "x" }),
      failsWith("auth_failed"),
    );
  });
});

describe("the webhook of a service with a new address", () => {
  it("is updated to it, and other webhooks are kept", async () => {
    const repository = await stub.newRepository("acme/moved-hook");
    const host = byToken(repository, stub.newToken([repository]));
    const other = { id: 1, url: "https://other.example/hook", secret: "theirs" };
    repository.hooks.push(other);
    const { id } = await host.ensureWebhook!({ url: "https://old.example/hook", secret: "one" });

    await host.ensureWebhook!({ id, url: "https://new.example/hook", secret: "one" });

    assert.deepEqual(
      repository.hooks.map(({ id: hook, url }) => [hook, url]),
      [
        [other.id, other.url],
        [Number(id), "https://new.example/hook"],
      ],
    );
    await host.removeWebhook!({ url: "https://new.example/hook" });
    assert.deepEqual(repository.hooks, [other]);
  });
});

describe("a response of GitHub", () => {
  const soon = () => String(Math.floor(Date.now() / 1000) + 1800);
  const table: [string, StubAnswer, RepoFailure, ((ms: number | undefined) => boolean)?][] = [
    ["credentials that were revoked", { status: 401, body: "{}" }, "auth_failed"],
    [
      "credentials with insufficient scope",
      { status: 403, body: '{"message":"Resource not accessible"}' },
      "auth_failed",
    ],
    [
      "the primary limit",
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": soon() }, body: "{}" },
      "rate_limited",
      (ms) => ms! > 60_000 && ms! <= 1_800_000,
    ],
    [
      "the secondary limit",
      {
        status: 403,
        headers: { "retry-after": "7" },
        body: '{"message":"You have exceeded a secondary rate limit"}',
      },
      "rate_limited",
      (ms) => ms === 7000,
    ],
    [
      "the secondary limit without a time",
      { status: 403, body: '{"message":"You have exceeded a secondary rate limit"}' },
      "rate_limited",
      (ms) => ms === 60_000,
    ],
    [
      "too many requests for a year",
      { status: 429, headers: { "retry-after": "31536000" } },
      "rate_limited",
      (ms) => ms === 3_600_000,
    ],
    ["a missing repository", { status: 404, body: "{}" }, "remote_missing"],
    ["a repository that was taken down", { status: 451, body: "{}" }, "remote_missing"],
    [
      "a failure",
      { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Unicorn</h1>" },
      "remote_failed",
    ],
    [
      "a page",
      { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
      "remote_protocol",
    ],
    ["invalid JSON", { status: 200, body: "{" }, "remote_protocol"],
    ["another repository", { status: 200, body: '{"id":1,"full_name":"evil/twin"}' }, "remote_protocol"],
    ["a name with another path", { status: 200, body: '{"id":1,"full_name":"../../x"}' }, "remote_protocol"],
    [
      "a redirect to another host",
      { status: 301, headers: { location: "http://169.254.169.254/" } },
      "remote_protocol",
    ],
    [
      "a response that is too large",
      { status: 200, body: `"${"x".repeat(9 * 1024 * 1024)}"` },
      "remote_too_large",
    ],
  ];
  for (const [name, answer, code, isWait = () => true] of table)
    it(`is recognized: ${name}`, async () => {
      const repository = await stub.newRepository(`acme/t-${table.findIndex(([one]) => one === name)}`);
      const host = byToken(repository, stub.newToken([repository]));
      stub.trouble(answer);

      await assert.rejects(host.describe(), (error) => {
        assert.ok(error instanceof RepoError, String(error));
        assert.equal(error.code, code, error.message);
        assert.ok(isWait(error.retryAfterMs), String(error.retryAfterMs));
        return true;
      });
    });

  it("is recognized: no response", async () => {
    const unreachable = {
      apiUrl: "http://127.0.0.1:1",
      webUrl: "http://127.0.0.1:1",
      allowPrivateNetwork: true,
    };
    const host = openGitHubTokenHost(unreachable, { id: "1" }, "stub_x");

    await assert.rejects(host.describe(), failsWith("remote_unreachable"));
  });
});
