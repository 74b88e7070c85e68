/** Organizations with bare repositories on this machine that they may connect, over HTTP. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ConnectionPayload, RepositorySyncPayload } from "../../../contract/payloads/sync.ts";
import { runGit } from "../host/git-host.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../service.ts";

export interface Customer {
  owner: TestUser;
  org: TestOrg;
  base: string;
}

export interface Customers {
  service: TestService;
  /** The parent folder of everything that the tests create. */
  folder: string;
  /** Advances the clock. */
  wait(ms: number): void;
  newCustomer(): Promise<Customer>;
  /** A bare repository where the organization may connect it; each of `files` is a commit. */
  newRepository(customer: Customer, name: string, files?: Record<string, string>): string;
  commitTo(bare: string, name: string, text: string): void;
  publish(customer: Customer, name: string): Promise<{ data: { skill: { id: string } } }>;
  connect(customer: Customer, body: object): ReturnType<typeof callConnect>;
  state(customer: Customer): Promise<RepositorySyncPayload>;
  close(): Promise<void>;
}

/** Path and code of each problem of a directory. */
export const problemsOf = ({ skillProblems }: RepositorySyncPayload) =>
  skillProblems.map(({ path: at, problem }) => `${at} ${problem.code}`).toSorted();

export const as = (customer: Customer) => ({ token: customer.owner.token });

const callConnect = (service: TestService, customer: Customer, body: object) =>
  service.call<ConnectionPayload>("POST", customer.base, { ...as(customer), body });

export async function startCustomers(): Promise<Customers> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-customers-"));
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
    async newCustomer() {
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
    publish: (customer, name) =>
      service.call("POST", "/api/skills", {
        ...as(customer),
        body: { tenantId: customer.org.id, name, content: `${name}\n` },
      }),
    connect: (customer, body) => callConnect(service, customer, body),
    state: async (customer) =>
      (await service.call<RepositorySyncPayload>("GET", customer.base, as(customer))).data,
    async close() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
