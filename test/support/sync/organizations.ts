/** Organizations with bare repositories on this machine that they may connect, over HTTP. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ConnectionPayload, RepositorySyncPayload } from "../../../contract/payloads/sync.ts";
import { runGit } from "../git-host.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../service.ts";

export interface Side {
  owner: TestUser;
  org: TestOrg;
  base: string;
}

export interface Sides {
  service: TestService;
  /** The parent folder of everything that the tests create. */
  folder: string;
  /** Advances the clock. */
  wait(ms: number): void;
  newSide(): Promise<Side>;
  /** A bare repository where the organization may connect it; each of `files` is a commit. */
  newRepository(side: Side, name: string, files?: Record<string, string>): string;
  commitTo(bare: string, name: string, text: string): void;
  publish(side: Side, name: string): Promise<{ data: { skill: { id: string } } }>;
  connect(side: Side, body: object): ReturnType<typeof callConnect>;
  state(side: Side): Promise<RepositorySyncPayload>;
  close(): Promise<void>;
}

/** Path and code of each problem of a directory. */
export const problemsOf = ({ skillProblems }: RepositorySyncPayload) =>
  skillProblems.map(({ path: at, problem }) => `${at} ${problem.code}`).toSorted();

export const as = (side: Side) => ({ token: side.owner.token });

const callConnect = (service: TestService, side: Side, body: object) =>
  service.call<ConnectionPayload>("POST", side.base, { ...as(side), body });

export async function startSides(): Promise<Sides> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-sides-"));
  let ahead = 0;
  const service = await startService({
    localRepositories: path.join(folder, "repositories"),
    now: () => new Date(Date.now() + ahead),
  });
  const commitTo = (bare: string, name: string, text: string) => {
    const copy = mkdtempSync(path.join(folder, "copy-"));
    runGit(copy, "clone", "-q", bare, ".");
    mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
    writeFileSync(path.join(copy, name), text);
    runGit(copy, "add", "-A");
    runGit(copy, "commit", "-q", "-m", `change ${name}`);
    runGit(copy, "push", "-q", "origin", "HEAD:main");
  };
  return {
    service,
    folder,
    wait: (ms) => void (ahead += ms),
    async newSide() {
      const owner = await service.newUser();
      const org = await service.newOrg(owner);
      return { owner, org, base: `/api/tenants/${org.id}/repo-sync` };
    },
    newRepository({ org }, name, files = {}) {
      const bare = path.join(folder, "repositories", org.id, name);
      mkdirSync(bare, { recursive: true });
      runGit(bare, "init", "-q", "--bare", "-b", "main");
      for (const [at, text] of Object.entries(files)) commitTo(bare, at, text);
      return bare;
    },
    commitTo,
    publish: (side, name) =>
      service.call("POST", "/api/skills", {
        ...as(side),
        body: { tenantId: side.org.id, name, content: `${name}\n` },
      }),
    connect: (side, body) => callConnect(service, side, body),
    state: async (side) => (await service.call<RepositorySyncPayload>("GET", side.base, as(side))).data,
    async close() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
