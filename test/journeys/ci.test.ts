/** A pipeline publishes without a stored secret: the built service, the built `svc`, and two providers' identities. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { OidcPolicyPayload } from "../../contract/payloads/accounts/ci.ts";
import type { VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { startCiIssuer } from "../support/ci/issuer.ts";
import { openCli } from "../support/cli.ts";
import { callApi } from "../support/http-client.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { closedAfter } from "../support/set-up.ts";
import { setUpJourney } from "./set-up.ts";

const github = await closedAfter(startCiIssuer("github"));
const gitlab = await closedAfter(startCiIssuer("gitlab"));
const { server, account, work } = await setUpJourney("ada", false, {
  OIDC_GITHUB_ISSUERS: github.url,
  OIDC_GITLAB_ISSUERS: gitlab.url,
  OIDC_PRIVATE_NETWORK: "true",
});

/** The home folder of the machine that runs the job. */
const runner = temporaryFolder("runner");
const job = openCli({ home: runner, apiUrl: () => server.url, cwd: work });
mkdirSync(path.join(work, "release-notes"));

after(() => removeFolder(runner));

const api = <T>(method: string, target: string, body?: unknown) =>
  callApi<T>(server.url, method, target, { token: account.token, body });

async function trust(fields: object): Promise<OidcPolicyPayload> {
  const made = await api<OidcPolicyPayload>("POST", "/api/tenants/acme/oidc-policies", {
    scopes: { skill: ["read", "create", "update"] },
    ...fields,
  });
  assert.equal(made.status, 201, made.error);
  return made.data;
}

function writeSkill(text: string): void {
  const skill = `---\nname: release-notes\ndescription: Writes release notes\n---\n\n${text}\n`;
  writeFileSync(path.join(work, "release-notes", "SKILL.md"), skill);
}

/** All that the client has stored on the machine of the job. */
const stored = () =>
  readdirSync(path.join(runner, ".svc"), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(runner, ".svc", name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

describe("a job of GitHub Actions", () => {
  it("publishes by its own identity, and the version shows its run", async () => {
    await trust({ name: "GitHub", provider: "github", repository: "acme/skills", ref: "refs/heads/main" });
    const env = github.jobEnvironment();
    writeSkill("First.");

    const done = (await job.json(["login", "--oidc-token", "auto", "--team", "acme"], { env })) as {
      method: string;
      expiresAt: string;
    };
    assert.equal(done.method, "oidc");
    assert.ok(Date.parse(done.expiresAt) > Date.now() + 50 * 60_000);
    await job.json(["publish", "release-notes", "--team", "acme"], { env });
    writeSkill("Second.");
    await job.json(["push", "release-notes", "--skill", "acme/release-notes"], { env });

    const origin = {
      repository: "acme/skills",
      ref: "refs/heads/main",
      commit: "0123456789abcdef0123456789abcdef01234567",
      workflow: ".github/workflows/publish.yml",
      runUrl: `${github.url}/acme/skills/actions/runs/77`,
    };
    const versions = await api<VersionPayload[]>("GET", "/api/skills/acme~release-notes/versions");
    assert.deepEqual(
      versions.data.map((version) => [version.source, version.origin]),
      [
        ["oidc", origin],
        ["oidc", origin],
      ],
    );
    const listed = (await job.json(["versions", "acme/release-notes"])) as VersionPayload[];
    assert.deepEqual(listed[0]!.origin, origin);
    const info = (await job.json(["info", "acme/release-notes"])) as { origin: unknown };
    assert.deepEqual(info.origin, origin);
    const table = await job.run(["versions", "acme/release-notes"]);
    assert.match(table.stdout, /FROM[^]*acme\/skills@main/);
    const shown = await job.run(["info", "acme/release-notes"]);
    assert.match(shown.stdout, /Origin: +acme\/skills@main http.*\/actions\/runs\/77/);
    assert.doesNotMatch(server.output(), /lskt_|eyJ/);
    assert.doesNotMatch(stored(), /eyJ|runner-secret/);
  });

  it("loses its access when the policy is disabled", async () => {
    const [policy] = (await api<OidcPolicyPayload[]>("GET", "/api/tenants/acme/oidc-policies")).data;
    await api("PATCH", `/api/tenants/acme/oidc-policies/${policy!.id}`, { enabled: false });

    const error = await job.failure(["push", "release-notes", "--skill", "acme/release-notes"]);
    assert.equal(error.code, "E_NOT_AUTHENTICATED");
    assert.match(error.message, /trust policy/);
    const refused = await job.failure(["login", "--oidc-token", "auto", "--team", "acme"], {
      env: github.jobEnvironment(),
    });
    assert.equal(refused.code, "E_FORBIDDEN");
    assert.match(refused.message, /No trust policy/);
  });

  it("is told what is missing, and its tokens are in no message", async () => {
    const login = ["login", "--oidc-token", "auto", "--team", "acme"];
    const without = await job.failure(login, { env: { GITHUB_ACTIONS: "true" } });
    assert.equal(without.code, "E_INVALID_ARGUMENT");
    assert.match(without.message, /id-token: write/);
    assert.match((await job.failure(login)).message, /auto works in/);
    const denied = { ...github.jobEnvironment(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: "wrong-secret" };
    const refused = await job.failure(login, { env: denied });
    assert.equal(refused.code, "E_NETWORK");
    assert.doesNotMatch(JSON.stringify(refused), /wrong-secret/);
    const plain = {
      ...github.jobEnvironment(),
      ACTIONS_ID_TOKEN_REQUEST_URL: "http://runner.example/token?x=1",
    };
    assert.match((await job.failure(login, { env: plain })).message, /plain HTTP/);
    const expired = await github.mint(server.url, { exp: Math.floor(Date.now() / 1000) - 600 });
    const late = await job.failure(["login", "--oidc-token", expired, "--team", "acme"]);
    assert.equal(late.code, "E_NOT_AUTHENTICATED");
    assert.match(late.message, /has expired/);
    assert.doesNotMatch(late.message, /svc login/);
    assert.ok(!JSON.stringify(late).includes(expired.slice(-20)));
    const nonsense = await job.failure(["login", "--oidc-token", account.token, "--team", "acme"]);
    assert.equal(nonsense.code, "E_INVALID_ARGUMENT");
    assert.ok(!JSON.stringify(nonsense).includes(account.token));
  });
});

describe("a job of GitLab CI", () => {
  it("publishes by the token of its definition", async () => {
    await trust({ name: "GitLab", provider: "gitlab", repository: "acme/tools/skills", ref: "main" });
    writeSkill("Third.");
    const env = { GITLAB_CI: "true", SVC_ID_TOKEN: await gitlab.mint(server.url) };

    await job.json(["login", "--oidc-token", "auto", "--team", "acme"], { env });
    await job.json(["push", "release-notes", "--skill", "acme/release-notes"], { env });

    const [newest] = (await api<VersionPayload[]>("GET", "/api/skills/acme~release-notes/versions")).data;
    assert.equal(newest!.origin!.runUrl, `${gitlab.url}/acme/tools/skills/-/jobs/99`);
    assert.equal(newest!.origin!.workflow, ".gitlab-ci.yml");
    const missing = await job.failure(["login", "--oidc-token", "auto", "--team", "acme"], {
      env: { GITLAB_CI: "true" },
    });
    assert.match(missing.message, /id_tokens/);
  });

  it("reads the token from the standard input", async () => {
    const token = await gitlab.mint(server.url);
    const done = await job.run(["login", "--oidc-token", "-", "--team", "acme", "-o", "json"], {
      input: `${token}\n`,
    });

    assert.equal(done.code, 0, done.stderr);
    assert.equal((JSON.parse(done.stdout) as { method: string }).method, "oidc");
    const empty = await job.run(["login", "--oidc-token", "-", "--team", "acme"], { input: "" });
    assert.equal(empty.code, 1);
  });
});
