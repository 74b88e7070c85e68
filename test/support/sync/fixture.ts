/**
 * An organization connected to a bare repository on this machine, edited on both sides: by the API, and by plain git.
 */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import { openMirrors } from "../../../repos/mirror/index.ts";
import type { Mirrors } from "../../../repos/mirror/types.ts";
import type { App } from "../../../src/app.ts";
import { runSync, type SyncEnd, type SyncPorts } from "../../../src/sync/run/run-sync.ts";
import { commitAndPush, runGit, runGitScript } from "../host/git-host.ts";
import type { TestOrg, TestService, TestUser } from "../service.ts";
import { newOrganization, setUpService } from "../set-up.ts";

export interface SyncFixture {
  service: TestService;
  owner: TestUser;
  org: TestOrg;
  readonly connectionId: string;
  /** The bare repository. */
  remote: string;
  ports: SyncPorts;
  /** A working copy of it, as the customer has one. */
  copy: WorkingCopy;
  /** Requests a sync and runs it. */
  sync(full?: boolean): Promise<SyncEnd>;
  /** Tip of the branch, undefined before the first commit. */
  tip(): string | undefined;
  connection(): ReturnType<TestService["app"]["storage"]["connections"]["find"]>;
  /** Connects the repository again after its connection has ended. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Folder of a connection's mirror. */
export const mirrorFolder = (
  { config }: Pick<App, "config">,
  tenantId: string,
  connectionId: string,
): string => path.join(config.gitRoot, "t", tenantId, "mirror", `${connectionId}.git`);

export interface WorkingCopy {
  folder: string;
  git(...args: string[]): string;
  /** Updates it to the branch. */
  update(): void;
  write(name: string, text: string): void;
  read(name: string): string;
  has(name: string): boolean;
  /** Commits everything and pushes, over concurrent pushes of others. */
  push(message?: string, isForced?: boolean): string;
}

export async function connectedFixture(
  service: TestService,
  wrap: (mirrors: Mirrors) => Mirrors = (mirrors) => mirrors,
): Promise<SyncFixture> {
  const { app } = service;
  const { owner, org } = await newOrganization(service);
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-sync-"));
  const remote = path.join(folder, "remote.git");
  runGit(folder, "init", "-q", "--bare", "-b", "main", remote);
  const mirrors = openMirrors({
    root: app.config.gitRoot,
    git: { program: "git", searchPath: process.env["PATH"] },
  });
  let connectionId = "";
  async function connect(): Promise<void> {
    connectionId = app.newId();
    const now = app.now();
    await app.storage.connections.insert({
      _id: connectionId,
      tenantId: org.id,
      repositoryKey: `local:${remote}`,
      host: { kind: "local", repositoryId: remote, fullName: "remote", url: remote },
      branch: "main",
      connectedBy: { userId: owner.id, username: owner.username, name: owner.username },
      mode: "push",
      status: "active",
      wanted: 0,
      done: 0,
      fullWanted: 0,
      pollAt: now,
      failures: 0,
      fence: 0,
      createdAt: now,
      updatedAt: now,
    });
  }
  await connect();
  const host: RepositoryHost = {
    kind: "local",
    describe: () => Promise.reject(new Error("a sync does not call this")),
    head: () => Promise.reject(new Error("a sync does not call this")),
    remote: async () => ({ kind: "directory", path: remote }),
  };
  const ports: SyncPorts = { mirrors: wrap(mirrors), hostOf: () => host };
  return {
    service,
    owner,
    org,
    get connectionId() {
      return connectionId;
    },
    remote,
    ports,
    copy: workingCopy(path.join(folder, "copy"), remote),
    async sync(full = false) {
      await app.storage.connections.request({ id: connectionId }, { full, now: app.now() });
      return runSync(app, connectionId, ports);
    },
    tip() {
      const line = runGit(remote, "for-each-ref", "--format=%(objectname)", "refs/heads/main");
      return line === "" ? undefined : line;
    },
    connection: () => app.storage.connections.find(connectionId),
    reconnect: connect,
    async close() {
      await mirrors.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A service, and a function that runs a test with a connected organization. */
export async function setUpSyncFixtures() {
  const { service, clock } = await setUpService();
  const withFixture = (test: (fixture: SyncFixture) => Promise<void>) => withSyncFixture(service, test);
  return { service, clock, withFixture };
}

/** Runs a test with a connected organization. */
export async function withSyncFixture(
  service: TestService,
  test: (fixture: SyncFixture) => Promise<void>,
): Promise<void> {
  const fixture = await connectedFixture(service);
  try {
    await test(fixture);
  } finally {
    await fixture.close();
  }
}

export function workingCopy(folder: string, remote: string): WorkingCopy {
  const git = (...args: string[]) => runGit(folder, ...args);
  mkdirSync(folder);
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", remote);
  const update = () => {
    const isThere = `[ -z "$(git branch -r)" ] || git reset -q --hard origin/main`;
    runGitScript(folder, `git fetch -q origin; ${isThere}; git clean -fdq`);
  };
  return {
    folder,
    git,
    update,
    write(name, text) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    },
    read: (name) => readFileSync(path.join(folder, name), "utf8"),
    has: (name) => existsSync(path.join(folder, name)),
    push: (message = "edit", isForced = false) => commitAndPush(folder, message, "main", isForced),
  };
}

/** Directories of skills in a working copy, by path. */
export function skillDirectories(folder: string, below = "skills"): string[] {
  const at = path.join(folder, below);
  if (!existsSync(at)) return [];
  const names = readdirSync(at, { withFileTypes: true });
  if (names.some(({ name }) => name === "SKILL.md" || name === "RULE.md")) return [below];
  return names
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => skillDirectories(folder, `${below}/${name}`));
}

interface Published {
  skill: { id: string; slug: string };
}

/** A text skill, created by the API. */
export async function publish(
  fixture: SyncFixture,
  name: string,
  text: string,
  fields: object = {},
): Promise<Published["skill"]> {
  const answer = await fixture.service.call<Published>("POST", "/api/skills", {
    token: fixture.owner.token,
    body: { tenantId: fixture.org.id, name, content: `# ${name}\n\n${text}\n`, ...fields },
  });
  assert.ok(answer.status === 201 || answer.status === 200, JSON.stringify(answer.body));
  return answer.data.skill;
}

export interface VersionRow {
  version: number;
  semver: string;
  message: string;
  author: { username: string } | null;
}

export async function versionsOf(fixture: SyncFixture, skillId: string): Promise<VersionRow[]> {
  const { data } = await fixture.service.call<VersionRow[]>(
    "GET",
    `/api/skills/${skillId}/versions?limit=200&prerelease=true`,
    {
      token: fixture.owner.token,
    },
  );
  return data;
}

export async function textOf(fixture: SyncFixture, skillId: string, version?: number): Promise<string> {
  const selector = version === undefined ? "" : `?version=${version}`;
  const answer = await fixture.service.call<{ content: string }>(
    "GET",
    `/api/skills/${skillId}/content${selector}`,
    {
      token: fixture.owner.token,
    },
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data.content;
}

export async function listSkills(fixture: SyncFixture): Promise<
  {
    id: string;
    slug: string;
    folderId: string | null;
    visibility: string;
    type: string;
    currentVersion: number;
  }[]
> {
  const { data } = await fixture.service.call<
    {
      id: string;
      slug: string;
      folderId: string | null;
      visibility: string;
      type: string;
      currentVersion: number;
    }[]
  >("GET", `/api/skills?tenant_id=${fixture.org.id}&limit=200`, { token: fixture.owner.token });
  return data;
}
