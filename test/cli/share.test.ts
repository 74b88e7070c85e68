/**
 * `svc share` against the real service: people and programs, the identity on disk, and responses of a broken service.
 */
import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { z } from "zod";
import type { Config } from "../../cli/state/config.ts";
import { limits } from "../../contract/limits.ts";
import type { cliPayloads } from "../../contract/payloads/cli/cli.ts";
import { setUpService } from "../support/set-up.ts";
import { answer, startServer, svc, temporaryFolder, type Ran } from "./harness.ts";

type Shared = z.output<(typeof cliPayloads)["share"]>;
type Listed = z.output<(typeof cliPayloads)["shareList"]>;

const { service } = await setUpService();

interface Machine {
  home: string;
  run(...argv: string[]): Promise<Ran>;
  json(...argv: string[]): Promise<Ran>;
  config(): Promise<Config>;
}

async function machine(t: TestContext, env: NodeJS.ProcessEnv = {}): Promise<Machine> {
  const home = await temporaryFolder(t);
  await writeFile(join(home, "review.md"), "---\nname: Code review\n---\n# Review\n");
  await mkdir(join(home, "kit", "data"), { recursive: true });
  await writeFile(join(home, "kit", "SKILL.md"), "---\nname: kit\ndescription: d\n---\n# Kit\n");
  await writeFile(join(home, "kit", "data", "x.bin"), Buffer.from([0, 255, 1]));
  const run = (...argv: string[]) => svc(argv, { home, env: { SVC_API_URL: service.url, ...env } });
  return {
    home,
    run,
    json: (...argv) => run(...argv, "-o", "json"),
    config: async () => JSON.parse(await readFile(join(home, ".svc", "config.json"), "utf8")) as Config,
  };
}

const shared = (ran: Ran): Shared => {
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(ran.stderr, "");
  return ran.data as Shared;
};

describe("svc share", () => {
  it("returns a link to programs", async (t) => {
    const { json } = await machine(t);

    const done = shared(await json("share", "review.md"));

    assert.deepEqual(done.skill, { publicId: done.skill.publicId, slug: "code-review", name: "Code review" });
    assert.equal(done.url, `${service.url}/s/${done.skill.publicId}`);
    assert.equal(done.installCommand, `svc install ${done.url}`);
    assert.deepEqual(done.identity, {
      username: done.identity.username,
      tenantSlug: done.identity.username,
      anonymous: true,
    });
    const found = await service.call<{ visibility: string; tenantSlug: string }>(
      "GET",
      `/api/skills/${done.skill.publicId}`,
    );
    assert.deepEqual([found.data.visibility, found.data.tenantSlug], ["unlisted", done.identity.username]);
  });

  it("prints the link for people, and what unlisted means", async (t) => {
    const { run } = await machine(t);

    const { code, stdout, stderr } = await run("share", "kit", "-n", "My kit");

    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Shared My kit without an account\.\n/);
    assert.match(stdout, /Install it with: svc install http\S+\/s\/[A-Za-z0-9]{10}\n/);
    assert.match(stdout, /unlisted: no list or search shows it, and anyone with the link/);
  });

  it("returns the existing share with a warning, and creates another one for a different text", async (t) => {
    const { home, json, run } = await machine(t);
    const first = shared(await json("share", "kit"));

    const again = shared(await json("share", "kit"));
    assert.equal(again.url, first.url);
    assert.equal(again.warnings.length, 1);
    const output = await run("share", "kit");
    assert.match(output.stdout, /^kit is already shared\./);
    assert.match(output.stderr, /warning You share this already/);

    await writeFile(join(home, "kit", "more.txt"), "more");
    assert.equal(shared(await json("share", "kit")).skill.slug, "kit-2");
  });

  it("accepts a name and a type; the link can be installed without a login", async (t) => {
    const { json, home } = await machine(t);
    const rule = shared(await json("share", "review.md", "-n", "House rule", "--type", "rule"));

    const elsewhere = await temporaryFolder(t);
    const installed = await svc(
      ["install", rule.url, "-t", "claude", "-g", "-o", "json", "--trust", rule.identity.tenantSlug],
      {
        home: elsewhere,
        env: { SVC_API_URL: service.url },
      },
    );
    assert.equal(installed.code, 0, installed.stderr);
    assert.equal((installed.data as { skill: { type: string } }).skill.type, "rule");
    assert.notEqual(home, elsewhere);
  });

  it("uses the anonymous identity also when the user is logged in, and no token", async (t) => {
    const person = await service.newUser();
    const { json } = await machine(t, { SVC_TOKEN: person.token });

    assert.match(shared(await json("share", "review.md")).identity.username, /^anon-/);
  });

  it("requires the path from programs, and rejects incompatible flags", async (t) => {
    const { json } = await machine(t);
    const { error } = await json("share");
    assert.deepEqual([error.code, error.details?.["flag"]], ["E_INTERACTION_REQUIRED", "<path>"]);
    for (const [flag, ...argv] of [
      ["--type", "review.md", "--type", "prompt"],
      ["--name", "review.md", "-n", "a", "-n", "b"],
      ["--list", "--list", "--delete", "x"],
      ["--list", "--list", "-n", "x"],
      ["--delete", "--delete", "x", "--type", "rule"],
      ["<path>", "review.md", "--list"],
      ["<path>", "review.md", "--delete", "x"],
    ]) {
      const refused = await json("share", ...argv);
      assert.equal(refused.error.code, "E_INVALID_ARGUMENT", argv.join(" "));
      assert.ok(String(refused.error.details?.["flag"]).length > 0, flag);
    }
    assert.equal((await json("share", "missing.md")).error.code, "E_NOT_FOUND");
  });
});

describe("the limit of shares, for people and programs", () => {
  it("is explained with a remedy, and --list and --delete implement it", async (t) => {
    const { home, json, run } = await machine(t);
    assert.deepEqual((await json("share", "--list")).data, []);
    assert.match((await run("share", "--list")).stdout, /^You share nothing/);
    for (let i = 0; i < limits.anonymousShares; i++) {
      await writeFile(join(home, "n.md"), `text ${i}\n`);
      shared(await json("share", "n.md", "-n", `Note ${i}`));
    }

    const { error } = await json("share", "kit");
    assert.equal(error.code, "E_API");
    assert.equal(error.details?.["httpStatus"], 422);
    assert.match(error.message, /shares 10 skills.*svc share --list.*svc share --delete <slug>/);
    const listed = (await json("share", "--list")).data as Listed;
    assert.deepEqual(
      listed.map(({ slug }) => slug).sort(),
      Array.from({ length: limits.anonymousShares }, (_, i) => `note-${i}`),
    );
    const table = (await run("share", "--list")).stdout;
    assert.match(table, /SLUG +VERSION +LINK +NAME/);
    assert.match(table, /10 of 10 shares/);
    assert.ok(table.includes(listed[0]!.url));

    const byLink = await json("share", "--delete", listed.find(({ slug }) => slug === "note-1")!.url);
    assert.deepEqual(byLink.data, {
      skill: {
        publicId: listed.find(({ slug }) => slug === "note-1")!.publicId,
        slug: "note-1",
        name: "Note 1",
      },
      deleted: true,
    });
    const byId = listed.find(({ slug }) => slug === "note-2")!.publicId;
    assert.match((await run("share", "--delete", byId)).stdout, /^Deleted Note 2: its link leads nowhere/);
    assert.equal((await json("share", "--delete", "note-3")).code, 0);
    shared(await json("share", "kit"));
    assert.equal(((await json("share", "--list")).data as Listed).length, 8);
  });

  it("does not find the shares of others", async (t) => {
    const [mine, theirs] = [await machine(t), await machine(t)];
    const { skill, url } = shared(await theirs.json("share", "review.md"));
    for (const ref of [skill.publicId, skill.slug, url, "\u001b[31mred"]) {
      const { error } = await mine.json("share", "--delete", ref);
      assert.deepEqual([error.code, error.details?.["kind"]], ["E_NOT_FOUND", "skill"]);
      assert.ok(!error.message.includes("\u001b"));
    }
    shared(await mine.json("share", "review.md"));
    assert.equal((await mine.json("share", "--delete", url)).error.code, "E_NOT_FOUND");
    assert.equal(((await theirs.json("share", "--list")).data as Listed).length, 1);
  });
});

describe("the identity on disk", () => {
  it("is one per service, readable by its owner only, and never sent", async (t) => {
    const { home, json, config } = await machine(t);
    shared(await json("share", "review.md"));

    const keys = Object.entries((await config()).identities!);
    assert.deepEqual(
      keys.map(([origin]) => origin),
      [service.url],
    );
    const [, key] = keys[0]!;
    assert.equal((await stat(join(home, ".svc", "config.json"))).mode & 0o777, 0o600);
    const bodies: string[] = [];
    const other = await startServer(t, async (request, response) => {
      let body = JSON.stringify(request.headers);
      for await (const chunk of request) body += String(chunk);
      bodies.push(body);
      answer(response, 404, {
        success: false,
        error: "There is nothing here.",
        code: "not_found",
        requestId: "r",
      });
    });
    const { error } = await json("share", "review.md").then(() =>
      svc(["share", "review.md", "-o", "json"], { home, env: { SVC_API_URL: other } }),
    );
    assert.equal(error.code, "E_API");
    assert.match(error.message, /does not offer sharing without an account/);
    const { identities } = await config();
    assert.deepEqual(Object.keys(identities!).sort(), [service.url, other].sort());
    assert.notEqual(identities![other]!.publicKey, key.publicKey);
    for (const { privateKey } of Object.values(identities!))
      assert.ok(!bodies.join().includes(privateKey), "a private key was sent");
  });

  it("is registered again if the service lost it, with the same key", async (t) => {
    const { json, config } = await machine(t);
    const first = shared(await json("share", "review.md"));
    const { publicKey } = (await config()).identities![service.url]!;
    const { raw } = service.app.storage.database;
    await raw.collection("anonymous_identities").deleteOne({ publicKey });

    assert.deepEqual((await json("share", "--list")).data, []);
    assert.equal((await json("share", "--delete", "code-review")).error.code, "E_NOT_FOUND");
    const again = shared(await json("share", "kit"));

    assert.notEqual(again.identity.username, first.identity.username);
    assert.equal((await config()).identities![service.url]!.publicKey, publicKey);
    assert.equal(((await json("share", "--list")).data as Listed).length, 1);
  });

  it("is set aside with its config if it is damaged; an older config without one is valid", async (t) => {
    const { home, json, run } = await machine(t);
    await mkdir(join(home, ".svc"));
    const file = join(home, ".svc", "config.json");
    const older = {
      version: 1,
      activeProfile: "default",
      profiles: { default: { installed: {}, preferences: {} } },
    };
    await writeFile(file, JSON.stringify(older));
    assert.equal((await json("share", "--list")).code, 0);

    await writeFile(file, JSON.stringify({ ...older, identities: { [service.url]: { publicKey: "x" } } }));
    const { stderr } = await run("share", "review.md");
    assert.match(stderr, /an anonymous identity is broken\) and is kept as/);
  });
});

describe("a service that is not a valid registry", () => {
  /** Registers every key, then returns the given data as the share. */
  const pretend = (t: TestContext, shareAnswer: (url: string) => [number, unknown]) =>
    startServer(t, (request, response, url) => {
      request.resume();
      const ok = (data: unknown) => answer(response, 200, { success: true, data });
      if (url.pathname.endsWith("/register")) return ok({ identity: { id: "0".repeat(24) } });
      const [status, body] = shareAnswer(url.pathname);
      return answer(response, status, body);
    });
  const good = {
    skill: { publicId: "aaaaaaaaaa", slug: "x", name: "X" },
    identity: { username: "anon-x", tenantSlug: "anon-x", anonymous: true },
    unchanged: false,
    warnings: [],
  };

  it("can't put a command after its link", async (t) => {
    const { home } = await machine(t);
    for (const url of [
      "https://evil.example/s/aaaaaaaaaa; rm -rf ~",
      "https://evil.example/$(id)/s/aaaaaaaaaa",
      "javascript:alert(1)",
      "https://user:password@evil.example/s/aaaaaaaaaa",
      "\u001b]0;title\u0007https://evil.example/s/aaaaaaaaaa",
      "/s/aaaaaaaaaa",
    ]) {
      const apiUrl = await pretend(t, () => [
        201,
        { success: true, data: { ...good, url, installCommand: "rm -rf ~" } },
      ]);
      const { error } = await svc(["share", "review.md", "-o", "json"], {
        home,
        env: { SVC_API_URL: apiUrl },
      });
      assert.equal(error.code, "E_NETWORK", url);
    }
    const apiUrl = await pretend(t, () => [
      201,
      {
        success: true,
        data: { ...good, url: "https://skills.example/s/aaaaaaaaaa", installCommand: "rm -rf ~" },
      },
    ]);
    const done = await svc(["share", "review.md", "-o", "json"], { home, env: { SVC_API_URL: apiUrl } });
    assert.equal(shared(done).installCommand, "svc install https://skills.example/s/aaaaaaaaaa");
  });

  it("reports a rejected signature, not a missing login, and is not called endlessly", async (t) => {
    const { home } = await machine(t);
    for (const [reason, most] of [
      ["unknown_key", 2],
      ["clock", 2],
      ["signature", 1],
    ] as const) {
      let asked = 0;
      const apiUrl = await pretend(t, () => {
        asked++;
        return [
          401,
          {
            success: false,
            error: "No.",
            code: "unauthenticated",
            details: { reason, serverTime: 4_000_000_000 },
            requestId: "r",
          },
        ];
      });
      const { error } = await svc(["share", "review.md", "-o", "json"], {
        home,
        env: { SVC_API_URL: apiUrl },
      });
      assert.deepEqual([error.code, error.message], ["E_NOT_AUTHENTICATED", "No."]);
      assert.ok(asked <= most, `${reason}: ${asked}`);
    }
  });
});
