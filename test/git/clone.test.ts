/** `git clone` from the service, with the real git program on both sides. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { plainGitEnv } from "../support/native-git.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import { waitForNoProcess } from "../support/process-table.ts";
import { startService } from "../support/service.ts";
import { setUpOrganization, newOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { makePackage } from "../support/zip.ts";

interface GitRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs git asynchronously, since this process serves it. */
function git(cwd: string, ...args: string[]): Promise<GitRun> {
  return new Promise((resolve) => {
    execFile("git", args, { cwd, env: plainGitEnv }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

async function done(run: Promise<GitRun>): Promise<string> {
  const { code, stdout, stderr } = await run;
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

const addressOf = (slug: string, token?: string) => {
  const url = new URL(`/${org.slug}/${slug}.git`, service.url);
  if (token !== undefined) Object.assign(url, { username: "anybody", password: token });
  return url.href;
};

interface Published {
  skill: { id: string; slug: string; publicId: string };
  version: { semver: string; commit: string };
}

async function publish(name: string, fields: Record<string, unknown> = {}): Promise<Published> {
  const body = { tenantId: org.id, name, content: `# ${name}\n`, ...fields };
  const answer = await service.call<Published>("POST", "/api/skills", { token: owner.token, body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.data;
}

async function push(
  slug: string,
  fields: Record<string, unknown>,
): Promise<{ semver: string; commit: string }> {
  const answer = await service.call<{ semver: string; commit: string }>(
    "POST",
    `/api/skills/${org.slug}~${slug}/versions`,
    { token: owner.token, body: fields },
  );
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.data;
}

const { service, owner, org } = await setUpOrganization();
const folder = await mkdtemp(path.join(os.tmpdir(), "svc-clone-"));

after(() => rm(folder, { recursive: true, force: true }));

describe("git clone", () => {
  it("returns the current version, its history and a tag for each version, immediately after a push", async () => {
    await publish("History", { visibility: "public" });
    for (const line of ["two", "three"]) await push("history", { content: `# History\n\n${line}\n` });
    const last = await push("history", { content: "# Next\n", prerelease: "rc" });

    const into = path.join(folder, "history");
    await done(git(folder, "clone", "-q", addressOf("history"), into));

    assert.match(readFileSync(path.join(into, "SKILL.md"), "utf8"), /^---\nname: history\n[^]*\nthree\n$/);
    assert.equal(await done(git(into, "rev-list", "--count", "HEAD")), "3");
    assert.equal(await done(git(into, "branch", "--show-current")), "main");
    assert.deepEqual((await done(git(into, "tag"))).split("\n"), [
      "v1.0.0",
      "v1.0.1",
      "v1.0.2",
      "v1.0.3-rc.0",
    ]);
    assert.equal(await done(git(into, "rev-parse", "v1.0.3-rc.0^{commit}")), last.commit);
    assert.doesNotMatch(await done(git(into, "ls-remote", "origin")), /refs\/svc/);
    await done(git(into, "fsck", "--full", "--strict"));
  });

  it("takes the address of the skill's page too", async () => {
    await publish("Plain address", { visibility: "public" });
    const into = path.join(folder, "plain-address");
    await done(git(folder, "clone", "-q", addressOf("plain-address").replace(".git", ""), into));

    assert.match(readFileSync(path.join(into, "SKILL.md"), "utf8"), /# Plain address/);
  });

  it("follows a push and a revert", async () => {
    const into = path.join(folder, "follow");
    const { version } = await publish("Follow", { visibility: "public" });
    await done(git(folder, "clone", "-q", addressOf("follow"), into));
    const next = await push("follow", { content: "# Follow\n\nmore\n" });
    await done(git(into, "fetch", "-q"));
    assert.equal(await done(git(into, "rev-parse", "origin/main")), next.commit);

    const back = await service.call("POST", `/api/skills/${org.slug}~follow/revert`, {
      token: owner.token,
      body: { version: 1 },
    });
    assert.equal(back.status, 200);
    await done(git(into, "fetch", "-q"));
    assert.equal(await done(git(into, "rev-parse", "origin/main")), version.commit);
  });

  it("may be shallow, partial, or of one commit by its id, in each protocol", async () => {
    const { version } = await publish("Parts", { visibility: "public" });
    await push("parts", { content: "# Parts\n\nmore\n" });
    for (const protocol of ["0", "1", "2"]) {
      const options = ["-c", `protocol.version=${protocol}`];
      const shallow = path.join(folder, `shallow-${protocol}`);
      await done(git(folder, ...options, "clone", "-q", "--depth=1", addressOf("parts"), shallow));
      assert.equal(await done(git(shallow, "rev-list", "--count", "HEAD")), "1");

      const partial = path.join(folder, `partial-${protocol}`);
      await done(
        git(
          folder,
          ...options,
          "clone",
          "-q",
          "--filter=blob:none",
          "--no-checkout",
          addressOf("parts"),
          partial,
        ),
      );
      const missing = await done(git(partial, "rev-list", "--objects", "--all", "--missing=print"));
      assert.match(missing, /^\?[0-9a-f]{40}$/m);
      await done(git(partial, "checkout", "-q", "main"));
      for (const filter of ["blob:limit=1k", "tree:0"]) {
        const into = path.join(folder, `${filter}-${protocol}`);
        const args = ["clone", "-q", `--filter=${filter}`, "--no-checkout", addressOf("parts"), into];
        await done(git(folder, ...options, ...args));
      }
      for (const filter of ["sparse:oid=HEAD", "tree:1", "combine:blob:none+tree:1"]) {
        const args = ["clone", "-q", `--filter=${filter}`, addressOf("parts"), path.join(folder, "refused")];
        const { code, stderr } = await git(folder, ...options, ...args);
        assert.notEqual(code, 0, filter);
        assert.match(stderr, /400/, filter);
      }

      const one = path.join(folder, `one-${protocol}`);
      await done(git(folder, "init", "-q", one));
      await done(git(one, ...options, "fetch", "-q", addressOf("parts"), version.commit));
      assert.equal(await done(git(one, "rev-parse", "FETCH_HEAD")), version.commit);
    }
  });

  it("returns a package with names of any script and executable files unchanged", async () => {
    const script = "#!/bin/sh\necho ok\n";
    const uploadId = await service.upload(
      owner,
      makePackage("bundle", {
        "scripts/run.sh": script,
        "assets/naïve 漢字.txt": "text",
        "a/b/c.bin": Buffer.alloc(9),
      }),
    );
    await publish("bundle", { content: undefined, uploadId, visibility: "public" });

    const into = path.join(folder, "bundle");
    await done(git(folder, "clone", "-q", addressOf("bundle"), into));
    assert.deepEqual(readdirSync(into).toSorted(), [".git", "SKILL.md", "a", "assets", "scripts"]);
    assert.equal(readFileSync(path.join(into, "assets", "naïve 漢字.txt"), "utf8"), "text");
    assert.equal(readFileSync(path.join(into, "scripts", "run.sh"), "utf8"), script);
    assert.equal(statSync(path.join(into, "a", "b", "c.bin")).size, 9);
  });

  it("works for thirty concurrent clients", async () => {
    await publish("Crowd", { visibility: "public" });
    const clones = Array.from({ length: 30 }, (_, n) =>
      done(git(folder, "clone", "-q", addressOf("crowd"), path.join(folder, `crowd-${n}`))),
    );
    await Promise.all(clones);
  });

  it("counts as one download", async () => {
    const { skill } = await publish("Counted", { visibility: "public" });
    const into = path.join(folder, "counted");
    await done(git(folder, "clone", "-q", addressOf("counted"), into));
    await done(git(into, "fetch", "-q"));
    await service.settled();
    const target = `/api/skills/${skill.id}/analytics`;
    const total = await until("the download", async () => {
      const { data } = await service.call<{ total: number }>("GET", target, { token: owner.token });
      return data.total > 0 && data.total;
    });
    assert.equal(total, 1);
  });
});

describe("access to clones", () => {
  it("follows the same rule as every other read", async () => {
    const member = await newMember(service, org, "viewer");
    const stranger = await service.newUser();
    const room = await newFolder(service, org, owner, "secret-room");
    await restrict(service, owner, room.id, []);
    await publish("Private one");
    await publish("Unlisted one", { visibility: "unlisted" });
    await publish("Governed one", { visibility: "public", folder: "secret-room" });

    const reach = async (slug: string, token?: string) => {
      const { code, stderr } = await git(folder, "ls-remote", addressOf(slug, token));
      if (code === 0) return "read";
      return /terminal prompts disabled|Authentication failed/.test(stderr)
        ? "asked who"
        : /not found/.test(stderr)
          ? "not found"
          : stderr;
    };
    const facts: [slug: string, anonymous: string, stranger: string, member: string, owner: string][] = [
      ["private-one", "asked who", "not found", "read", "read"],
      ["unlisted-one", "read", "read", "read", "read"],
      ["governed-one", "asked who", "not found", "not found", "read"],
      ["never-was", "asked who", "not found", "not found", "not found"],
    ];
    for (const [slug, ...expected] of facts) {
      const tokens = [undefined, stranger.token, member.token, owner.token];
      const found = await Promise.all(tokens.map((token) => reach(slug, token)));
      assert.deepEqual(found, expected, slug);
    }
    assert.equal(await reach("private-one", `lsk_${"0".repeat(64)}`), "asked who");
  });

  it("returns the same error for hidden and nonexistent skills", async () => {
    const stranger = await service.newUser();
    const basic = `Basic ${Buffer.from(`x:${stranger.token}`).toString("base64")}`;
    const say = async (slug: string, headers: Record<string, string>) => {
      const target = `/${org.slug}/${slug}.git/info/refs?service=git-upload-pack`;
      const response = await service.raw("GET", target, { headers });
      const text = (await response.text()).replaceAll(slug, "it");
      return [
        response.status,
        response.headers.get("www-authenticate"),
        response.headers.get("content-type"),
        text,
      ];
    };
    await publish("Hidden thing");
    for (const headers of [{}, { authorization: basic }] as Record<string, string>[])
      assert.deepEqual(await say("hidden-thing", headers), await say("never-was-here", headers));
    assert.equal((await say("hidden-thing", {}))[1], 'Basic realm="svc"');
  });

  it("is checked again for the pack, so that a revoked right takes effect there", async () => {
    await publish("Twice asked");
    const response = await service.raw("POST", `/${org.slug}/twice-asked.git/git-upload-pack`, {
      headers: { "content-type": "application/x-git-upload-pack-request" },
      bytes: Buffer.from("0000"),
    });
    assert.equal(response.status, 401);
  });

  it("ignores browser sessions, and other routes ignore Basic credentials", async () => {
    await publish("By cookie");
    const byCookie = await service.raw(
      "GET",
      `/${org.slug}/by-cookie.git/info/refs?service=git-upload-pack`,
      {
        cookie: owner.cookie,
      },
    );
    assert.equal(byCookie.status, 401);
    const basic = `Basic ${Buffer.from(`x:${owner.token}`).toString("base64")}`;
    const elsewhere = await service.raw("GET", "/api/user/profile", { headers: { authorization: basic } });
    assert.equal(elsewhere.status, 401);
  });
});

describe("a git client", () => {
  const post = (slug: string, bytes: Buffer, headers: Record<string, string> = {}) =>
    service.raw("POST", `/${org.slug}/${slug}.git/git-upload-pack`, { bytes, headers });

  it("that pushes gets an explanation of how versions are published", async () => {
    await publish("No push", { visibility: "public" });
    const into = path.join(folder, "no-push");
    await done(git(folder, "clone", "-q", addressOf("no-push"), into));
    await done(
      git(into, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "x"),
    );
    const { code, stderr } = await git(into, "push", "-q", addressOf("no-push", owner.token));
    assert.notEqual(code, 0);
    assert.match(stderr, /remote: A skill's repository is read-only\. Publish versions with svc push/);
    assert.equal((await post("no-push", Buffer.from("0000"))).status, 200);
  });

  it("gets nothing by the dumb protocol, or from a path inside the repository", async () => {
    await publish("Dumb", { visibility: "public" });
    for (const [target, status] of [
      ["info/refs", 403],
      ["HEAD", 404],
      ["objects/info/packs", 404],
      ["..%2f..%2fsecrets", 404],
      ["refs/svc/head", 404],
    ] as const)
      assert.equal((await service.raw("GET", `/${org.slug}/dumb.git/${target}`)).status, status, target);
  });

  it("is rejected if its request is too large, packed or not, or malformed", async () => {
    await publish("Flood", { visibility: "public" });
    assert.equal((await post("flood", Buffer.alloc(1_100_000, 48))).status, 413);
    const bomb = gzipSync(Buffer.alloc(50_000_000, 48));
    assert.equal((await post("flood", bomb, { "content-encoding": "gzip" })).status, 400);
    assert.equal((await post("flood", Buffer.from("x"), { "content-encoding": "gzip" })).status, 400);
    assert.equal((await post("flood", Buffer.from("x"), { "content-encoding": "br" })).status, 400);
    const nonsense = await post("flood", Buffer.from("zzzznonsense"), {
      "git-protocol": "version=2; rm -rf /",
    });
    assert.equal(nonsense.status, 400);
    assert.match(await nonsense.text(), /not in Git's packet format/);
  });

  it("gets no object of another skill", async () => {
    const other = await publish("Other secret");
    await publish("Open door", { visibility: "public" });
    const into = path.join(folder, "thief");
    await done(git(folder, "init", "-q", into));
    const { code } = await git(into, "fetch", "-q", addressOf("open-door"), other.version.commit);
    assert.notEqual(code, 0);
  });

  it("that disconnects during a clone leaves no process behind", async () => {
    const big = Buffer.alloc(24_000_000);
    for (let i = 0; i < big.length; i += 4)
      big.writeUInt32LE((Math.imul(i, 2654435761) ^ (i >>> 7)) >>> 0, i);
    const uploadId = await service.upload(owner, makePackage("large", { "big.bin": big }));
    const { version } = await publish("large", { content: undefined, uploadId, visibility: "public" });
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
    const body = `${line("command=fetch\n")}0001${line(`want ${version.commit}\n`)}${line("done\n")}0000`;
    const url = new URL(`/${org.slug}/large.git/git-upload-pack`, service.url);
    await new Promise<void>((resolve, reject) => {
      const call = request(url, { method: "POST", headers: { "git-protocol": "version=2" } }, (response) => {
        response.once("data", () => {
          response.destroy();
          resolve();
        });
      });
      call.on("error", reject);
      call.end(body);
    });
    await waitForNoProcess(service.app.config.gitRoot);
  });
});

describe("a machine without git", () => {
  it("reports that, and serves everything else", async () => {
    const bare = await startService({ gitProgram: "no-such-program" });
    try {
      const { owner: user, org: tenant } = await newOrganization(bare);
      const made = await bare.call<Published>("POST", "/api/skills", {
        token: user.token,
        body: { tenantId: tenant.id, name: "Alone", content: "# Alone\n", visibility: "public" },
      });
      assert.equal(made.status, 201);
      const refs = await bare.raw("GET", `/${tenant.slug}/alone.git/info/refs?service=git-upload-pack`);
      assert.equal(refs.status, 501);
      assert.match(await refs.text(), /no git program\. Install the skill with svc/);
      assert.equal((await bare.raw("GET", `/api/skills/${made.data.skill.id}/package`)).status, 200);
    } finally {
      await bare.close();
    }
  });
});
