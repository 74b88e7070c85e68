import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { setUpCi } from "./fixture.ts";

type Claims = Record<string, unknown>;
type Provider = "github" | "gitlab";
type Case = [provider: Provider, policy: object, claims: Claims, refusedBy: string | undefined];

const fixture = await setUpCi();

afterEach(() => fixture.distrust());

const mint = (provider: Provider, claims: Claims) => fixture[provider].mint(fixture.service.url, claims);

/** Tests and exchanges the token of each run, and compares both results with the expected one. */
async function compare(cases: readonly Case[]): Promise<void> {
  for (const [provider, policy, claims, refusedBy] of cases) {
    await fixture.trust(provider, policy);
    const token = await mint(provider, claims);
    const shown = JSON.stringify({ provider, policy, claims });

    const { data } = await fixture.test(token);
    const failed = data.policies[0]!.checks.filter(({ passed }) => !passed);
    const [first] = failed;
    assert.equal(data.accepted, refusedBy === undefined, shown);
    assert.equal(first?.claim, refusedBy, `${shown} ${JSON.stringify(failed)}`);
    const exchanged = await fixture.exchange(token);
    assert.equal(exchanged.code, refusedBy === undefined ? undefined : "oidc_rejected", shown);
    await fixture.distrust();
  }
}

const atHead = (name: string) => ({ ref: `refs/heads/${name}` });
const queue = { event_name: "merge_group", ...atHead("gh-readonly-queue/main/pr-7-0123456") };
const anyBranch = atHead("*");
const own = ".github/workflows/publish.yml";
const shared = "acme/pipelines/.github/workflows/publish.yml";
const reusable = (ref: string) => ({ job_workflow_ref: `${shared}@${ref}` });

describe("the event of a run", () => {
  it("is one of the default list if the policy names none", async () => {
    const atGitHub = ["push", "release", "workflow_dispatch", "schedule", "create"];
    const elsewhere = [
      "workflow_run",
      "issue_comment",
      "issues",
      "pull_request",
      "pull_request_review",
      "pull_request_target",
      "repository_dispatch",
      "discussion_comment",
      "status",
      "fork",
      "PUSH",
      "a_new_event",
    ];
    const atGitLab = ["push", "web", "schedule", "tag", "api"];
    const notAtGitLab = [
      "merge_request_event",
      "external_pull_request_event",
      "trigger",
      "pipeline",
      "parent_pipeline",
      "chat",
      "external",
    ];

    await compare([
      ...atGitHub.map((event): Case => ["github", {}, { event_name: event }, undefined]),
      ...elsewhere.map((event): Case => ["github", {}, { event_name: event }, "event_name"]),
      ["github", {}, { event_name: undefined }, "event_name"],
      ...atGitLab.map((event): Case => ["gitlab", {}, { pipeline_source: event }, undefined]),
      ...notAtGitLab.map((event): Case => ["gitlab", {}, { pipeline_source: event }, "pipeline_source"]),
      ["gitlab", {}, { pipeline_source: undefined }, "pipeline_source"],
    ]);
  });

  it("is one that the policy names, in place of the default list", async () => {
    await compare([
      ["github", { events: ["workflow_run"] }, { event_name: "workflow_run" }, undefined],
      ["github", { events: ["workflow_run"] }, { event_name: "push" }, "event_name"],
      ["gitlab", { events: ["push", "trigger"] }, { pipeline_source: "trigger" }, undefined],
      [
        "gitlab",
        { ref: "feature", events: ["merge_request_event"] },
        { ref: "feature", ref_path: "refs/heads/feature", pipeline_source: "merge_request_event" },
        undefined,
      ],
    ]);
  });

  it("can't make a policy accept a proposed change whose ref its filter does not begin with", async () => {
    const events = { events: ["merge_group", "push", "pull_request"] };
    const pull = { event_name: "pull_request", ref: "refs/pull/7/merge" };

    await compare([
      ["github", { ...anyBranch, ...events }, queue, "ref"],
      ["github", { ref: "*", ...events }, queue, "ref"],
      ["github", { ...anyBranch }, { ...queue, event_name: "push" }, "ref"],
      ["github", { ...atHead("gh-*"), ...events }, queue, "ref"],
      ["github", { ...atHead("gh-readonly-queue/main/*"), ...events }, queue, undefined],
      ["github", { ref: "refs/*", ...events }, pull, "ref"],
      ["github", { ref: "refs/pull/*", ...events }, pull, undefined],
      [
        "gitlab",
        { ref: "*", events: ["merge_request_event"] },
        { pipeline_source: "merge_request_event", ref_path: "refs/merge-requests/3/head" },
        "ref",
      ],
    ]);
  });

  it("holds for a policy of before events could be named", async () => {
    const policy = await fixture.trust("github");
    const { raw } = fixture.service.app.storage.database;
    await raw
      .collection<{ _id: string }>("oidc_policies")
      .updateOne({ _id: policy.id }, { $unset: { events: "", workflow: "", protectedRef: "" } });

    const stored = await raw.collection<{ _id: string }>("oidc_policies").findOne({ _id: policy.id });
    assert.ok(stored && !("events" in stored));
    assert.equal((await fixture.exchange(await mint("github", {}))).status, 200);
    for (const changes of [{ event_name: "workflow_run" }, reusable("refs/heads/main")])
      assert.equal((await fixture.exchange(await mint("github", changes))).code, "oidc_rejected");
  });
});

describe("the file that defines a run", () => {
  it("is in the repository itself if the policy names none", async () => {
    await compare([
      ["github", {}, reusable("refs/tags/v1"), "workflow"],
      ["github", {}, { workflow_ref: `${shared}@refs/heads/main` }, "workflow"],
      [
        "github",
        {},
        { job_workflow_ref: `acme/skills/.github/workflows/job.yml@refs/heads/main` },
        undefined,
      ],
      ["github", {}, { job_workflow_ref: "nonsense" }, "workflow"],
      ["github", { repository: "ACME/skills" }, {}, undefined],
      ["github", {}, { workflow_ref: undefined, job_workflow_ref: undefined }, undefined],
      [
        "gitlab",
        {},
        { ci_config_ref_uri: "gitlab.example.com/mallory/x//ci.yml@refs/heads/main" },
        "ci_config_ref_uri",
      ],
      ["gitlab", {}, { ci_config_ref_uri: null }, undefined],
    ]);
  });

  it("is the one that the policy names", async () => {
    const named = { workflow: own };
    const other = "acme/skills/.github/workflows/other.yml@refs/heads/main";
    const disguised = "acme/skills/.github/workflows/publish.yml@x.yml@refs/heads/main";
    const deep = "acme/skills/.github/workflows/evil.yml@refs/heads/publish.yml@refs/heads/main";

    await compare([
      ["github", named, {}, undefined],
      ["github", named, { workflow_ref: other, job_workflow_ref: other }, "workflow"],
      ["github", named, { workflow_ref: disguised, job_workflow_ref: disguised }, "workflow"],
      ["github", named, { workflow_ref: deep, job_workflow_ref: deep }, "workflow"],
      ["github", named, { workflow_ref: undefined, job_workflow_ref: undefined }, "workflow"],
      ["github", named, { workflow_ref: other }, undefined],
      ["github", named, reusable("refs/heads/main"), "workflow"],
      ["github", { repository: "acme/*", ...named }, { repository: "acme/other" }, undefined],
      ["gitlab", { workflow: ".gitlab-ci.yml" }, {}, undefined],
      ["gitlab", { workflow: "ci/publish.yml" }, {}, "ci_config_ref_uri"],
      ["gitlab", { workflow: ".gitlab-ci.yml" }, { ci_config_ref_uri: null }, "ci_config_ref_uri"],
    ]);
  });

  it("can be a reusable one of another repository, at any ref or at some", async () => {
    const config = { ci_config_ref_uri: "gitlab.example.com/acme/pipelines//ci.yml@refs/heads/main" };

    await compare([
      ["github", { workflow: shared }, reusable("refs/heads/main"), undefined],
      ["github", { workflow: shared.replace("acme", "ACME") }, reusable("refs/heads/main"), undefined],
      ["github", { workflow: shared }, {}, "workflow"],
      ["github", { workflow: `${shared}@refs/tags/v*` }, reusable("refs/tags/v1"), undefined],
      ["github", { workflow: `${shared}@refs/tags/v*` }, reusable("refs/heads/main"), "workflow"],
      ["github", { workflow: shared }, { job_workflow_ref: `mallory/x/${own}@refs/heads/main` }, "workflow"],
      ["gitlab", { workflow: "acme/pipelines//ci.yml" }, config, undefined],
      ["gitlab", { workflow: "acme/pipelines//ci.yml@refs/tags/*" }, config, "ci_config_ref_uri"],
    ]);
  });
});

describe("a policy for protected refs", () => {
  it("refuses runs at others", async () => {
    const policy = { protectedRef: true };

    await compare([
      ["github", policy, {}, undefined],
      ["github", policy, { ref_protected: true }, undefined],
      ["github", policy, { ref_protected: "false" }, "ref_protected"],
      ["github", policy, { ref_protected: undefined }, "ref_protected"],
      ["github", policy, { ref_protected: ["true"] }, "ref_protected"],
      ["gitlab", policy, {}, undefined],
      ["gitlab", policy, { ref_protected: "false" }, "ref_protected"],
      ["gitlab", {}, { ref_protected: "false" }, undefined],
    ]);
  });
});

describe("the test of a token", () => {
  it("shows the terms of its run, for a policy", async () => {
    const { github, gitlab } = fixture;
    const shown = async (provider: Provider, claims: Claims = {}) =>
      (await fixture.test(await mint(provider, claims))).data.run;

    assert.deepEqual(await shown("github"), {
      provider: "github",
      issuer: github.url,
      repository: "acme/skills",
      ref: "refs/heads/main",
      event: "push",
      workflow: own,
    });
    assert.equal((await shown("github", reusable("refs/tags/v1")))!.workflow, shared);
    assert.equal((await shown("gitlab"))!.workflow, ".gitlab-ci.yml");
    assert.equal((await shown("gitlab"))!.issuer, gitlab.url);
    const forged = await fixture.test(await github.mint(fixture.service.url, {}, { kid: "other" }));
    assert.equal(forged.data.run, undefined);
  });
});
