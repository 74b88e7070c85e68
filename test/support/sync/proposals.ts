/** An organization in pull-request mode, connected to a repository at the stub of GitHub by a token. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type {
  ProposalPayload,
  RepositorySyncPayload,
  SyncRunPayload,
} from "../../../contract/payloads/sync.ts";
import type { App } from "../../../src/app.ts";
import { openHost } from "../../../src/sync/connection/open-host.ts";
import { runSync, type SyncEnd } from "../../../src/sync/run/run-sync.ts";
import { runGit } from "../host/git-host.ts";
import { mergePull, type StubPull } from "../host/github-pulls-stub.ts";
import { startGitHub, type GitHubStub, type StubRepository } from "../host/github-stub.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../service.ts";

export const ourBranch = "svc-sync/main";
export const skillFile = (slug: string) => `skills/${slug}/SKILL.md`;

export interface ProposalEnvironment {
  service: TestService;
  stub: GitHubStub;
  /** Advances the clock. */
  wait(ms: number): void;
  newFixture(options?: FixtureOptions): Promise<ProposalFixture>;
  close(): Promise<void>;
}

export interface FixtureOptions {
  by?: "token" | "app";
  /** Files of the first commit; none for an empty repository. */
  files?: Record<string, string>;
}

export interface ProposalFixture {
  service: TestService;
  owner: TestUser;
  org: TestOrg;
  id: string;
  repository: StubRepository;
  call<T>(method: string, target: string, body?: object): Promise<T>;
  /** A text skill, or its next version. */
  publish(name: string, text: string, fields?: object): Promise<{ id: string; slug: string }>;
  textOf(skillId: string): Promise<string>;
  versions(skillId: string): Promise<number>;
  conflicts(): Promise<number>;
  /** Requests a sync and runs it; with another application if one is given. */
  sync(options?: { full?: boolean; through?: App }): Promise<SyncEnd>;
  state(): Promise<RepositorySyncPayload>;
  proposal(): Promise<ProposalPayload>;
  lastRun(): Promise<SyncRunPayload>;
  pulls(): StubPull[];
  merge(how?: "merge" | "squash" | "rebase"): void;
  /** Paths and contents of the skills on a branch; without `.svc.json`. */
  paths(branch?: string): string[];
  show(branch: string, file: string): string;
  tip(branch?: string): string | undefined;
  git(...args: string[]): string;
  /** Changes by a person in a clone on a branch, pushed. */
  on(branch: string, act: (tools: Clone) => void): string;
  deleteBranch(): void;
  assertStill(): Promise<void>;
}

export interface Clone {
  git(...args: string[]): string;
  write(files: Record<string, string | null>, message?: string): void;
  read(file: string): string;
}

export async function startProposalEnvironment(): Promise<ProposalEnvironment> {
  let ahead = 0;
  const stub = await startGitHub();
  const service = await startService({
    github: { url: stub.url, apiUrl: stub.url, app: { ...stub.app, proof: "none" }, webhookSecrets: ["s"] },
    syncPrivateNetwork: true,
    now: () => new Date(Date.now() + ahead),
  });
  let made = 0;
  return {
    service,
    stub,
    wait: (ms) => void (ahead += ms),
    newFixture: (options) => newFixture(service, stub, `acme/proposals-${++made}`, options),
    async close() {
      await service.close();
      await stub.close();
    },
  };
}

async function newFixture(
  service: TestService,
  stub: GitHubStub,
  name: string,
  { by = "token", files = { "code.txt": "theirs\n" } }: FixtureOptions = {},
): Promise<ProposalFixture> {
  const owner = await service.newUser();
  const org = await service.newOrg(owner);
  const repository = await stub.newRepository(name, { installed: by === "app" });
  const { repo } = repository;
  if (Object.keys(files).length > 0) repo.commit(files);
  const base = `/api/tenants/${org.id}/repo-sync`;
  const call: ProposalFixture["call"] = async <T>(method: string, target: string, body?: object) => {
    const answer = await service.call<T>(method, target, { token: owner.token, body });
    assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
    return answer.data;
  };
  const credentials =
    by === "app" ? { host: "github-app" } : { host: "github-token", token: stub.newToken([repository]) };
  const connected = { ...credentials, repository: name, mode: "pull_request" };
  const { id } = await call<{ id: string }>("POST", base, connected);
  await service.settled();
  const git = (...args: string[]) => runGit(repo.directory, ...args);
  const tip = (branch = ourBranch) => repo.head(branch);
  const { app } = service;

  const fixture: ProposalFixture = {
    service,
    owner,
    org,
    id,
    repository,
    call,
    async publish(skill, text, fields = {}) {
      const body = { tenantId: org.id, name: skill, content: `# ${skill}\n\n${text}\n`, ...fields };
      const { skill: made } = await call<{ skill: { id: string; slug: string } }>(
        "POST",
        "/api/skills",
        body,
      );
      await service.settled();
      return made;
    },
    textOf: async (skillId) =>
      (await call<{ content: string }>("GET", `/api/skills/${skillId}/content`)).content,
    versions: async (skillId) => (await call<unknown[]>("GET", `/api/skills/${skillId}/versions`)).length,
    conflicts: async () => (await call<unknown[]>("GET", `${base}/conflicts`)).length,
    async sync({ full = false, through = app } = {}) {
      await app.storage.connections.request({ id }, { full, now: app.now() });
      return runSync(through, id, {
        mirrors: through.mirrors,
        hostOf: (connection, guard) => openHost(through, connection, guard),
      });
    },
    state: () => call("GET", base),
    async proposal() {
      const { proposal } = await call<RepositorySyncPayload>("GET", base);
      assert.ok(proposal);
      assert.match(proposal.message, /^[A-Z].*\.$/);
      return proposal;
    },
    lastRun: async () => (await call<SyncRunPayload[]>("GET", `${base}/history?limit=1`))[0]!,
    pulls: () => repository.pulls,
    merge: (how) => mergePull(repository, repository.pulls.at(-1)!, how),
    paths: (branch = ourBranch) =>
      git("ls-tree", "-r", "--name-only", branch)
        .split("\n")
        .filter((one) => one !== "" && !one.endsWith(".svc.json") && one !== "skills/README.md"),
    show: (branch, file) => git("show", `${branch}:${file}`),
    tip,
    git,
    on(branch, act) {
      const at = (...args: string[]) => runGit(repo.copy, ...args);
      at("fetch", "-q", "--prune", "origin");
      at("checkout", "-q", "-f", "-B", "work", `origin/${branch}`);
      at("clean", "-qfd");
      act({
        git: at,
        read: (file) => at("show", `HEAD:${file}`),
        write(changed, message = "An edit") {
          for (const [file, text] of Object.entries(changed)) {
            const place = path.join(repo.copy, file);
            if (text === null) {
              rmSync(place, { recursive: true, force: true });
              continue;
            }
            mkdirSync(path.dirname(place), { recursive: true });
            writeFileSync(place, text);
          }
          at("add", "-A");
          at("commit", "-q", "--allow-empty", "-m", message);
        },
      });
      at("push", "-q", "origin", `HEAD:refs/heads/${branch}`);
      return tip(branch)!;
    },
    deleteBranch: () => void git("update-ref", "-d", `refs/heads/${ourBranch}`),
    async assertStill() {
      const held = () => [tip(), tip("main"), ...repository.pulls.map((pull) => JSON.stringify(pull))];
      const before = held();
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual(held(), before);
      assert.equal(git("fsck", "--full", "--strict", "--no-dangling"), "");
    },
  };
  return fixture;
}

/** A scenario whose main branch already has these skills, by a merged request. */
export async function inStep(environment: ProposalEnvironment, ...names: string[]): Promise<ProposalFixture> {
  const fixture = await environment.newFixture();
  for (const name of names) await fixture.publish(name, "one");
  assert.equal(await fixture.sync(), "done");
  fixture.merge();
  assert.equal(await fixture.sync(), "done");
  assert.equal((await fixture.proposal()).state, "none");
  assert.equal((await fixture.state()).syncedSkills, names.length);
  return fixture;
}
