/** A connection whose member leaves the organization, or loses the permission to connect. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { VersionPayload } from "../../contract/payloads/skills.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { runGit } from "../support/git-host.ts";
import { takeMails } from "../support/mailbox.ts";
import { newMember } from "../support/organization.ts";
import type { TestService, TestUser } from "../support/service.ts";
import { edited } from "../support/sync/hosted.ts";
import { as, startSides, type Side, type Sides } from "../support/sync/organizations.ts";

let sides: Sides;
let service: TestService;
before(async () => {
  sides = await startSides();
  ({ service } = sides);
});
after(() => sides.close());

interface Connected {
  side: Side;
  connector: TestUser;
  bare: string;
  run(): Promise<void>;
}

/** A repository that an administrator, who is not an owner, connected, with one skill. */
async function connectedByAdmin(): Promise<Connected> {
  const side = await sides.newSide();
  const connector = await newMember(service, side.org, "admin");
  const bare = sides.newRepository(side, "r.git", { "skills/theirs/SKILL.md": edited("theirs", "one") });
  const answer = await service.call<{ id: string }>("POST", side.base, {
    token: connector.token,
    body: { host: "local", url: "r.git" },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const run = async () => {
    await service.settled();
    await service.call("POST", `${side.base}/run`, as(side));
    await service.settled();
    await runConnection(service.app, answer.data.id);
  };
  await run();
  takeMails(service.app);
  return { side, connector, bare, run };
}

const versionsOf = async (side: Side) =>
  (await service.call<VersionPayload[]>("GET", `/api/skills/${side.org.slug}~theirs/versions`, as(side)))
    .data;

describe("a connection whose member has left", () => {
  it("pauses imports, keeps pushing, notifies the owners once, and is taken over in one call", async () => {
    const { side, connector, bare, run } = await connectedByAdmin();
    const viewer = await newMember(service, side.org, "viewer");
    const left = await service.call(
      "DELETE",
      `/api/tenants/${side.org.id}/members/${connector.id}`,
      as(side),
    );
    assert.equal(left.status, 200, JSON.stringify(left.body));
    sides.commitTo(bare, "skills/theirs/SKILL.md", edited("theirs", "two"));
    sides.commitTo(bare, "skills/fresh/SKILL.md", edited("fresh", "new"));
    await sides.publish(side, "Ours");

    await run();
    const waiting = await sides.state(side);
    assert.deepEqual(
      [waiting.connection!.status, waiting.connection!.problem?.code],
      ["blocked", "connector_gone"],
    );
    assert.match(waiting.connection!.problem!.message, new RegExp(`^@${connector.username}, who connected`));
    assert.deepEqual(
      waiting.skillProblems
        .map(({ path, problem }) => `${path} ${problem.code}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
      ["skills/fresh connector_gone", "skills/theirs connector_gone"],
    );
    assert.equal((await versionsOf(side)).length, 1);
    assert.match(runGit(bare, "ls-tree", "-r", "--name-only", "main"), /skills\/ours\/SKILL\.md/);
    assert.match(runGit(bare, "show", "main:skills/theirs/SKILL.md"), /two/);
    assert.deepEqual(
      takeMails(service.app).map(({ to, subject }) => [
        to,
        /^The repository of .* needs another member$/.test(subject),
      ]),
      [[`${side.owner.username}@example.com`, true]],
    );
    await run();
    sides.wait(10 * 60_000);
    await pollConnections(service.app);
    assert.deepEqual(takeMails(service.app), [], "mailed again");

    const takeOver = (token: string) => service.call("POST", `${side.base}/takeover`, { token });
    const narrowed = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      ...as(side),
      body: { name: "sync", scopes: { githubSync: ["manage"] } },
    });
    for (const token of [viewer.token, narrowed.data.token])
      assert.equal((await takeOver(token)).code, "forbidden");
    assert.equal((await takeOver(side.owner.token)).status, 200);
    assert.equal((await takeOver(side.owner.token)).status, 200, "again changes nothing");
    await run();
    const { connection, skillProblems } = await sides.state(side);
    assert.deepEqual(
      [connection!.status, connection!.problem, connection!.connectedBy.username, skillProblems],
      ["active", null, side.owner.username, []],
    );
    const [newest, ...others] = await versionsOf(side);
    assert.deepEqual([newest!.author?.username, others.length], [side.owner.username, 1]);
    const log = await service.call<{ entries: { metadata: Record<string, unknown> }[] }>(
      "GET",
      `/api/tenants/${side.org.id}/audit-log?action=repohost_sync.update`,
      as(side),
    );
    assert.deepEqual(
      log.data.entries.map(({ metadata }) => metadata["changes"]),
      [{ connectedBy: { from: connector.username, to: side.owner.username } }],
    );
  });
});

describe("a connection whose member has a different role", () => {
  it("is paused by the next poll of its branch, and continues once the member may connect again", async () => {
    const { side, connector, run } = await connectedByAdmin();
    const member = `/api/tenants/${side.org.id}/members/${connector.id}`;
    const setRole = (role: string) => service.call("PATCH", member, { ...as(side), body: { role } });
    const look = async () => {
      sides.wait(10 * 60_000);
      await pollConnections(service.app);
      await service.settled();
      const found = (await service.app.storage.connections.findOfTenant(side.org.id))!;
      if (found.wanted > found.done) await runConnection(service.app, found._id);
      return (await sides.state(side)).connection!;
    };
    assert.equal((await look()).status, "active");

    assert.equal((await setRole("member")).status, 200);
    assert.equal((await look()).problem?.code, "connector_gone");
    assert.equal((await setRole("admin")).status, 200);
    assert.equal((await look()).status, "active");
    await run();
    assert.equal((await sides.state(side)).connection!.problem, null);
  });
});
