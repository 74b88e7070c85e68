import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { inspect } from "node:util";
import { RepoError } from "../../repos/errors.ts";
import type { Mirror, Remote } from "../../repos/mirror/types.ts";
import { isPublicAddress } from "../../repos/transport/address.ts";
import { branchRef } from "../../repos/transport/connect.ts";
import { commitInfo, openMirrorBench, tenantId, text } from "../mirror/fixtures.ts";
import type { HostedRepo, Trouble } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";

const secret = "token-that-must-not-leak";
let mirror: Mirror;

const bench = await closedAfter(openMirrorBench());
const repository = await bench.host.newRepository({ secret });
repository.commit({ "skills/a/SKILL.md": "# A\n", "data.bin": "x".repeat(300_000) });

beforeEach(async () => {
  await bench.host.calm();
  mirror = bench.newMirror();
});

async function failureOf(action: Promise<unknown>): Promise<RepoError> {
  const error: unknown = await action.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof RepoError, `failed with ${inspect(error)}`);
  const shown = inspect(error, { depth: 10, showHidden: true });
  for (const word of [secret, Buffer.from(`x-access-token:${secret}`).toString("base64")])
    assert.ok(!shown.includes(word), `the error holds the credentials: ${shown}`);
  return error;
}

const fetch = (remote: Remote = repository.remote, options = {}) => mirror.fetch(remote, "main", options);

describe("a host", () => {
  it("that wants other credentials is distinguished from one without such a repository", async () => {
    const { authorization: _none, ...anonymous } = repository.remote;
    assert.equal((await failureOf(fetch(anonymous))).code, "auth_failed");
    assert.equal(
      (await failureOf(fetch({ ...repository.remote, authorization: "Bearer wrong" }))).code,
      "auth_failed",
    );
    const missing = { ...repository.remote, url: `${bench.host.url}/nothing.git` };
    assert.equal((await failureOf(fetch(missing))).code, "remote_missing");
    const broken = { ...repository.remote, authorization: `Basic ${secret}\r\nX-Evil: 1` };
    assert.equal((await failureOf(fetch(broken))).code, "invalid_remote");
  });

  const answers: [Trouble["answer"] & object, code: string, retryAfterMs?: number][] = [
    [{ status: 403, body: "Permission denied" }, "auth_failed"],
    [{ status: 403, headers: { "retry-after": "7" } }, "rate_limited", 7000],
    [{ status: 403, body: "You have exceeded a secondary rate limit." }, "rate_limited"],
    [{ status: 429, headers: { "retry-after": "999999" } }, "rate_limited", 3_600_000],
    [{ status: 404, body: "<html>" }, "remote_missing"],
    [{ status: 500 }, "remote_failed"],
    [{ status: 503, headers: { "retry-after": "2" }, body: "<html>" }, "remote_failed", 2000],
    [{ status: 418 }, "remote_protocol"],
    [
      { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
      "remote_protocol",
    ],
    [
      {
        status: 200,
        headers: { "content-type": "application/x-git-upload-pack-advertisement" },
        body: "<html>",
      },
      "remote_protocol",
    ],
    [
      { status: 200, headers: { "content-type": "application/x-git-upload-pack-advertisement" } },
      "remote_protocol",
    ],
    [{ status: 302, headers: { location: "http://127.0.0.1:1/elsewhere" } }, "remote_protocol"],
    [{ status: 302, headers: { location: "file:///etc/passwd" } }, "remote_protocol"],
    [{ status: 302 }, "remote_protocol"],
  ];
  for (const [answer, code, retryAfterMs] of answers)
    for (const on of ["fetch-refs", "fetch"] as const)
      it(`that answers ${answer.status} ${answer.body ?? ""} ${JSON.stringify(answer.headers ?? {})} to ${on}: ${code}`, async () => {
        await bench.host.trouble({ on, answer });

        const error = await failureOf(fetch());

        assert.equal(error.code, code);
        assert.equal(error.retryAfterMs, retryAfterMs);
      });

  it("is followed to another address of its own, also by the following requests", async () => {
    const asked = bench.host.asked.length;
    const location = new URL(repository.remote.url).pathname;
    await bench.host.trouble({
      on: "fetch-refs",
      times: 1,
      answer: { status: 301, headers: { location: `${location}/info/refs?service=git-upload-pack` } },
    });

    const old = await fetch({ ...repository.remote, url: `${bench.host.url}/renamed.git` }).catch(
      (error: unknown) => error,
    );

    // The old name is unknown to the host: only the redirect leads on.
    assert.ok(!(old instanceof Error), String(old));
    assert.equal(bench.host.asked.length - asked, 3);
  });

  it("that redirects endlessly is given up", async () => {
    const location = `${new URL(repository.remote.url).pathname}/info/refs?service=git-upload-pack`;
    await bench.host.trouble({ on: "fetch-refs", answer: { status: 307, headers: { location } } });

    assert.equal((await failureOf(fetch())).code, "remote_protocol");
  });

  it("that is truncated anywhere is never treated as empty, or without the branch", async () => {
    for (const on of ["fetch-refs", "fetch"] as const)
      for (const cutAfterBytes of [0, 3, 40, 60, 150, 250]) {
        mirror = bench.newMirror();
        await bench.host.trouble({ on, cutAfterBytes, times: 1 });
        const error = await failureOf(fetch());
        assert.ok(
          ["remote_unreachable", "remote_protocol"].includes(error.code) && error.retryable,
          `${on} cut after ${cutAfterBytes}: ${error.code}`,
        );
        await bench.host.calm();
      }
    assert.equal((await fetch()).status, "fetched");
  });

  it("that sends nothing, or too slowly, is given up", async () => {
    await bench.host.trouble({ on: "fetch-refs", silent: true });
    const started = performance.now();

    for (const limit of [{ silenceMs: 300 }, { requestMs: 300 }]) {
      mirror = bench.reopen(limit).open({ tenantId, connectionId: "d".repeat(24) });
      assert.equal((await failureOf(fetch())).code, "remote_unreachable");
    }

    assert.ok(performance.now() - started < 50_000, "before the limits of the product");
    const gone = { ...repository.remote, url: "http://127.0.0.1:9/x.git" };
    assert.equal((await failureOf(fetch(gone))).code, "remote_unreachable");
  });

  it("that sends nothing is given up earlier for a look-up than for a fetch", async () => {
    await bench.host.trouble({ on: "fetch-refs", silent: true });
    const patient = bench.reopen({ lookSilenceMs: 300 });
    const dribbling = bench.reopen({ lookRequestMs: 300 });
    const started = performance.now();

    for (const mirrors of [patient, dribbling]) {
      assert.equal((await failureOf(mirrors.head(repository.remote, "main"))).code, "remote_unreachable");
      assert.equal((await failureOf(mirrors.inspect(repository.remote))).code, "remote_unreachable");
    }

    assert.ok(performance.now() - started < 50_000, "before the limits of a fetch");
  });

  it("is disconnected at once when the caller aborts", async () => {
    await bench.host.trouble({ on: "fetch-refs", silent: true });
    const started = performance.now();

    const error = await failureOf(fetch(repository.remote, { signal: AbortSignal.timeout(100) }));

    assert.equal(error.code, "remote_unreachable");
    assert.ok(performance.now() - started < 50_000, "before the limits of the product");
    assert.equal(
      (await failureOf(fetch(repository.remote, { signal: AbortSignal.abort() }))).code,
      "remote_unreachable",
    );
  });

  it("that sends more than the limit is given up, and the mirror is unchanged", async () => {
    const big = await bench.host.newRepository();
    big.commit({ "skills/a/SKILL.md": "# A\n" });
    const first = await mirror.fetch(big.remote, "main");
    assert.equal(first.status, "fetched");
    const { randomBytes } = await import("node:crypto");
    big.commit({ "video.bin": randomBytes(400_000) });

    const error = await failureOf(mirror.fetch(big.remote, "main", { maxBytes: 100_000 }));

    assert.equal(error.code, "remote_too_large");
    assert.equal((await mirror.fetch(big.remote, "main")).status, "fetched");
  });
});

describe("an address", () => {
  const at = (url: string): Remote => ({ kind: "http", url, allowPrivateNetwork: false });
  for (const url of [
    "https://127.0.0.1/x.git",
    "https://localhost/x.git",
    "https://0x7f.1/x.git",
    "https://2130706433/x.git",
    "https://[::1]/x.git",
    "https://[::ffff:127.0.0.1]/x.git",
    "https://169.254.169.254/latest",
    "https://10.1.2.3:8080/x.git",
  ])
    it(`${url} leads into a private network, and no connection is made`, async () => {
      assert.equal((await failureOf(fetch(at(url)))).code, "remote_forbidden");
    });

  for (const url of [
    "x",
    "ftp://example.com/x.git",
    "file:///etc",
    "http://example.com/x.git",
    "https://user:password@example.com/x.git",
    "https://example.com/x.git?token=1",
    "https://example.com/x.git#x",
  ])
    it(`${url} is invalid`, async () => {
      const error = await failureOf(fetch(at(url)));
      assert.equal(error.code, "invalid_remote");
      assert.ok(!error.message.includes("password@"));
    });

  it("is classified as public or private", () => {
    for (const address of ["140.82.121.4", "2606:50c0:8000::153", "1.1.1.1"])
      assert.ok(isPublicAddress(address), address);
    for (const address of [
      "100.64.0.1",
      "192.168.1.1",
      "fd00::1",
      "fe80::1%eth0",
      "64:ff9b::7f00:1",
      "::7f00:1",
      "224.0.0.1",
      "x",
    ])
      assert.ok(!isPublicAddress(address), address);
  });
});

describe("a branch", () => {
  it("must have a name that git accepts", () => {
    for (const name of ["main", "feature/x-1", "é", "v1.2"])
      assert.equal(branchRef(name), `refs/heads/${name}`);
    for (const name of [
      "",
      "@",
      "-x",
      "a..b",
      "a b",
      "a~1",
      "a:b",
      "x.lock",
      "x.lock/y",
      "/x",
      "x/",
      "x//y",
      "x/.y",
      "a@{1}",
      "a\\b",
      "x\n",
      "x.",
      "a*",
      "x".repeat(300),
    ])
      assert.throws(() => branchRef(name), { code: "invalid_remote" }, JSON.stringify(name));
  });
});

describe("a push", () => {
  async function prepared(target: HostedRepo, words: string) {
    const fetched = await mirror.fetch(target.remote, "main");
    const parent = fetched.status === "fetched" ? fetched.commit : null;
    const built = await mirror.build(parent, [text("skills/new", words)], commitInfo);
    assert.ok(built.prepared);
    return built.prepared;
  }

  it("that lost to another push is reported as stale, before and after the host was asked", async () => {
    const one = await prepared(repository, "one");
    const other = repository.commit({ "note.txt": "first" });
    assert.deepEqual(await mirror.push(repository.remote, "main", one), { status: "stale" });

    const two = await prepared(repository, "two");
    let raced = "";
    await bench.host.race(repository, () => {
      raced = repository.commit({ "note.txt": "in between" });
    });
    assert.deepEqual(await mirror.push(repository.remote, "main", two), { status: "stale" });
    assert.notEqual(raced, other);
    assert.equal(repository.head(), raced);

    const three = await prepared(repository, "three");
    assert.deepEqual(await mirror.push(repository.remote, "main", three), { status: "pushed" });
  });

  it("to a repository that is not empty any more is stale as well", async () => {
    const empty = await bench.host.newRepository();
    const first = await prepared(empty, "first");
    await bench.host.race(empty, () => empty.commit({ "x.txt": "x" }));
    assert.deepEqual(await mirror.push(empty.remote, "main", first), { status: "stale" });
  });

  it("whose response is lost turns out to have been accepted", async () => {
    const next = await prepared(repository, "lost");
    await bench.host.trouble({ on: "push", loseAnswer: true, times: 1 });
    const error = await failureOf(mirror.push(repository.remote, "main", next));
    assert.ok(error.retryable, error.code);

    assert.deepEqual(await mirror.push(repository.remote, "main", next), { status: "pushed" });
    assert.equal(repository.head(), next.commit);
    const fetched = await mirror.fetch(repository.remote, "main");
    assert.deepEqual(fetched.status === "fetched" && [fetched.commit, fetched.bytes], [next.commit, 0]);
  });

  it("is rejected for a protected branch, and nothing changes", async () => {
    const target = await bench.host.newRepository();
    target.commit({ "x.txt": "x" });
    const { protectedBranchHook } = await import("../support/host/git-host.ts");
    target.hook("pre-receive", protectedBranchHook);
    const head = target.head();

    const result = await mirror.push(target.remote, "main", await prepared(target, "x"));

    assert.equal(result.status, "rejected");
    if (result.status !== "rejected") return;
    assert.equal(result.cause, "protected");
    assert.match(result.reason, /pre-receive hook declined/);
    assert.match(result.text, /GH006: Protected branch update failed/);
    assert.equal(target.head(), head);
  });

  it("is rejected for a secret, naming the file", async () => {
    const target = await bench.host.newRepository();
    const { secretScanningHook } = await import("../support/host/git-host.ts");
    target.hook("pre-receive", `${secretScanningHook}\nprintf '\\033[31m\\007' >&2`);

    const result = await mirror.push(target.remote, "main", await prepared(target, "SECRET-TOKEN"));

    assert.equal(result.status, "rejected");
    if (result.status !== "rejected") return;
    assert.equal(result.cause, "content");
    assert.deepEqual(result.paths, ["skills/new/SKILL.md"]);
    // oxlint-disable-next-line no-control-regex -- what must not come through
    assert.doesNotMatch(result.text, /[\0-\x09\x0b-\x1f]/);
    const clean = await mirror.push(target.remote, "main", await prepared(target, "clean"));
    assert.equal(clean.status, "pushed");
  });

  it("is rejected with the hook's message", async () => {
    const target = await bench.host.newRepository();
    target.hook("update", 'echo "not on Fridays" >&2; exit 1');

    const result = await mirror.push(target.remote, "main", await prepared(target, "x"));

    assert.equal(result.status === "rejected" && result.cause, "other");
    assert.match(result.status === "rejected" ? result.text : "", /not on Fridays/);
  });

  for (const [answer, code] of [
    [{ status: 403, body: "no write access" }, "auth_failed"],
    [{ status: 413 }, "remote_too_large"],
    [{ status: 500 }, "remote_failed"],
    [{ status: 200, headers: { "content-type": "text/html" }, body: "<html>" }, "remote_protocol"],
    [
      { status: 200, headers: { "content-type": "application/x-git-receive-pack-result" } },
      "remote_protocol",
    ],
  ] as const)
    it(`that gets ${answer.status} fails with ${code}, while it is still being sent`, async () => {
      const next = await prepared(repository, `${code} ${answer.status}`);
      await bench.host.trouble({ on: "push", answer });

      assert.equal((await failureOf(mirror.push(repository.remote, "main", next))).code, code);
    });

  it("of many megabytes arrives completely", async () => {
    const target = await bench.host.newRepository();
    const { randomBytes } = await import("node:crypto");
    const { put, file } = await import("../mirror/fixtures.ts");
    const large = { path: "data.bin", mode: "100644" as const, data: randomBytes(20_000_000) };
    const id = { tenantId, connectionId: "f".repeat(24) };
    mirror = bench.reopen().open(id);
    const { prepared: next } = await mirror.build(
      null,
      [put("skills/big", [file("SKILL.md", "# Big\n"), large])],
      commitInfo,
    );
    assert.ok(next && next.bytes > 20_000_000);

    assert.equal((await mirror.push(target.remote, "main", next)).status, "pushed");
    const again = bench.reopen().open({ ...id, connectionId: "e".repeat(24) });
    assert.equal((await again.fetch(target.remote, "main")).status, "fetched");
  });
});
