/**
 * A service, a GitHub and a git host on loopback, and organizations connected through the API: by a token, by the App,
 * or to an address. Syncs are run as the product runs them: only those that a webhook, the schedule or a change
 * requested.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { App } from "../../../src/app.ts";
import { proofTag } from "../../../src/sync/connection/write-access-proof.ts";
import { pollConnections } from "../../../src/sync/triggers/poll.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import { reconcile } from "../../../workers/maintenance/reconcile.ts";
import { runConnection } from "../../../workers/sync/run.ts";
import { runGit, type HostedRepo } from "../host/git-host.ts";
import { delivery, startGitHub, type GitHubStub, type StubRepository } from "../host/github-stub.ts";
import { startService, type Answer, type TestOrg, type TestService, type TestUser } from "../service.ts";
import { workingCopy, type WorkingCopy } from "./fixture.ts";

const appSecret = "the secret of the App's webhook";
/** Longer than the pause between two polls of a branch. */
const pollIntervalMs = 8 * 60_000;
const maxRuns = 20;

export const connectedBy = ["github-token", "github-app", "address"] as const;
export type ConnectedBy = (typeof connectedBy)[number];

export interface ScenarioEnvironment {
  service: TestService;
  stub: GitHubStub;
  /** Advances the clock of the service. */
  wait(ms: number): void;
  close(): Promise<void>;
}

export async function startScenarioEnvironment(): Promise<ScenarioEnvironment> {
  let ahead = 0;
  const stub = await startGitHub();
  const service = await startService({
    github: {
      url: stub.url,
      apiUrl: stub.url,
      app: { ...stub.app, proof: "tag" },
      webhookSecrets: [appSecret],
    },
    syncPrivateNetwork: true,
    now: () => new Date(Date.now() + ahead),
  });
  return {
    service,
    stub,
    wait: (ms) => void (ahead += ms),
    async close() {
      await service.close();
      await stub.close();
    },
  };
}

export interface Scenario {
  environment: ScenarioEnvironment;
  service: TestService;
  owner: TestUser;
  org: TestOrg;
  connectionId: string;
  by: ConnectedBy;
  repo: HostedRepo;
  copy: WorkingCopy;
  /** A call of the API as the owner. */
  api<T = Record<string, unknown>>(method: string, target: string, body?: object): Promise<Answer<T>>;
  tip(): string | undefined;
  connection(): Promise<ConnectionDoc>;
  /** Has the host report a push to the branch; nothing happens if it never reports. */
  tell(after: string, deliveryId?: string): Promise<void>;
  /** Advances the clock until the schedule has polled every branch. */
  look(): Promise<void>;
  /** Runs what is due now, once; `app` may be one that crashes. */
  runOnce(app?: App): Promise<"ran" | "idle" | "stopped">;
  /** Runs what is due, advancing the clock by the time of leases and retries, until nothing is left. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function newScenario(environment: ScenarioEnvironment, by: ConnectedBy): Promise<Scenario> {
  const { service, stub, wait } = environment;
  const { app } = service;
  const owner = await service.newUser();
  const org = await service.newOrg(owner);
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-random-"));
  const hosted = await newRepository(environment, by, org);
  const { repo, body } = hosted;
  const copy = workingCopy(path.join(folder, "copy"), repo.directory);
  copy.write("src/main.c", "int main;\n");
  copy.push("first");
  if (by === "github-app") stub.tag(hosted.stubbed!, proofTag(app, org.id, hosted.stubbed!.fullName));
  const api: Scenario["api"] = (method, target, sent) =>
    service.call(method, target, { token: owner.token, body: sent });
  const base = `/api/tenants/${org.id}/repo-sync`;
  const connected = await api<{ id: string }>("POST", base, body);
  assert.equal(connected.status, 201, JSON.stringify(connected.body));
  const { id: connectionId } = connected.data;
  const connection = async () => (await app.storage.connections.find(connectionId))!;

  const runOnce: Scenario["runOnce"] = async (through = app) => {
    const { dueAt } = await connection();
    if (!dueAt || dueAt > app.now()) return "idle";
    try {
      await runConnection(through, connectionId);
      return "ran";
    } catch (error) {
      if (through === app) throw error;
      return "stopped";
    }
  };

  const scenario: Scenario = {
    environment,
    service,
    owner,
    org,
    connectionId,
    by,
    repo,
    copy,
    api,
    tip: () => repo.head(),
    connection,
    async tell(after, deliveryId) {
      const { stubbed } = hosted;
      if (!stubbed) return;
      const [hook] = stubbed.hooks;
      const { headers, bytes } = delivery(
        hook?.secret ?? appSecret,
        {
          repositoryId: stubbed.id,
          ref: "refs/heads/main",
          after,
          installationId: by === "github-app" ? stubbed.installationId : undefined,
        },
        deliveryId,
      );
      const to = hook ? new URL(hook.url) : undefined;
      const answer = await service.raw("POST", `/api/webhooks/github${to?.search ?? ""}`, { bytes, headers });
      await answer.text();
      assert.ok([200, 202].includes(answer.status), `a delivery was answered with ${answer.status}`);
    },
    async look() {
      wait(pollIntervalMs);
      await pollConnections(app);
      await service.settled();
    },
    runOnce,
    async settle() {
      for (let run = 0; run < maxRuns; run++) {
        await service.settled();
        const { dueAt, lease } = await connection();
        if (dueAt === undefined) return;
        const waitMs = Math.max(dueAt.getTime(), lease?.until.getTime() ?? 0) - app.now().getTime();
        if (waitMs > 0) wait(waitMs + 1000);
        await runOnce();
      }
      const { status, problem } = await connection();
      assert.fail(`the sync does not come to rest: ${status} ${JSON.stringify(problem)}`);
    },
    async close() {
      await stub.git.calm();
      const ended = await api("DELETE", base);
      assert.equal(ended.status, 200, JSON.stringify(ended.body));
      await service.settled();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await service.settled();
  return scenario;
}

interface Hosted {
  repo: HostedRepo;
  stubbed?: StubRepository;
  /** The way it is connected. */
  body: object;
}

let made = 0;
async function newRepository({ stub }: ScenarioEnvironment, by: ConnectedBy, org: TestOrg): Promise<Hosted> {
  if (by === "address") {
    const secret = `password-${org.slug}`;
    const repo = await stub.git.newRepository({ secret });
    // GitHub itself can't be connected as an address.
    const url = repo.remote.url.replace("127.0.0.1", "localhost");
    return { repo, body: { host: "local", url, username: "x-access-token", password: secret } };
  }
  const fullName = `acme/random-${made++}`;
  const stubbed = await stub.newRepository(fullName, { installed: by === "github-app" });
  runGit(stubbed.repo.directory, "config", "receive.denyNonFastForwards", "false");
  const body =
    by === "github-app"
      ? { host: by, repository: fullName }
      : { host: by, repository: fullName, token: stub.newToken([stubbed]) };
  return { repo: stubbed.repo, stubbed, body };
}

/** Work that a killed process leaves to the schedule of the service. */
export async function reconciled({ service, wait }: ScenarioEnvironment): Promise<void> {
  wait(10_000);
  await reconcile(service.app);
  await service.settled();
}
