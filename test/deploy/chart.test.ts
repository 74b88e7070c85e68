/** The Helm chart, rendered by Helm, and what it renders, by the types of Kubernetes' API. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { readConfig } from "../../src/config.ts";
import { gauges } from "../../src/metrics/definitions.ts";
import { secretNames } from "../../src/secret-files.ts";
import { findProgram, whyMissing } from "../support/proxies/program.ts";
import { root } from "../support/root.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { assertSettings, readDeployed } from "./settings.ts";

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: Record<string, unknown> & {
    template?: {
      metadata: { labels: Record<string, string> };
      spec: { containers: [{ env: Variable[]; args: string[] }]; terminationGracePeriodSeconds?: number };
    };
  };
}

const chart = path.join(root, "deploy/helm");
const bucket = [
  "existingSecret=svc",
  "config.BASE_URL=https://skills.example.com",
  "repositories.GIT_STORE=s3://skills/main?region=eu-central-1",
];
const all = [
  ...bucket,
  "ingress.enabled=true",
  "ingress.tlsSecret=certificate",
  "caBundle.configMap=authorities",
  "proxy.HTTPS_PROXY=http://proxy.example.com:3128",
  "proxy.NO_PROXY=.svc",
  "serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn=arn:aws:iam::1:role/svc",
  "api.autoscaling.enabled=true",
  "worker.autoscaling.enabled=true",
  "worker.autoscaling.queueAge.enabled=true",
  "networkPolicy.from[0].namespaceSelector.matchLabels.name=ingress",
  "networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.name=monitoring",
  "networkPolicy.egress[0].to[0].ipBlock.cidr=10.0.0.0/8",
  "extraEnv[0].name=SIGN_UP",
  "extraEnv[0].value=invite",
  "imagePullSecrets[0].name=registry",
  "api.tolerations[0].key=dedicated",
  "api.tolerations[0].operator=Exists",
];
const claim = [
  "existingSecret=svc",
  "config.BASE_URL=https://skills.example.com",
  "repositories.existingClaim=repositories",
  "networkPolicy.enabled=false",
  "migrations.enabled=false",
  "serviceAccount.create=false",
];

describe("the chart", { skip: whyMissing("helm") }, () => {
  const folder = temporaryFolder("chart");
  after(() => removeFolder(folder));

  function helm(command: readonly string[], settings: readonly string[]) {
    const given = settings.flatMap((setting) => ["--set", setting]);
    const { status, stdout, stderr } = spawnSync(findProgram("helm")!, [...command, chart, ...given], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder },
    });
    return { status, output: stdout + stderr, stdout };
  }
  function render(settings: readonly string[], options: readonly string[] = []): Manifest[] {
    const command = ["template", "skills", "--namespace", "registry", ...options];
    const { status, stdout, output } = helm(command, settings);
    assert.equal(status, 0, output);
    return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  }

  /** Compiler messages about objects that are not of their kind's type, such as unknown fields. */
  function faultsOf(manifests: readonly object[]): string {
    const lines = (manifests as Manifest[]).map((manifest, at) => {
      const type = `import("kubernetes-models/${manifest.apiVersion}").I${manifest.kind}`;
      return `export const _${at}: ${type} = ${JSON.stringify(manifest)};\n`;
    });
    const file = path.join(folder, "manifests.ts");
    writeFileSync(file, lines.join(""));
    try {
      symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
    } catch {
      // made by an earlier call
    }
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
    const compiler = path.join(root, "node_modules/typescript/bin/tsc");
    return spawnSync(process.execPath, [compiler, ...options, file], { cwd: folder, encoding: "utf8" })
      .stdout;
  }

  const variablesOf = (manifests: readonly Manifest[], name: string) =>
    Object.fromEntries(
      manifests
        .find(({ kind, metadata }) => kind === "Deployment" && metadata.name === name)!
        .spec.template!.spec.containers[0].env.map(({ name: variable, value }) => [variable, value]),
    ) as Record<string, string>;

  it("passes the check of Helm", () => {
    const { status, output } = helm(["lint", "--strict"], all);
    assert.equal(status, 0, output);
  });

  it("renders objects of Kubernetes' types, which a faulty one is not", () => {
    const manifests = render(all);
    assert.equal(faultsOf([...manifests, ...render(bucket), ...render(claim)]), "");
    const kinds = new Set(manifests.map(({ kind }) => kind));
    for (const kind of ["Job", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy", "Ingress"])
      assert.ok(kinds.has(kind), kind);

    const faulty = structuredClone(manifests.filter(({ kind }) => kind === "Deployment"));
    Object.assign(faulty[0]!.spec.template!.spec.containers[0], { readynessProbe: {} });
    assert.match(faultsOf(faulty), /readynessProbe/);
  });

  it("configures both kinds of processes alike, by variables with which the service starts", () => {
    for (const settings of [all, bucket, claim]) {
      const manifests = render(settings);
      const env = variablesOf(manifests, "skills-svc-api");
      assertSettings(Object.keys(env));
      assert.deepEqual(variablesOf(manifests, "skills-svc-worker"), env);
      // The file is mounted, and the identity is the workload's.
      const { NODE_EXTRA_CA_CERTS: _file, ...usable } = env;
      const identity = { AWS_ROLE_ARN: "arn:aws:iam::1:role/svc", AWS_WEB_IDENTITY_TOKEN_FILE: "/run/token" };
      const config = readConfig({ ...usable, ...identity });
      assert.equal(config.baseUrl, "https://skills.example.com");
      assert.equal(config.gitStore !== undefined, settings !== claim);
    }
    const env = variablesOf(render(all), "skills-svc-api");
    assert.equal(env["NODE_EXTRA_CA_CERTS"], "/etc/svc/ca/ca.crt");
    assert.equal(env["SIGN_UP"], "invite");
  });

  it("scales by a metric that the service has", () => {
    const scaled = render(all).filter(({ kind }) => kind === "HorizontalPodAutoscaler");
    const [name] = /svc_queue_\w+/.exec(JSON.stringify(scaled))!;
    assert.ok(
      Object.values(gauges).some((gauge) => gauge.name === name),
      name,
    );
  });

  it("takes the values of the guide", () => {
    const guide = readFileSync(path.join(root, "docs/guides/containers.md"), "utf8");
    const file = path.join(folder, "values.yaml");
    writeFileSync(file, /^```yaml\n(.*?)^```$/ms.exec(guide)![1]!);
    const manifests = render([], ["--values", file]);
    assert.equal(faultsOf(manifests), "");
    assert.equal(variablesOf(manifests, "skills-svc-api")["SIGN_UP"], "invite");
  });

  it("gives pods more time to end than the drain takes", () => {
    const manifests = render([...bucket, "config.DRAIN_SECONDS=120"]);
    for (const { kind, spec } of manifests)
      if (kind === "Deployment") assert.equal(spec.template!.spec.terminationGracePeriodSeconds, 150);
  });

  it("migrates before an upgrade, with the image and the variables of the processes", () => {
    const manifests = render(all);
    const job = manifests.find(({ kind }) => kind === "Job")!;
    assert.equal(job.metadata.annotations!["helm.sh/hook"], "pre-upgrade");
    const [container] = job.spec.template!.spec.containers;
    assert.deepEqual(container.args, ["migrate"]);
    const own = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    assert.deepEqual(own, variablesOf(manifests, "skills-svc-api"));
  });

  it("starts no pod without the variables that all of them have to share", () => {
    const required = ["MONGODB_URL", "REDIS_URL", "SECRET_KEYS"];
    const pods = render(all).flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
    assert.equal(pods.length, 3);
    for (const { env } of pods)
      assert.deepEqual(
        env.flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef] : [])),
        required.map((key) => ({ name: "svc", key })),
      );
  });

  it("selects pods of its own role only", () => {
    const manifests = render(bucket);
    const labels = manifests
      .filter(({ kind }) => kind === "Deployment")
      .map(({ spec }) => spec.template!.metadata.labels);
    const service = manifests.find(({ kind }) => kind === "Service")!;
    const selector = Object.entries(service.spec["selector"] as Record<string, string>);
    const selected = labels.filter((own) => selector.every(([name, value]) => own[name] === value));
    assert.deepEqual(
      selected.map((own) => own["app.kubernetes.io/component"]),
      ["api"],
    );
  });

  const refused: [string, string[], RegExp][] = [
    ["no Secret", bucket.slice(1), /existingSecret/],
    ["no address", ["existingSecret=svc", bucket[2]!], /BASE_URL/],
    ["an address with a path", [...bucket, "config.BASE_URL=https://example.com/skills"], /BASE_URL/],
    ["no place for repositories", bucket.slice(0, 2), /repositories/],
    ["two places for repositories", [...bucket, "repositories.existingClaim=c"], /repositories/],
    ...secretNames.map((name): [string, string[], RegExp] => [
      `${name} among the settings`,
      [...bucket, `config.${name}=secret`],
      /config/,
    ]),
    ["an unknown value", [...bucket, "worker.replica=3"], /replica/],
  ];
  for (const [name, settings, message] of refused)
    it(`refuses ${name}`, () => {
      const { status, output } = helm(["template", "skills"], settings);
      assert.equal(status, 1);
      assert.match(output, message);
    });

  it("has the version of the release", () => {
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    const text = readDeployed("helm/Chart.yaml");
    assert.match(text, new RegExp(`^version: ${version.replaceAll(".", "\\.")}$`, "m"));
    assert.match(text, new RegExp(`^appVersion: ${version.replaceAll(".", "\\.")}$`, "m"));
    assert.ok(readDeployed("compose.yaml").includes(`svc:${version}`));
    assert.ok(readDeployed("Dockerfile").includes(`svc:${version}`));
  });
});
