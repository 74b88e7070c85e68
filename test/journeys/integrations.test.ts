/** The GitHub Action and the GitLab template of `integrations/`: their steps are run as a runner does. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import type { VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { startCiIssuer } from "../support/ci/issuer.ts";
import { callApi } from "../support/http-client.ts";
import { root } from "../support/root.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { closedAfter } from "../support/set-up.ts";
import { runProgram } from "./client-package.ts";
import { setUpJourney } from "./set-up.ts";

const github = await closedAfter(startCiIssuer("github"));
const gitlab = await closedAfter(startCiIssuer("gitlab"));
const { server, account } = await setUpJourney("ada", false, {
  OIDC_GITHUB_ISSUERS: github.url,
  OIDC_GITLAB_ISSUERS: gitlab.url,
  OIDC_PRIVATE_NETWORK: "true",
});
const folder = temporaryFolder("integrations");
after(() => removeFolder(folder));

const api = <T>(method: string, target: string, body?: unknown) =>
  callApi<T>(server.url, method, target, { token: account.token, body });
const read = (...names: string[]) => readFileSync(path.join(root, "integrations", ...names), "utf8");

async function trust(fields: object): Promise<void> {
  const scopes = { skill: ["read", "create", "update"] };
  const made = await api("POST", "/api/tenants/acme/oidc-policies", { scopes, ...fields });
  assert.equal(made.status, 201, made.error);
}

/** A checkout with a skill, in which the steps run. */
function makeCheckout(name: string, skill: string): string {
  const checkout = path.join(folder, name);
  mkdirSync(path.join(checkout, "skills", skill), { recursive: true });
  writeSkill(checkout, skill, "First.");
  return checkout;
}

function writeSkill(checkout: string, skill: string, text: string): void {
  const content = `---\nname: ${skill}\ndescription: Writes ${skill} of a release\n---\n\n${text}\n`;
  writeFileSync(path.join(checkout, "skills", skill, "SKILL.md"), content);
}

const versionsOf = async (skill: string) =>
  (await api<VersionPayload[]>("GET", `/api/skills/acme~${skill}/versions`)).data.map(
    ({ semver, message, source }) => ({ semver, message, source }),
  );

interface Step {
  id?: string;
  name: string;
  if?: string;
  shell: string;
  env: Record<string, string>;
  run: string;
}
interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

describe("the GitHub Action", () => {
  const action: Action = parse(read("github-action", "action.yml"));
  const checkout = makeCheckout("github", "release-notes");
  const temp = path.join(folder, "runner-temp");
  mkdirSync(temp);

  /** Runs the steps as a runner does: an expression is replaced in the environment only, never in a script. */
  async function use(given: Record<string, string>, event = "Shorter notes\n\nMore text.") {
    const output = path.join(folder, "github-output");
    writeFileSync(output, "");
    const values: Record<string, string> = {
      "runner.temp": temp,
      "github.event.head_commit.message": event,
    };
    const fill = (text: string) => text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values[name]!);
    for (const [name, { default: standard, required }] of Object.entries(action.inputs)) {
      assert.ok(!required || given[name] !== undefined, name);
      values[`inputs.${name}`] = given[name] ?? fill(standard ?? "");
    }
    let failure: string | undefined;
    let printed = "";
    for (const step of action.runs.steps) {
      assert.equal(step.shell, "bash");
      assert.doesNotMatch(step.run, /\$\{\{/, step.name);
      const isWanted = step.if === undefined || values["inputs.publish"] === "true";
      if (step.if !== "always()" && (failure !== undefined || !isWanted)) continue;
      const own = Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, fill(text)]));
      const { code, stdout, stderr } = await runProgram(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.run],
        { home: checkout, env: { ...github.jobEnvironment(), GITHUB_OUTPUT: output, ...own } },
      );
      printed += stdout + stderr;
      if (code !== 0) failure ??= `${step.name}: ${stdout}${stderr}`;
    }
    return { failure, printed, output: readFileSync(output, "utf8") };
  }

  it("publishes what changed, by the identity of the job", async () => {
    await trust({ name: "GitHub", provider: "github", repository: "acme/skills", ref: "refs/heads/main" });
    const given = { service: server.url, organization: "acme" };

    const first = await use(given);
    assert.equal(first.failure, undefined);
    writeSkill(checkout, "release-notes", "Second.");
    const second = await use(given, 'It\'s "quoted" $(id) `id`');
    const third = await use(given);

    assert.equal(second.failure, undefined);
    assert.equal(third.failure, undefined);
    assert.deepEqual(await versionsOf("release-notes"), [
      { semver: "1.0.1", message: 'It\'s "quoted" $(id) `id`', source: "oidc" },
      { semver: "1.0.0", message: "Shorter notes", source: "oidc" },
    ]);
    const [, result = ""] = /^result=(.+)\n$/.exec(second.output) ?? [];
    assert.match(result, /"semver":"1\.0\.1"/);
    assert.doesNotMatch(first.printed + second.printed + server.output(), /lskt_|eyJ/);
    assert.deepEqual(readdirSync(temp), []);
  });

  it("adds a version to one skill, for policies that are limited to it", async () => {
    writeSkill(checkout, "release-notes", "Third.");
    const { failure } = await use({
      service: server.url,
      organization: "acme",
      path: "skills/release-notes",
      skill: "release-notes",
    });

    assert.equal(failure, undefined);
    assert.equal((await versionsOf("release-notes"))[0]!.semver, "1.0.2");
  });

  it("only checks the skills if asked, and fails for one that is not valid or not trusted", async () => {
    const given = { service: server.url, organization: "acme" };
    const requests = github.requests.length;
    writeSkill(checkout, "release-notes", "Fourth.");
    const checked = await use({ ...given, publish: "false" });
    assert.equal(checked.failure, undefined);
    assert.equal(github.requests.length, requests, "no token was requested");
    assert.equal((await versionsOf("release-notes")).length, 3);

    writeFileSync(path.join(checkout, "skills/release-notes/SKILL.md"), "---\nname: [\n---\n");
    assert.match((await use(given)).failure ?? "", /^Check the skills/);
    writeSkill(checkout, "release-notes", "Fifth.");
    assert.match(
      (await use({ ...given, organization: "other" })).failure ?? "",
      /^Publish: [^]*trust policy/,
    );
    assert.deepEqual(readdirSync(temp), []);
  });
});

interface Job {
  extends: string;
  variables: Record<string, string>;
  before_script: string[];
  script: string[];
  after_script: string[];
  id_tokens?: Record<string, { aud: string }>;
}
interface Spec {
  spec: { inputs: Record<string, { default?: string }> };
}

describe("the GitLab template", () => {
  const checkout = makeCheckout("gitlab", "changelog");
  const builds = path.join(folder, "builds");
  mkdirSync(builds);

  /** Runs a job of the template as a runner does. */
  async function runJob(name: string, given: Record<string, string>) {
    const [header, body] = parseAllDocuments(read("gitlab", "publish-skills.yml"));
    const { spec }: Spec = header!.toJS();
    const text = JSON.stringify(body!.toJS()).replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, input: string) => {
      const value = given[input] ?? spec.inputs[input]!.default;
      assert.notEqual(value, undefined, input);
      return JSON.stringify(value).slice(1, -1);
    });
    const jobs: Record<string, Job> = JSON.parse(text);
    const job = { ...jobs[jobs[name]!.extends]!, ...jobs[name]! };
    const tokens: Record<string, string> = {};
    for (const [variable, { aud }] of Object.entries(job.id_tokens ?? {}))
      tokens[variable] = await gitlab.mint(aud);
    const env = {
      ...job.variables,
      ...tokens,
      GITLAB_CI: "true",
      CI_BUILDS_DIR: builds,
      CI_JOB_ID: "42",
      CI_COMMIT_TITLE: 'It\'s "quoted" $(id)',
    };
    const script = [...job.before_script, ...job.script].join("\n");
    const run = (lines: string) => runProgram(["sh", "-ec", lines], { home: checkout, env });
    const { code, stdout, stderr } = await run(script);
    await run(job.after_script.join("\n"));
    return { code, printed: stdout + stderr };
  }

  it("publishes what changed, by the identity of the job", async () => {
    await trust({ name: "GitLab", provider: "gitlab", repository: "acme/tools/skills", ref: "main" });
    const given = { service: server.url, organization: "acme" };

    const first = await runJob("publish-skills", given);
    assert.equal(first.code, 0, first.printed);
    writeSkill(checkout, "changelog", "Second.");
    const second = await runJob("publish-skills", { ...given, path: "skills/changelog", skill: "changelog" });

    assert.equal(second.code, 0, second.printed);
    const message = 'It\'s "quoted" $(id)';
    assert.deepEqual(await versionsOf("changelog"), [
      { semver: "1.0.1", message, source: "oidc" },
      { semver: "1.0.0", message, source: "oidc" },
    ]);
    assert.doesNotMatch(first.printed + second.printed, /lskt_|eyJ/);
    assert.ok(!existsSync(path.join(builds, "svc-42")));
  });

  it("checks merge requests without a token", async () => {
    const given = { service: server.url, organization: "acme" };
    assert.equal((await runJob("check-skills", given)).code, 0);
    writeFileSync(path.join(checkout, "skills/changelog/SKILL.md"), "---\nname: [\n---\n");
    assert.notEqual((await runJob("check-skills", given)).code, 0);
  });
});
