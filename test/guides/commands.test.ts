/** The commands of README and docs, each executed as it is written there, by a newcomer with a new home folder. */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, describe, it } from "node:test";
import { confirmAddress } from "../journeys/confirm-address.ts";
import { sharedEngines } from "../support/engine.ts";
import { runGit } from "../support/host/git-host.ts";
import { callApi, newAccount, newOrganization, type Account } from "../support/http-client.ts";
import { root } from "../support/root.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { makeCertificate } from "../support/sso/certificate.ts";
import { metadataXml } from "../support/sso/fixture.ts";
import { needsTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";
import { otherBlocks } from "./markdown.ts";
import { blocksLeft, openShell } from "./shell.ts";

/** Documents whose blocks recipes.test.ts executes. */
const recipes = "docs/guides/api.md: ";

/** Blocks that are not executed here, each with the reason. */
const notHere: Record<string, string> = {
  "README.md: npm start              # serves http://127.0.0.1:3000 and prints a one-time link that creates the first account":
    "start.test.ts starts the service, and this is a part of npm test",
  "docs/guides/get-started.md: npm start": "start.test.ts",
  "docs/guides/deploy.md: sha256sum --check --ignore-missing SHA256SUMS": "scripts/release.test.ts",
  "docs/guides/deploy.md: npm ci": "installation.test.ts",
  "docs/guides/deploy.md: export MONGODB_URL='mongodb://db1,db2,db3/?replicaSet=rs0&w=majority&retryWrites=true'":
    "installation.test.ts",
  "docs/guides/deploy.md: $ npm start -- doctor": "operator.test.ts, both blocks",
  "docs/guides/deploy.md: export HTTPS_PROXY=http://user:password@proxy.example.com:3128 HTTP_PROXY=http://proxy.example.com:3128":
    "outbound.test.ts has a proxy",
  "docs/guides/proxy.md: export BASE_URL=https://skills.example.com TRUST_PROXY=true":
    "operations/configuration.test.ts",
  "docs/guides/proxy.md: export ADDRESS_LIMIT_EXEMPT=192.0.2.10,2001:db8:12::/48":
    "operations/configuration.test.ts",
  "docs/guides/deploy.md: export OUTBOUND_ALLOW=10.20.0.0/16,fd12:3456::/32,git.corp.example":
    "operations/configuration.test.ts",
  "docs/guides/air-gap.md: export MCP_CATALOG_URL=none OAUTH_CLIENT_DOCUMENTS=false":
    "operations/configuration.test.ts",
  "docs/guides/air-gap.md: export NODE_EXTRA_CA_CERTS=/etc/ssl/corp-ca.pem GIT_SSL_CAINFO=/etc/ssl/corp-ca.pem":
    "journeys/deployed.test.ts has an authority of its own",
  "docs/guides/api-client.md: $ npm install https://skills.example.com/cli/svc-client.tgz":
    "journeys/api-client.test.ts",
  "docs/guides/containers.md: docker build --file deploy/Dockerfile --build-arg COMMIT=$(git rev-parse HEAD) --tag svc:0.20.0 .":
    "needs a container engine; deploy/image.test.ts",
  "docs/guides/containers.md: export SITE=skills.example.com":
    "needs a container engine; deploy/compose.test.ts",
  "docs/guides/containers.md: kubectl create secret generic svc --from-file=MONGODB_URL --from-file=REDIS_URL --from-file=SECRET_KEYS":
    "needs a cluster; deploy/chart.test.ts renders the chart with the values of the guide",
  "docs/guides/object-storage.md: export GIT_STORE='s3://skills/production?region=eu-central-1'":
    "object-store/service.test.ts has a bucket",
  "docs/guides/other-clients.md: npx skills add https://skills.example.com/acme                    # choose from the public skills of acme":
    "reach/skills-cli.test.ts has the client",
  "docs/guides/other-clients.md: export CLAWHUB_REGISTRY=https://skills.example.com/acme/clawhub":
    "reach/clawhub-cli.test.ts has the client",
  "docs/guides/webhooks.md: curl --fail-with-body https://skills.example.com/api/tenants/acme/webhooks \\":
    "needs a receiver; guides/webhooks.test.ts",
  "docs/guides/observe.md: export OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318":
    "traces.test.ts has a collector",
  "docs/guides/object-storage.md: $ npm start -- transfer --to 's3://skills/production?region=eu-central-1'":
    "object-store/transfer.test.ts has a bucket",
  "docs/guides/upgrade.md: $ npm start -- backup /var/backups/svc": "operator.test.ts",
  "docs/guides/upgrade.md: $ npm start -- backup 's3://backups/svc?region=eu-central-1' --keep 30":
    "backup-kill.test.ts has a bucket",
  "docs/guides/upgrade.md: $ npm start -- restore /var/backups/svc": "operator.test.ts",
  "docs/guides/upgrade.md: $ npm start -- export /var/backups/database.ndjson": "operator.test.ts",
  "docs/guides/upgrade.md: git pull": "installation.test.ts",
  "docs/guides/provenance.md: curl -s https://skills.example.com/api/skills/acme~release-notes/versions/1.4.2/attestations \\":
    "needs cosign; skills/provenance checks bundles with Sigstore's code",
  "docs/guides/provenance.md: svc verify --provenance": "cli-projects/provenance runs it",
  "docs/reference/sync.md: claude plugin marketplace add acme/skills":
    "needs Claude Code; reach/repository-marketplace runs it",
  "docs/guides/marketplaces.md: claude plugin marketplace add https://skills.example.com/acme.git":
    "needs Claude Code, Codex and Copilot CLI; reach/marketplace-clients runs it",
  "docs/guides/marketplaces.md: svc login https://skills.example.com":
    "needs Claude Code; cli-organizations/marketplace runs it with git",
  "docs/reference/cli.md: git config --global credential.https://skills.example.com.helper '!svc auth git'":
    "a setting of the reader; cli-organizations/marketplace runs it",
  "docs/reference/cli.md: svc marketplace --org acme":
    "needs that organization; cli-organizations/marketplace runs it",
  "docs/guides/mcp.md: claude mcp add --transport http svc https://skills.example.com/mcp":
    "needs Claude Code",
  "docs/guides/mcp.md: export SVC_TOKEN=lsk_…   # where the client is started, such as ~/.profile":
    "a secret of the reader",
  "docs/guides/mcp.md: claude mcp add --transport http svc https://skills.example.com/mcp --header 'Authorization: Bearer ${SVC_TOKEN}'":
    "needs Claude Code",
  'docs/reference/second-factors.md: npm start -- reset-mfa ada@example.com "Lost her phone, confirmed by video call"':
    "needs an account with a second factor",
  "docs/reference/cli.md: curl -fsSL https://skills.example.com/cli/install.sh | sh -s -- install acme/code-review -t claude -g":
    "needs a person who confirms the device; web/first-skill runs it",
  "docs/reference/cli.md: svc sync plan acme/skills --token-stdin < token.txt":
    "needs a repository at GitHub",
  "docs/reference/cli.md: svc audit --org acme --event 'skill.*' --since 7d": "its second line does not end",
  "docs/reference/cli.md: source <(svc completion bash)     # in ~/.bashrc": "needs bash, zsh and fish",
  'docs/reference/sync.md: curl -X POST https://skills.example.com/api/tenants/acme/repo-sync -H "Authorization: Bearer $TOKEN" \\':
    "needs a repository at GitHub",
};

const folder = realpathSync(temporaryFolder("guides"));
const checkout = path.join(folder, "checkout");
const repositories = path.join(folder, "repositories");
/** Serves the metadata of an identity provider. */
const idp = createServer((_, response) => response.end(metadataXml([makeCertificate().der])));

// The samples are edited; everything else is the tested checkout.
mkdirSync(checkout);
symlinkSync(path.join(root, "bin"), path.join(checkout, "bin"));
cpSync(path.join(root, "samples"), path.join(checkout, "samples"), { recursive: true });
idp.listen(0, "127.0.0.1");
await once(idp, "listening");
const environment = {
  ...(await sharedEngines()),
  LOCAL_REPOSITORIES: repositories,
  SSO_PRIVATE_NETWORK: "true",
  RATE_LIMITS: "false",
};
const server = await startServer({ dataDir: path.join(folder, "data"), env: environment });
const ada = await newAccount(server.url, "ada", server.setupLink);
await callApi(server.url, "PATCH", "/api/user/profile", {
  cookie: ada.cookie,
  body: { name: "Ada Lovelace" },
});
const tenantId = await newOrganization(server.url, ada, "acme");

after(async () => {
  idp.close();
  await server?.stop();
  await assertNothingRuns(path.join(folder, "data"));
  removeFolder(folder);
});

const shell = openShell(folder, () => server.url);
const { execute } = shell;
const call = async <T = Record<string, unknown>>(method: string, at: string, body?: unknown) => {
  const { status, data, error } = await callApi<T>(server.url, method, at, { token: ada.token, body });
  assert.ok(status < 300, `${method} ${at}: ${error}`);
  return data;
};

/** Approves the login that waits, once, in the browser of the account. */
function approves(account: Account) {
  let isApproved = false;
  return (output: string) => {
    const userCode = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(output)?.[0];
    if (userCode === undefined || isApproved) return;
    isApproved = true;
    const body = { userCode, approve: true };
    void callApi(server.url, "POST", "/api/auth/device/decision", { cookie: account.cookie, body });
  };
}

describe("the commands of the documents", needsTerminal, () => {
  it("start with README: the client, and a skill from its publication to its update", async () => {
    const bo = await newAccount(server.url, "bo");
    await newOrganization(server.url, bo, "bolt");
    const own = openShell(path.join(folder, "bo"), () => server.url);

    await own.execute("README.md", "curl -fsSL", { cwd: root });
    await own.execute("README.md", "./bin/svc login", {
      cwd: checkout,
      onOutput: approves(bo),
    });
  });

  it("are those of Get started", async () => {
    const file = "docs/guides/get-started.md";
    await execute(file, "./bin/svc login", { cwd: checkout, onOutput: approves(ada) });
    await execute(file, "curl -fsSL");
    symlinkSync(path.join(checkout, "samples"), path.join(shell.project, "samples"));
    await execute(file, "svc publish");
    await execute(file, "svc install");
    appendFileSync(path.join(checkout, "samples/release-notes/SKILL.md"), "Keep each note short.\n");
    await execute(file, "svc push");
    await execute(file, "svc pull");
    await execute(file, "READ_TOKEN=");
    const colleague = openShell(path.join(folder, "colleague"), () => server.url);
    for (const name of ["svc.json", "svc.lock"])
      cpSync(path.join(shell.project, name), path.join(colleague.project, name));
    await colleague.run("curl -fsSL $SVC_API_URL/cli/install.sh | sh", {});
    await colleague.execute(file, "svc restore", { env: { SVC_TOKEN: ada.token } });
    await execute(file, "svc share");
  });

  it("install the client without a registry", async () => {
    const isolated = openShell(path.join(folder, "isolated"), () => server.url);
    await isolated.execute("docs/guides/air-gap.md", "npm install --global");
    const { stdout } = await isolated.run("svc --version", {});
    assert.match(stdout, /^\d+\.\d+\.\d+/);
  });

  it("are those for teams", async () => {
    const file = "docs/guides/teams.md";
    await execute(file, "export API");
    await execute(file, "svc org invite");
    for (const name of ["grace", "linus"]) {
      const account = await newAccount(server.url, name);
      await confirmAddress(server, account);
      if (name === "linus") await call("POST", "/api/tenants/acme/invitations", { email: account.email });
      const { cookie } = account;
      const who = await callApi<{ pendingInvitations: { id: string }[] }>(
        server.url,
        "GET",
        "/api/user/profile",
        {
          cookie,
        },
      );
      const accept = `/api/invitations/${who.data.pendingInvitations[0]!.id}/accept`;
      const accepted = await callApi(server.url, "POST", accept, { cookie, body: {} });
      assert.ok(accepted.status < 300, accepted.error);
    }
    await execute(file, "svc team create");
    await execute(file, "svc folders create");
    await execute(file, "svc access restrict");
    await execute(file, "curl -X POST $API/tenants/acme/personal-workspaces");
    await execute(file, "svc visibility");

    const remote = path.join(repositories, tenantId, "skills.git");
    mkdirSync(remote, { recursive: true });
    runGit(remote, "init", "-q", "--bare", "-b", "main");
    await execute(file, "curl -X POST $API/tenants/acme/repo-sync/plan");
    await call("POST", "/api/tenants/acme/repo-sync", { host: "local", url: "skills.git" });
    const clone = path.join(folder, "clone");
    await until("the first sync", () => readdirSync(path.join(remote, "refs/heads")).length > 0, {
      timeoutMs: 300_000,
    });
    runGit(folder, "clone", "-q", remote, clone);
    await execute(file, "git log", { cwd: clone });
    runGit(clone, "config", "user.name", "Ada");
    runGit(clone, "config", "user.email", "ada@example.com");
    appendFileSync(path.join(clone, "skills/release-notes/SKILL.md"), "\nName the authors.\n");
    // The guide says what starts the import of a repository that reports no pushes.
    const imported = async () => {
      await call("POST", "/api/tenants/acme/repo-sync/run");
      await until(
        "the import",
        async () => {
          const { stdout } = await shell.run("svc versions release-notes", {});
          return stdout.includes("1.1.1 (current)");
        },
        { timeoutMs: 300_000, intervalMs: 200 },
      );
    };
    await execute(file, "git commit", { cwd: clone, afterEach: imported });
  });

  it("are those for administrators", async () => {
    const file = "docs/guides/administrators.md";
    const { publicId } = await reportedSkill();
    const values = { tXNNnkmSqO: publicId };
    await execute(file, "export API");
    await execute(file, "curl $API/admin/health");
    await execute(file, "curl $API/admin/reports");
    await execute(file, "curl -X POST $API/admin/skills/tXNNnkmSqO/take-down", { values });
    await execute(file, "curl -X POST $API/admin/skills/tXNNnkmSqO/lift-takedown", { values });
    await execute(file, 'curl "$API/admin/audit-log');
    await execute(file, "curl -X PATCH $API/admin/settings");
    await call("PATCH", "/api/admin/settings", { signUp: "open", reason: "The next tests." });
    const env = { TOKEN: ada.token };
    await execute("docs/reference/moderation.md", "curl", { values: { Ab3dE5fG7h: publicId }, env });
    await execute("docs/guides/deploy.md", "curl");
  });

  /** A skill that a visitor shared and another one reported. */
  async function reportedSkill(): Promise<{ publicId: string }> {
    const shared = await shell.run("svc share ./samples/commit-messages.md -o json", {});
    const { skill } = JSON.parse(shared.stdout) as { skill: { publicId: string } };
    const body = { reason: "secrets", text: "Line 12 has a password." };
    const report = await callApi(server.url, "POST", `/api/skills/${skill.publicId}/reports`, { body });
    assert.ok(report.status < 300, report.error);
    return skill;
  }

  it("are those for MCP servers, as the owner registers and members install them", async () => {
    const registry = "docs/guides/mcp-registry.md";
    await execute(registry, "curl -H");
    await call("POST", "/api/tenants/acme/mcp-servers", {
      name: "Files",
      transport: "stdio",
      command: "npx",
      args: ["-y", "@example/files"],
    });
    mkdirSync(path.join(shell.project, "research"));
    const text = "---\nname: research\ndescription: Searches documents.\n---\n\nSearch.\n";
    writeFileSync(path.join(shell.project, "research/SKILL.md"), text);
    await execute(registry, "svc publish");
    await call("PUT", "/api/tenants/acme/mcp-registry", { enabled: true });
    await execute(registry, "curl https", { values: { "com.example.skills.acme": "127-0-0-1.acme" } });

    const file = "docs/guides/mcp-servers.md";
    const answers: [RegExp, string][] = [[/API token/, "s3cr3t\r"]];
    for (const name of [".claude", ".cursor"]) mkdirSync(path.join(shell.home, name), { recursive: true });
    await execute(file, "svc mcp list");
    await execute(registry, "svc mcp install", { answers });
    await execute(file, "svc mcp install acme/search --via local -t claude,cursor", { answers });
    await execute(file, "svc mcp install acme/search --via local -t claude -p");
    await execute(file, "svc mcp pull", { isOtherOutput: true });
    await execute(file, "svc mcp uninstall");
    await execute("docs/guides/connectors.md", "svc mcp install central");
    await execute("docs/reference/cli.md", "svc mcp install", { values: { "token=…": "token=s3cr3t" } });
  });

  it("are those of SCIM, single sign-on and CI", async () => {
    await execute("docs/guides/scim.md", "curl");
    const sso = "docs/guides/sso.md";
    const [added] = await execute(sso, "curl -X POST");
    const { id } = (JSON.parse(added!) as { data: { id: string } }).data;
    const { port } = idp.address() as AddressInfo;
    const values = { "6b03e2f8a299f920a31b1455": id };
    const metadata = { "https://acme.okta.com/app/exk1/sso/saml/metadata": `http://127.0.0.1:${port}/` };
    await execute(sso, "curl -X PATCH", { values: { ...values, ...metadata } });
    const teams = await call<{ id: string }[]>("GET", "/api/tenants/acme/teams");
    await execute(sso, "curl -X PUT", { values: { ...values, "6b03e2f8a299f920a31b1460": teams[0]!.id } });

    const ci = "docs/guides/ci.md";
    await execute(ci, "curl -X POST $API/tenants/acme/oidc-policies");
    await execute(ci, "svc versions", { isOtherOutput: true });
    cpSync(path.join(shell.project, "samples"), path.join(shell.project, "skills"), { recursive: true });
    const env = { COMMIT_SUBJECT: "Shorter notes" };
    await execute(ci, "svc push", { env, isOtherOutput: true });
    await execute(ci, "curl -X POST $API/tenants/acme/tokens");
  });

  it("are those of the reference", async () => {
    const cli = "docs/reference/cli.md";
    const cwd = path.join(folder, "reference");
    mkdirSync(path.join(cwd, "code-review"), { recursive: true });
    const text = "---\nname: code-review\ndescription: Reviews code.\n---\n\nReview it.\n";
    writeFileSync(path.join(cwd, "code-review/SKILL.md"), text);
    mkdirSync(path.join(cwd, "skills"));
    cpSync(path.join(cwd, "code-review"), path.join(cwd, "skills/code-review"), { recursive: true });
    await execute(cli, "svc login", { cwd, onOutput: approves(ada) });
    await execute(cli, "curl", { cwd: root });
    await execute(cli, "svc publish ./skills", { cwd });
    await execute(cli, "svc lint", { cwd });
    await execute(cli, "svc scan", { cwd });
    await execute(cli, "svc search", { cwd });
    await execute(cli, "svc visibility", { cwd });
    await execute(cli, "svc token create", { cwd });
    const [notes] = await call<{ publicId: string }[]>("GET", "/api/skills?query=release-notes");
    const values = { CvfcCtijJl: notes!.publicId, "version=1.2.0": "version=1.0.0" };
    await execute(cli, "svc api", { cwd, values });
    writeFileSync(path.join(cwd, "people.txt"), "Edith <edith@example.com>\n# no one\n");
    await execute(cli, "svc org invite --file", { cwd });
    await shell.run("svc folders create ops/incidents && svc team create platform", { cwd });
    const answers: [RegExp, string][] = [[/\?/, "y"]];
    await execute(cli, "svc access show", { cwd, answers });

    await execute("docs/reference/manifest.md", "svc install", {
      cwd: newProject(),
      values: { "^1.2": "^1.0" },
    });
    // A skill in a restricted folder is not public.
    await shell.run("svc move acme/code-review / --yes", {});
    const clones = path.join(folder, "clones");
    mkdirSync(clones);
    const clone = "docs/reference/clone.md";
    await execute(clone, "git clone", { cwd: clones, values: { "v1.4.0": "v1.0.0" } });
    removeFolder(path.join(clones, "code-review"));
    await execute(clone, "git -c", { cwd: clones, env: { SVC_TOKEN: ada.token } });
  });

  /** A project in a repository of its own. */
  function newProject(): string {
    const project = path.join(folder, "pinned");
    mkdirSync(project);
    runGit(project, "init", "-q");
    runGit(project, "config", "user.name", "Ada");
    runGit(project, "config", "user.email", "ada@example.com");
    runGit(project, "config", "core.editor", "echo Pin >");
    return project;
  }

  it("are all executed, except for those that can't run here", () => {
    assert.deepEqual(
      [...new Set(blocksLeft().filter((block) => !block.startsWith(recipes)))].toSorted(),
      Object.keys(notHere).toSorted(),
    );
    for (const word of otherBlocks())
      assert.ok(!["svc", "git", "curl", "npm", "npx", "source"].includes(word), `${word}: mark it as sh`);
  });
});
