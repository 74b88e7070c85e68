/** Connecting, looking, running and disconnecting, over HTTP: with bare repositories of this machine. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type {
  ConnectionPayload,
  RepositorySyncPayload,
  SyncConflictPayload,
  SyncPlanPayload,
  SyncRunPayload,
} from "../../contract/payloads-sync.ts";
import { eraseTenant } from "../../workers/orgs/erase.ts";
import { pollConnections } from "../../src/sync/poll.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { newMember } from "../support/organization.ts";
import { runGit } from "../support/git-host.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";

let service: TestService;
let folder: string;
let ahead = 0;
before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "svc-routes-"));
  service = await startService({
    localRepositories: path.join(folder, "repositories"),
    now: () => new Date(Date.now() + ahead),
  });
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Side {
  owner: TestUser;
  org: TestOrg;
  base: string;
}

async function newSide(): Promise<Side> {
  const owner = await service.newUser();
  const org = await service.newOrg(owner);
  return { owner, org, base: `/api/tenants/${org.id}/repo-sync` };
}

/** A bare repository where the organization may connect it; `files` are in its first commit. */
function newRepository({ org }: Side, name: string, files: Record<string, string> = {}): string {
  const bare = path.join(folder, "repositories", org.id, name);
  mkdirSync(bare, { recursive: true });
  runGit(bare, "init", "-q", "--bare", "-b", "main");
  for (const [at, text] of Object.entries(files)) commitTo(bare, at, text);
  return bare;
}

function commitTo(bare: string, name: string, text: string): void {
  const copy = mkdtempSync(path.join(folder, "copy-"));
  runGit(copy, "clone", "-q", bare, ".");
  mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
  writeFileSync(path.join(copy, name), text);
  runGit(copy, "add", "-A");
  runGit(copy, "commit", "-q", "-m", `change ${name}`);
  runGit(copy, "push", "-q", "origin", "HEAD:main");
}

const as = (side: Side) => ({ token: side.owner.token });
const publish = (side: Side, name: string, text = `${name}\n`) =>
  service.call<{ skill: { id: string } }>("POST", "/api/skills", {
    ...as(side),
    body: { tenantId: side.org.id, name, content: text },
  });
const connect = (side: Side, body: object) =>
  service.call<ConnectionPayload>("POST", side.base, { ...as(side), body });
const state = async (side: Side) =>
  (await service.call<RepositorySyncPayload>("GET", side.base, as(side))).data;
const actionsOf = async (side: Side) =>
  (
    await service.call<{ entries: { action: string }[] }>(
      "GET",
      `/api/tenants/${side.org.id}/audit-log?action=repohost_sync.*`,
      as(side),
    )
  ).data.entries.map((entry) => entry.action);

describe("connecting a repository", () => {
  it("syncs, tells how far it is, and ends with the files where they are", async () => {
    const side = await newSide();
    await publish(side, "Alpha");
    const bare = newRepository(side, "skills.git", { "notes.txt": "theirs\n" });
    assert.equal((await state(side)).connection, null);

    const made = await connect(side, { host: "local", url: "skills.git" });

    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.deepEqual(
      [made.data.host, made.data.repository, made.data.branch, made.data.pending, made.data.notified],
      ["local", "skills", "main", true, false],
    );
    assert.equal(made.data.connectedBy.username, side.owner.username);
    await service.settled();
    await runConnection(service.app, made.data.id);
    const synced = await state(side);
    assert.equal(synced.connection!.status, "active", JSON.stringify(synced.connection));
    assert.equal(synced.connection!.pending, false);
    assert.equal(synced.connection!.lastCommit, runGit(bare, "rev-parse", "main"));
    assert.equal(synced.syncedSkills, 1);
    assert.match(runGit(bare, "ls-tree", "-r", "--name-only", "main"), /skills\/alpha\/SKILL.md/);

    commitTo(bare, "skills/beta/SKILL.md", "---\nname: Beta\ndescription: Is new.\n---\nbody\n");
    const run = await service.call<ConnectionPayload>("POST", `${side.base}/run`, as(side));
    assert.equal(run.data.pending, true);
    await runConnection(service.app, made.data.id);
    const history = await service.call<SyncRunPayload[]>("GET", `${side.base}/history?limit=1`, as(side));
    assert.deepEqual(
      [history.data[0]!.full, history.data[0]!.created, history.data[0]!.outcome],
      [true, 1, "done"],
    );
    const older = await service.call<SyncRunPayload[]>(
      "GET",
      `${side.base}/history?limit=1&cursor=${history.nextCursor}`,
      as(side),
    );
    assert.deepEqual([older.data[0]!.exported, older.nextCursor], [1, null]);

    assert.equal((await service.call("DELETE", side.base, as(side))).status, 200);
    await service.settled();
    assert.equal((await state(side)).connection, null);
    assert.equal(await service.app.storage.syncBases.count(made.data.id), 0);
    const mirror = path.join(service.app.config.gitRoot, "t", side.org.id, "mirror", `${made.data.id}.git`);
    assert.equal(existsSync(mirror), false);
    assert.match(runGit(bare, "ls-tree", "-r", "--name-only", "main"), /skills\/beta\/SKILL.md/);
    assert.deepEqual((await actionsOf(side)).sort(), [
      "repohost_sync.connect",
      "repohost_sync.disconnect",
      "repohost_sync.manual_sync",
    ]);
    assert.equal((await service.call("DELETE", side.base, as(side))).code, "not_found");
  });

  it("is done once by an organization, and a branch is connected once by anybody", async () => {
    const [one, other] = [await newSide(), await newSide()];
    newRepository(one, "a.git");
    newRepository(one, "b.git");
    newRepository(other, "a.git");
    const first = await connect(one, { host: "local", url: "a.git" });
    assert.equal(first.status, 201);

    const again = await connect(one, { host: "local", url: "b.git" });
    assert.equal(again.code, "conflict");
    assert.match(again.error!, /^a \(main\) is connected: disconnect it first/);
    // The same name in another organization's folder is another repository.
    assert.equal((await connect(other, { host: "local", url: "a.git" })).status, 201);
    await service.app.storage.database.raw
      .collection("connections")
      .updateOne({ tenantId: other.org.id }, { $set: { tenantId: "elsewhere" } });
    const { repositoryKey } = (await service.app.storage.connections.findOfTenant(one.org.id))!;
    await service.app.storage.database.raw
      .collection("connections")
      .updateOne({ tenantId: "elsewhere" }, { $set: { repositoryKey: `directory:${other.org.id}/a.git` } });
    assert.notEqual(repositoryKey, `directory:${other.org.id}/a.git`);

    const taken = await connect(other, { host: "local", url: "a.git" });
    assert.equal(taken.code, "refused");
    assert.match(taken.error!, /^This branch of the repository is connected already/);
    assert.doesNotMatch(JSON.stringify(taken.body), /elsewhere/);
  });

  it("needs a person who may manage it; looking needs the right to read", async () => {
    const side = await newSide();
    newRepository(side, "r.git");
    const body = { host: "local", url: "r.git" };
    const admin = await newMember(service, side.org, "admin");
    const member = await newMember(service, side.org, "member");
    const token = await service.call<{ token: string }>("POST", `/api/tenants/${side.org.id}/tokens`, {
      ...as(side),
      body: { name: "ci" },
    });
    const narrowed = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      ...as(side),
      body: { name: "reads", scopes: { githubSync: ["read"] } },
    });

    for (const [method, at] of [
      ["GET", ""],
      ["POST", ""],
      ["DELETE", ""],
      ["POST", "/run"],
      ["GET", "/plan"],
      ["POST", "/plan"],
      ["GET", "/history"],
      ["GET", "/conflicts"],
    ] as const) {
      const sent = method === "POST" && at !== "/run" ? { body } : {};
      const answer = await service.call(method, side.base + at, { token: member.token, ...sent });
      assert.equal(answer.code, "forbidden", `${method} ${at}`);
    }
    assert.equal((await service.call("GET", side.base)).code, "unauthenticated");
    const byToken = await service.call("POST", side.base, { token: token.data.token, body });
    assert.deepEqual([byToken.code, /person/.test(byToken.error!)], ["forbidden", true]);
    assert.equal(
      (await service.call("POST", side.base, { token: narrowed.data.token, body })).code,
      "forbidden",
    );
    assert.equal((await service.call("GET", side.base, { token: narrowed.data.token })).status, 200);
    assert.equal((await service.call("POST", side.base, { token: admin.token, body })).status, 201);
    assert.equal((await service.call("POST", `${side.base}/run`, { token: token.data.token })).status, 200);
  });

  it("refuses what leads into private networks, out of the organization's folder, or nowhere", async () => {
    const side = await newSide();
    const neighbour = await newSide();
    const bare = newRepository(neighbour, "secret.git");
    newRepository(side, "own.git");
    symlinkSync(bare, path.join(folder, "repositories", side.org.id, "link.git"));
    const refusals: string[] = [];
    for (const url of [
      "http://git.example.com/x.git",
      "https://127.0.0.1/x.git",
      "https://[::1]/x.git",
      "https://[::ffff:10.0.0.1]/x",
      "https://localhost/x.git",
      "https://169.254.169.254/latest/meta-data",
      "https://2130706433/x",
      "https://user:pw@git.example.com/x",
      "https://git.example.com/x?y=z",
      "https://github.com/acme/skills.git",
      "ssh://git.example.com/x",
      "file:///etc",
      `../${neighbour.org.id}/secret.git`,
      `${neighbour.org.id}/secret.git`,
      "link.git",
      "/etc",
      "own.git/../own.git",
      "-c",
      "absent.git",
    ]) {
      const answer = await connect(side, { host: "local", url });
      assert.equal(answer.code, "refused", `${url}: ${JSON.stringify(answer.body)}`);
      assert.doesNotMatch(JSON.stringify(answer.body), new RegExp(folder), url);
      assert.equal(
        (await service.call("POST", `${side.base}/plan`, { ...as(side), body: { host: "local", url } })).code,
        "refused",
        url,
      );
      refusals.push(answer.error!);
    }
    assert.equal(await service.app.storage.connections.findOfTenant(side.org.id), null);
    for (const branch of ["a..b", "-x", "a b", "x.lock", "a\u0007", "@{0}", "/a"])
      assert.equal(
        (await connect(side, { host: "local", url: "own.git", branch })).code,
        "invalid_request",
        branch,
      );
  });

  it("keeps what it is told sealed, and tells it to nobody", async () => {
    const side = await newSide();
    newRepository(side, "s.git");
    const made = await connect(side, {
      host: "local",
      url: "s.git",
      username: "bot",
      password: "hunter2hunter2",
    });
    const stored = (await service.app.storage.connections.findOfTenant(side.org.id))!;

    assert.doesNotMatch(JSON.stringify(made.body), /hunter2/);
    assert.doesNotMatch(JSON.stringify(await state(side)), /hunter2/);
    assert.doesNotMatch(JSON.stringify(stored), /hunter2/);
    assert.equal(service.app.secrets.open(stored.credential!, stored._id), "hunter2hunter2");
    assert.throws(() => service.app.secrets.open(stored.credential!, "another"));
  });
});

describe("the plan", () => {
  it("tells what a first sync writes and creates before anything is connected, and keeps nothing", async () => {
    const side = await newSide();
    await publish(side, "Known");
    await publish(side, "Mine");
    const bare = newRepository(side, "p.git", {
      "skills/fresh/SKILL.md": "---\nname: Fresh\n---\nbody\n",
      "README.md": "theirs\n",
    });
    const tip = runGit(bare, "rev-parse", "main");

    const plan = await service.call<SyncPlanPayload>("POST", `${side.base}/plan`, {
      ...as(side),
      body: { host: "local", url: "p.git" },
    });

    assert.equal(plan.status, 200, JSON.stringify(plan.body));
    assert.equal(plan.data.branchState, "present");
    assert.deepEqual(plan.data.write, [
      { path: "skills/known", skill: "known" },
      { path: "skills/mine", skill: "mine" },
    ]);
    assert.deepEqual([plan.data.create, plan.data.creates], [[{ path: "skills/fresh" }], 1]);
    assert.deepEqual([plan.data.skills, plan.data.removes, plan.data.updates], [3, 0, 0]);
    assert.equal(runGit(bare, "rev-parse", "main"), tip);
    assert.equal((await state(side)).connection, null);
    const mirrors = path.join(service.app.config.gitRoot, "t", side.org.id, "mirror");
    assert.deepEqual(existsSync(mirrors) ? readdirSync(mirrors) : [], []);
  });

  it("tells what is to come of a connection, and of an empty repository or a branch that is not there", async () => {
    const side = await newSide();
    await publish(side, "Only");
    const bare = newRepository(side, "e.git");
    const draft = (branch: string) =>
      service.call<SyncPlanPayload>("POST", `${side.base}/plan`, {
        ...as(side),
        body: { host: "local", url: "e.git", branch },
      });
    assert.equal((await draft("main")).data.branchState, "empty");
    const { data } = await connect(side, { host: "local", url: "e.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    commitTo(bare, "skills/only/SKILL.md", "edited\n");

    const plan = await service.call<SyncPlanPayload>("GET", `${side.base}/plan`, as(side));

    assert.deepEqual(plan.data.update, [{ path: "skills/only", skill: "only", conflict: false }]);
    assert.deepEqual([plan.data.writes, plan.data.creates], [0, 0]);
    assert.equal((await draft("other")).data.branchState, "missing");
  });
});

describe("conflicts", () => {
  it("are listed with the way to what was lost", async () => {
    const side = await newSide();
    const made = await publish(side, "Fought");
    const bare = newRepository(side, "c.git");
    const { data } = await connect(side, { host: "local", url: "c.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    commitTo(bare, "skills/fought/SKILL.md", "---\nname: fought\ndescription: d\n---\ntheirs\n");
    await service.call("POST", `/api/skills/${made.data.skill.id}/versions`, {
      ...as(side),
      body: { content: "ours\n" },
    });
    await service.settled();
    await runConnection(service.app, data.id);

    const conflicts = await service.call<SyncConflictPayload[]>("GET", `${side.base}/conflicts`, as(side));

    assert.equal(conflicts.data.length, 1, JSON.stringify(conflicts.body));
    const [conflict] = conflicts.data;
    assert.deepEqual([conflict!.slug, conflict!.losing, conflict!.winning], ["fought", 2, 3]);
    const lost = await service.call<{ files: unknown[] }>("GET", conflict!.diff, as(side));
    assert.equal(lost.status, 200);
    assert.match(JSON.stringify(lost.body), /ours/);
  });
});

describe("the schedule", () => {
  it("finds a push that nobody told of, and a connection whose end was stopped", async () => {
    const side = await newSide();
    const bare = newRepository(side, "w.git", { "a.txt": "1\n" });
    const { data } = await connect(side, { host: "local", url: "w.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    const wanted = async () => (await service.app.storage.connections.find(data.id))!.wanted;
    const first = await wanted();
    ahead += 10 * 60_000;
    await pollConnections(service.app);
    assert.equal(await wanted(), first, "nothing was pushed");

    commitTo(bare, "a.txt", "2\n");
    ahead += 10 * 60_000;
    await pollConnections(service.app);
    assert.equal(await wanted(), first + 1);
    await pollConnections(service.app);
    assert.equal(await wanted(), first + 1, "not before its time");

    await service.app.storage.connections.disconnect(side.org.id, service.app.now(), []);
    await pollConnections(service.app);
    assert.equal(await service.app.storage.connections.find(data.id), null);
  });

  it("leaves nothing of an organization that is erased", async () => {
    const side = await newSide();
    await publish(side, "Gone");
    newRepository(side, "g.git");
    const { data } = await connect(side, { host: "local", url: "g.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    const { tenants } = service.app.storage;
    await tenants.scheduleDeletion(
      side.org.id,
      new Date(service.app.now().getTime() - 1),
      service.app.now(),
      [],
    );

    await eraseTenant(service.app, side.org.id);

    for (const name of ["connections", "sync_bases", "sync_runs", "sync_conflicts"])
      assert.equal(
        await service.app.storage.database.raw.collection(name).countDocuments({ tenantId: side.org.id }),
        0,
        name,
      );
  });
});
