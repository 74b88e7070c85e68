/** An organization connected to a repository at a real smart HTTP host, whose errors are reported at the connection. */
import assert from "node:assert/strict";
import type { ConnectionPayload, RepositorySyncPayload } from "../../../contract/payloads/sync.ts";
import { pollConnections } from "../../../src/sync/triggers/poll.ts";
import { runConnection } from "../../../workers/sync/run.ts";
import { startGitHost, type GitHost, type HostedRepo } from "../host/git-host.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../service.ts";

const secret = "a-password-that-nobody-may-see";
export const hourMs = 3_600_000;

export interface Connected {
  owner: TestUser;
  org: TestOrg;
  repository: HostedRepo;
  id: string;
  base: string;
}

export interface Hosted {
  service: TestService;
  host: GitHost;
  /** Another organization, connected to another repository with these files. */
  connected(files?: Record<string, string>): Promise<Connected>;
  /** Creates a text skill, or its next version; returns its id. */
  publish(customer: Connected, name: string, text: string): Promise<string>;
  run(customer: Connected): Promise<void>;
  state(customer: Connected): Promise<RepositorySyncPayload & { connection: ConnectionPayload }>;
  contentOf(customer: Connected, slug: string): Promise<string>;
  assertReported(customer: Connected, status: "blocked" | "failing", code: string): Promise<void>;
  /** Advances the clock, polls, and runs everything that is due. */
  wait(customer: Connected, ms: number): Promise<void>;
  assertInStep(customer: Connected): Promise<void>;
  close(): Promise<void>;
}

export async function startHosted(): Promise<Hosted> {
  let ahead = 0;
  const host = await startGitHost();
  const service = await startService({
    syncPrivateNetwork: true,
    now: () => new Date(Date.now() + ahead),
  });
  async function connected(files: Record<string, string> = { "a.txt": "theirs\n" }): Promise<Connected> {
    const owner = await service.newUser();
    const org = await service.newOrg(owner);
    const repository = await host.newRepository({ secret });
    if (Object.keys(files).length > 0) repository.commit(files);
    const base = `/api/tenants/${org.id}/repo-sync`;
    const answer = await service.call<ConnectionPayload>("POST", base, {
      token: owner.token,
      body: { host: "local", url: repository.remote.url, username: "x-access-token", password: secret },
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    await service.settled();
    return { owner, org, repository, id: answer.data.id, base };
  }

  async function publish(customer: Connected, name: string, text: string): Promise<string> {
    const answer = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
      token: customer.owner.token,
      body: { tenantId: customer.org.id, name, content: `# ${name}\n\n${text}\n` },
    });
    assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
    await service.settled();
    return answer.data.skill.id;
  }

  async function state(
    customer: Connected,
  ): Promise<RepositorySyncPayload & { connection: ConnectionPayload }> {
    const answer = await service.call<RepositorySyncPayload>("GET", customer.base, {
      token: customer.owner.token,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.doesNotMatch(JSON.stringify(answer.body), new RegExp(secret));
    assert.ok(answer.data.connection);
    return { ...answer.data, connection: answer.data.connection };
  }

  async function contentOf(customer: Connected, slug: string): Promise<string> {
    const answer = await service.call<{ content: string }>(
      "GET",
      `/api/skills/${customer.org.slug}~${slug}/content`,
      { token: customer.owner.token },
    );
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.data.content;
  }

  async function assertReported(
    customer: Connected,
    status: "blocked" | "failing",
    code: string,
  ): Promise<void> {
    const { connection } = await state(customer);
    assert.deepEqual(
      [connection.status, connection.problem?.code],
      [status, code],
      JSON.stringify(connection),
    );
    assert.match(connection.problem!.message, /^\S.*\.$/s);
    assert.equal(connection.retryAt !== null, status === "failing");
  }

  async function wait(customer: Connected, ms: number): Promise<void> {
    ahead += ms;
    await pollConnections(service.app);
    await service.settled();
    // An import requests the sync that writes back to the repository.
    for (let i = 0; i < 3 && (await state(customer)).connection.pending; i++) {
      await run(customer);
      await service.settled();
    }
  }

  async function assertInStep(customer: Connected): Promise<void> {
    const { connection, skillProblems } = await state(customer);
    assert.deepEqual([connection.status, connection.problem, connection.pending], ["active", null, false]);
    assert.deepEqual(skillProblems, []);
  }

  const run = ({ id }: Connected) => runConnection(service.app, id);
  return {
    service,
    host,
    connected,
    publish,
    run,
    state,
    contentOf,
    assertReported,
    wait,
    assertInStep,
    async close() {
      await service.close();
      await host.close();
    },
  };
}

/** A text skill as a person edits it in the repository. */
export const edited = (name: string, words: string) =>
  `---\nname: ${name}\ndescription: Edited.\n---\n\n# ${name}\n\n${words}\n`;
