/** The page of metrics of the built service, and its table in the guide. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { setUpJourney } from "../journeys/set-up.ts";
import { freePort } from "../support/free-port.ts";
import { runGit } from "../support/host/git-host.ts";
import { callApi } from "../support/http-client.ts";
import { root } from "../support/root.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { expressionsOf, namesIn, readAlerts, readDashboards } from "./files.ts";

const metricsPort = await freePort();
const repositories = temporaryFolder("metrics-repositories");
const { server, account, tenantId, svc, work } = await setUpJourney("ada", true, {
  METRICS_PORT: metricsPort,
  LOCAL_REPOSITORIES: repositories,
});

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

interface Page {
  /** Type and text of each metric. */
  metrics: Map<string, { type: string; help: string }>;
  samples: Sample[];
}

async function readPage(): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const types = new Map(
    Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name, type]) => [name!, type!]),
  );
  const metrics = new Map(
    Array.from(text.matchAll(/^# HELP (\S+) (.*)$/gm), ([, name, help]) => [
      name!,
      { type: types.get(name!)!, help: help! },
    ]),
  );
  const samples = Array.from(
    text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm),
    ([, name, labels = "", value]) => ({
      name: name!,
      labels: Object.fromEntries(
        Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, key, given]) => [key!, given!]),
      ),
      value: Number(value),
    }),
  );
  return { metrics, samples };
}

/** Sum of the samples of a metric that have these labels. */
async function valueOf(name: string, labels: Record<string, string> = {}): Promise<number> {
  const { samples } = await readPage();
  return samples
    .filter(
      (one) => one.name === name && Object.entries(labels).every(([key, given]) => one.labels[key] === given),
    )
    .reduce((sum, { value }) => sum + value, 0);
}

/** Rows of the table in the guide, by name. */
const documented = new Map(
  Array.from(
    readFileSync(path.join(root, "docs/guides/observe.md"), "utf8").matchAll(
      /^\| `(svc_\w+)` +\| (\w+) +\| (.+?) +\| (.+?) +\|$/gm,
    ),
    ([, name, type, labels, help]) => [
      name!,
      { type: type!, help: help!, labels: Array.from(labels!.matchAll(/`(\w+)`/g), ([, label]) => label!) },
    ],
  ),
);

const token = { token: account.token };

describe("the page of metrics", () => {
  it("counts what people do", async () => {
    writeFileSync(path.join(work, "notes.md"), "---\nname: Notes\ndescription: Notes.\n---\n# Notes\n");
    await svc.json(["publish", "notes.md", "--visibility", "public"]);
    await svc.json(["versions", "notes"]);
    await callApi(server.url, "POST", "/api/auth/sign-in", {
      body: { email: "nobody@example.com", password: "x".repeat(12) },
    });
    await callApi(server.url, "POST", "/api/no/such", token);
    const list = await callApi<{ id: string }[]>(server.url, "GET", "/api/skills", token);
    const skill = list.data[0]!.id;
    const download = await fetch(`${server.url}/api/skills/${skill}/package`, {
      headers: { authorization: `Bearer ${account.token}` },
    });
    assert.equal(download.status, 200, await download.text());

    assert.equal(await valueOf("svc_http_requests_total", { route: "/api/auth/sign-in", status: "401" }), 1);
    assert.equal(await valueOf("svc_http_requests_total", { route: "none", status: "404" }), 1);
    assert.equal(await valueOf("svc_sign_ins_total", { method: "password", outcome: "failed" }), 1);
    assert.equal(await valueOf("svc_downloads_total"), 1);
    for (const stage of ["resolve", "read", "write", "record"])
      assert.equal(await valueOf("svc_publish_stage_duration_seconds_count", { stage }), 1, stage);
    assert.ok((await valueOf("svc_http_request_bytes_total", { route: "/api/auth/sign-in" })) > 40);
    assert.ok((await valueOf("svc_http_response_bytes_total", { route: "/api/skills" })) > 200);
    assert.ok(
      (await valueOf("svc_database_command_duration_seconds_count", {
        collection: "skills",
        command: "find",
      })) > 0,
    );
    assert.equal(await valueOf("svc_packs_written_total", { reason: "publish" }), 1);
    assert.equal(await valueOf("svc_cache_requests_total", { cache: "zips", result: "miss" }), 1);
    await until(
      "the first job",
      async () => (await valueOf("svc_job_runs_total", { outcome: "completed" })) > 0,
    );
    await until("the scan", async () => (await valueOf("svc_scans_total", { verdict: "clean" })) === 1);
    assert.ok((await valueOf("svc_disk_free_bytes", { disk: "data" })) > 1e6);
    assert.equal(await valueOf("svc_build_info", { role: "all" }), 1);
  });

  it("has what child processes and git do", async () => {
    const remote = path.join(repositories, tenantId, "skills.git");
    mkdirSync(remote, { recursive: true });
    runGit(remote, "init", "-q", "--bare", "-b", "main");
    const body = { host: "local", url: "skills.git", branch: "main" };
    const made = await callApi(server.url, "POST", "/api/tenants/acme/repo-sync", { ...token, body });
    assert.equal(made.status, 201, made.error);

    await until("the sync", async () => (await valueOf("svc_syncs_total", { outcome: "done" })) > 0, {
      timeoutMs: 120_000,
    });

    assert.ok((await valueOf("svc_sync_round_duration_seconds_count")) > 0);
    assert.ok((await valueOf("svc_git_process_duration_seconds_count", { command: "receive-pack" })) > 0);
    await until(
      "its state",
      async () => (await valueOf("svc_sync_connections", { status: "active" })) === 1,
      {
        timeoutMs: 20_000,
      },
    );
  });

  it("is what the guide lists", async () => {
    const { metrics, samples } = await readPage();
    const own = [...metrics].filter(([name]) => name.startsWith("svc_"));

    assert.deepEqual(
      own.map(([name, { type, help }]) => `${name} ${type} ${help}`).toSorted(),
      [...documented].map(([name, { type, help }]) => `${name} ${type} ${help}`).toSorted(),
    );
    for (const { name, labels } of samples) {
      const row = documented.get(name) ?? documented.get(name.replace(/_(bucket|sum|count)$/, ""));
      if (!name.startsWith("svc_")) continue;
      const given = Object.keys(labels).filter((label) => label !== "le");
      assert.deepEqual(given.toSorted(), row?.labels.toSorted(), name);
    }
  });

  it("has every metric of the alerts and dashboards", async () => {
    const { metrics } = await readPage();
    const used = [...readAlerts().map(({ expr }) => expr), ...expressionsOf(readDashboards())].flatMap(
      namesIn,
    );
    const missing = used.filter((name) => {
      const type = metrics.get(name.replace(/_(bucket|sum|count)$/, ""))?.type;
      return type !== "histogram" && !metrics.has(name);
    });

    assert.ok(used.length > 60);
    assert.deepEqual(missing, []);
  });

  it("has a count of failures before the first, so that it is seen as an increase", async () => {
    const { samples } = await readPage();
    const failed = samples.filter(
      ({ name, labels }) => name === "svc_job_runs_total" && labels["outcome"] === "failed",
    );

    assert.ok(failed.length > 20);
  });

  it("names nothing of an organization, a person or a skill", async () => {
    const { samples } = await readPage();
    const values = samples
      .filter(({ name }) => name !== "svc_build_info")
      .flatMap(({ labels }) => Object.values(labels));
    const ids = new RegExp(`acme|ada|notes|${tenantId}|[0-9a-f]{24}|127\\.0\\.0\\.1|@`);

    assert.deepEqual(
      values.filter((value) => ids.test(value)),
      [],
    );
    assert.ok(values.length > 100);
  });
});
