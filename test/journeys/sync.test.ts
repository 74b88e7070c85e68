/**
 * Editing skills in a repository, with the built service, its workers and the built `svc`: published there, exported,
 * edited with plain git, imported with commit and author, pulled into a project; and disconnected.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keepContract } from "../support/cli-contract.ts";
import { openCli } from "../support/cli.ts";
import { sharedEngines } from "../support/engine.ts";
import { runGit } from "../support/host/git-host.ts";
import { callApi, newAccount, newOrganization } from "../support/http-client.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

const patienceMs = 300_000;

const folders: string[] = [];
const folder = (name: string) => {
  const made = realpathSync(temporaryFolder(name));
  folders.push(made);
  return made;
};

async function git(cwd: string, ...args: string[]): Promise<string> {
  return runGit(cwd, ...args);
}

/** Waits for an effect of a sync, which runs in the background. */
function untilSynced<T>(effect: string, check: () => Promise<T | undefined | false>): Promise<T> {
  const details = async () => (await callApi(server.url, "GET", base, { token: account.token })).data;
  return until(effect, check, { timeoutMs: patienceMs, intervalMs: 200, details });
}

const inRemote = (file: string) => git(remote, "show", `main:${file}`).catch(() => undefined);

const dataDir = folder("sync-data");
const repositories = folder("sync-repositories");
const server = await startServer({
  dataDir,
  env: { ...(await sharedEngines()), LOCAL_REPOSITORIES: repositories },
});
const account = await newAccount(server.url, "ann", server.setupLink);
const orgId = await newOrganization(server.url, account, "acme");
const base = "/api/tenants/acme/repo-sync";
const remote = path.join(repositories, orgId, "skills.git");
mkdirSync(remote, { recursive: true });
await git(remote, "init", "-q", "--bare", "-b", "main");
const copy = path.join(folder("sync-copy"), "copy");
const project = folder("sync-project");
const cli = openCli({ home: folder("sync-home"), apiUrl: () => server.url, cwd: project });
await cli.json(["login", "--token", account.token]);
writeFileSync(
  path.join(project, "review.md"),
  "---\nname: Review\ndescription: Reads code.\n---\n# Review\n\nRead it.\n",
);

after(async () => {
  await server.stop();
  await assertNothingRuns(dataDir);
  for (const one of folders) removeFolder(one);
});

describe("a connected repository", () => {
  it("is planned with the files to be written, and contains the existing skills once it is connected", async () => {
    await cli.json(["publish", "review.md"]);
    const body = { host: "local", url: "skills.git", branch: "main" };
    const plan = await callApi(server.url, "POST", `${base}/plan`, {
      token: account.token,
      body,
    });
    assert.equal(plan.status, 200, plan.error);
    assert.match(JSON.stringify(plan.data), /skills\/review/);
    assert.equal(await inRemote("skills/review/SKILL.md"), undefined);

    const made = await callApi(server.url, "POST", base, { token: account.token, body });
    assert.equal(made.status, 201, made.error);
    const text = await untilSynced("the first push", () => inRemote("skills/review/SKILL.md"));
    assert.match(text, /^---\nname: review\ndescription: Reads code\.\n---\n<!-- svc:managed/);
  });

  it("receives what the client publishes", async () => {
    writeFileSync(path.join(project, "notes.md"), "# Notes\n\nOne.\n");
    await cli.json(["publish", "notes.md"]);
    assert.match(await untilSynced("the push", () => inRemote("skills/notes/SKILL.md")), /One\./);
    await cli.json(["install", "acme/review", "-t", "claude", "-p", project, "--copy"]);
  });

  it("returns edits by plain git as versions with commit and author, which pull installs", async () => {
    await git(path.dirname(copy), "clone", "-q", remote, copy);
    const file = path.join(copy, "skills", "review", "SKILL.md");
    writeFileSync(file, readFileSync(file, "utf8").replace("Read it.", "Read it twice."));
    await git(copy, "commit", "-qam", "Read twice");
    await git(copy, "push", "-q", "origin", "main");
    const commit = await git(copy, "rev-parse", "HEAD");
    const asked = await callApi(server.url, "POST", `${base}/run`, { token: account.token });
    assert.equal(asked.status, 200, asked.error);

    const versions = await untilSynced("the import", async () => {
      const list = keepContract("versions", await cli.json(["versions", "review"]));
      return list.length > 1 && list;
    });
    assert.equal(versions[0]!.semver, "1.0.1");
    assert.equal(versions[0]!.message, `Read twice (${commit.slice(0, 7)} by Remote Author)`);
    const pulled = keepContract("pull", await cli.json(["pull", "review"]));
    assert.deepEqual(
      pulled.skills.map(({ outcome, toSemver }) => [outcome, toSemver]),
      [["updated", "1.0.1"]],
    );
    assert.match(
      readFileSync(path.join(project, ".claude/skills/review/SKILL.md"), "utf8"),
      /Read it twice\./,
    );

    const record = await untilSynced("the metadata commit", async () => {
      const text = await inRemote("skills/review/.svc.json");
      return text?.includes('"semver": "1.0.1"') && text;
    });
    assert.match(record, /"versionAuthor": \{\n\s+"name": "Name of ann"/);
    const entries = await untilSynced("the audit entry", async () => {
      const log = await callApi<{ entries: { action: string; metadata: Record<string, unknown> }[] }>(
        server.url,
        "GET",
        "/api/tenants/acme/audit-log?action=skill.version_imported",
        { token: account.token },
      );
      return log.data.entries.length > 0 && log.data.entries;
    });
    assert.deepEqual(
      entries.map(({ metadata }) => [metadata["remoteCommit"], metadata["author"]]),
      [[commit, "Remote Author <remote@example.com>"]],
    );
  });

  it("has its history listed, and is left unchanged when it is disconnected", async () => {
    // The run is listed as running until it has recorded what it did.
    await untilSynced("the run in the history", async () => {
      const history = await callApi<{ imported: number }[]>(server.url, "GET", `${base}/history`, {
        token: account.token,
      });
      return history.data.some(({ imported }) => imported === 1);
    });
    const head = await git(remote, "rev-parse", "main");
    const ended = await callApi(server.url, "DELETE", base, { token: account.token });
    assert.equal(ended.status, 200, ended.error);
    await cli.json(["publish", "notes.md", "--name", "Later"]);
    // Longer than a push to the connected repository took: nothing else shows that none comes.
    await sleep(1500);
    assert.equal(await git(remote, "rev-parse", "main"), head);
  });
});
