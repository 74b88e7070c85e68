/**
 * Sharing without an account, with the built service and the built `svc`: a link from one machine, an install on
 * another, twenty concurrent runs with one identity, and the state after a killed service.
 */
import assert from "node:assert/strict";
import { readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { z } from "zod";
import type { Config } from "../../cli/state/config.ts";
import { limits } from "../../contract/limits.ts";
import type { cliPayloads } from "../../contract/payloads/cli/cli.ts";
import { keepContract, keepFailure } from "../support/cli-contract.ts";
import { openCli, type Cli } from "../support/cli.ts";
import { sharedEngines } from "../support/engine.ts";
import { writeTree } from "../support/file-tree.ts";
import { callApi, newAccount, newOrganization } from "../support/http-client.ts";
import {
  assertNothingRuns,
  removeFolder,
  startServer,
  temporaryFolder,
  type Server,
} from "../support/server.ts";

type Shared = z.output<(typeof cliPayloads)["share"]>;
type Listed = z.output<(typeof cliPayloads)["shareList"]>;

const folders: string[] = [];
const folder = (name: string) => {
  const made = realpathSync(temporaryFolder(name));
  folders.push(made);
  return made;
};

const dataDir = folder("journey");
const work = folder("work");
const engines = await sharedEngines();
let server: Server = await startServer({ dataDir, env: engines });
const alice = openCli({ home: folder("alice"), apiUrl: () => server.url, cwd: work, isRepeatedInside: true });
const bob = openCli({ home: folder("bob"), apiUrl: () => server.url, cwd: work, isRepeatedInside: true });
writeFileSync(path.join(work, "review.md"), "---\nname: Code review\ndescription: Reads\n---\n# Review\n");
writeTree(work, {
  "kit/SKILL.md": { bytes: Buffer.from("---\nname: kit\ndescription: A kit\n---\n# Kit\n") },
  "kit/scripts/run.sh": { bytes: Buffer.from("#!/bin/sh\n") },
});

after(async () => {
  await server.stop();
  await assertNothingRuns(dataDir);
  for (const one of folders) removeFolder(one);
});

const configOf = (cli: Cli) =>
  JSON.parse(readFileSync(path.join(cli.home, ".svc", "config.json"), "utf8")) as Config;

describe("sharing from one machine to another", () => {
  it("works without any account: a link, a page, an install, an update", async () => {
    const shared = (await alice.json(["share", "review.md"])) as Shared;
    const page = await fetch(shared.url);
    assert.equal(page.status, 200);
    assert.ok((await page.text()).includes(shared.installCommand));

    const words = shared.installCommand.split(" ").slice(1);
    const where = ["-t", "claude", "--global"];
    await bob.json([...words, ...where]);
    const installed = path.join(bob.home, ".claude", "skills", "code-review", "SKILL.md");
    assert.match(readFileSync(installed, "utf8"), /# Review\n$/);

    const kit = (await alice.json(["share", "kit"])) as Shared;
    await bob.json(["install", kit.url, ...where]);
    assert.ok(statSync(path.join(bob.home, ".claude", "skills", "kit", "scripts", "run.sh")).isFile());
    assert.deepEqual(await bob.json(["list", "--public"]), []);
    assert.equal(
      (await bob.failure(["install", "kit", "-t", "claude", "--global"])).code,
      "E_NOT_AUTHENTICATED",
    );
  });

  it("prints the same for people", async () => {
    const { stdout, code } = await alice.run(["share", "review.md"]);
    assert.equal(code, 0);
    assert.match(stdout, /Install it with: svc install http/);
    const listed = await alice.run(["share", "--list"]);
    assert.match(listed.stdout, /2 of 10 shares/);
  });

  it("makes deleted shares unavailable to everyone", async () => {
    const [first] = (await alice.json(["share", "--list"])) as Listed;
    assert.equal((await bob.failure(["share", "--delete", first!.url])).code, "E_NOT_FOUND");
    await alice.json(["share", "--delete", first!.url]);
    assert.equal((await fetch(first!.url, { redirect: "manual" })).status, 303);
    assert.equal(
      (await bob.failure(["install", first!.url, "-t", "claude", "--global"])).code,
      "E_NOT_AUTHENTICATED",
    );
  });

  it("changes no organization, log or list", async () => {
    const account = await newAccount(server.url, "ada", server.setupLink);
    const tenantId = await newOrganization(server.url, account, "acme");
    const { token } = account;
    const tenants = await callApi<{ id: string }[]>(server.url, "GET", "/api/tenants", { token });
    assert.deepEqual(
      tenants.data.map(({ id }) => id),
      [tenantId],
    );
    const log = await callApi<{ entries: { action: string }[] }>(
      server.url,
      "GET",
      `/api/tenants/${tenantId}/audit-log?action=skill.*,user.anonymous_registered`,
      { token },
    );
    assert.deepEqual(log.data.entries, []);
    assert.deepEqual((await callApi(server.url, "GET", "/api/skills", { token })).data, []);
  });
});

describe("twenty concurrent runs of svc share", () => {
  it("create one identity and ten shares, and the others report the limit", async () => {
    const crowd = openCli({
      home: folder("crowd"),
      apiUrl: () => server.url,
      cwd: work,
      isRepeatedInside: true,
    });
    const files = Array.from({ length: 20 }, (_, i) => `note-${i}.md`);
    for (const file of files) writeFileSync(path.join(work, file), `# ${file}\n`);

    const runs = await Promise.all(
      files.map((file) => crowd.run(["share", file, "-o", "json"], { asProcess: true })),
    );

    const made = runs
      .filter(({ code }) => code === 0)
      .map(({ stdout }) => keepContract("share", JSON.parse(stdout)));
    const outcomes = runs.map(({ code, stderr }) => `${code} ${stderr}`).join("\n");
    assert.equal(made.length, limits.anonymousShares, outcomes);
    assert.equal(new Set(made.map(({ identity }) => identity.username)).size, 1);
    for (const { code, stderr } of runs)
      if (code !== 0) {
        const error = keepFailure(JSON.parse(stderr), stderr);
        assert.equal(error.code, "E_API", stderr);
        assert.equal(error.details?.["limit"], limits.anonymousShares);
      }
    const { identities } = configOf(crowd);
    assert.equal(Object.keys(identities!).length, 1);
    assert.equal(((await crowd.json(["share", "--list"])) as Listed).length, limits.anonymousShares);
    assert.equal(statSync(path.join(crowd.home, ".svc", "config.json")).mode & 0o777, 0o600);
  });
});

describe("a service that was killed and restarted", () => {
  it("still has the anonymous identities and their shares", async () => {
    const earlier = (await alice.json(["share", "--list"])) as Listed;
    const { port } = new URL(server.url);
    await server.kill("SIGKILL");
    await assertNothingRuns(dataDir);
    assert.equal((await alice.failure(["share", "review.md"])).code, "E_NETWORK");

    server = await startServer({ dataDir, env: { ...engines, PORT: port } });

    assert.deepEqual(await alice.json(["share", "--list"]), earlier);
    await alice.json(["share", "review.md", "-n", "After the kill"]);
    assert.equal(((await alice.json(["share", "--list"])) as Listed).length, earlier.length + 1);
  });
});
