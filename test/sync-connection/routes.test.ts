/** Connecting, running and disconnecting, over HTTP: with bare repositories on this machine. */
import assert from "node:assert/strict";
import { existsSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { ConnectionPayload, SyncRunPayload } from "../../contract/payloads/sync.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { runGit } from "../support/host/git-host.ts";
import { newMember } from "../support/organization.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers, type Customer } from "../support/sync/customers.ts";
import { mirrorFolder } from "../support/sync/fixture.ts";

const customers = await closedAfter(startCustomers());
const { service } = customers;

const actionsOf = async (customer: Customer) =>
  (
    await service.call<{ entries: { action: string }[] }>(
      "GET",
      `/api/tenants/${customer.org.id}/audit-log?action=repohost_sync.*`,
      as(customer),
    )
  ).data.entries.map((entry) => entry.action);

describe("connecting a repository", () => {
  it("syncs, reports the progress, and leaves the files in place when it ends", async () => {
    const customer = await customers.newCustomer();
    await customers.publish(customer, "Alpha");
    const bare = customers.newRepository(customer, "skills.git", { "notes.txt": "theirs\n" });
    assert.equal((await customers.state(customer)).connection, null);

    const made = await customers.connect(customer, { host: "local", url: "skills.git" });

    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.deepEqual(
      [made.data.host, made.data.repository, made.data.branch, made.data.pending, made.data.notified],
      ["local", "skills", "main", true, false],
    );
    assert.equal(made.data.connectedBy.username, customer.owner.username);
    await service.settled();
    await runConnection(service.app, made.data.id);
    const synced = await customers.state(customer);
    assert.equal(synced.connection!.status, "active", JSON.stringify(synced.connection));
    assert.equal(synced.connection!.pending, false);
    assert.equal(synced.connection!.lastCommit, runGit(bare, "rev-parse", "main"));
    assert.equal(synced.syncedSkills, 1);
    assert.match(runGit(bare, "ls-tree", "-r", "--name-only", "main"), /skills\/alpha\/SKILL.md/);

    customers.commitTo(bare, "skills/beta/SKILL.md", "---\nname: Beta\ndescription: Is new.\n---\nbody\n");
    const run = await service.call<ConnectionPayload>("POST", `${customer.base}/run`, as(customer));
    assert.equal(run.data.pending, true);
    await runConnection(service.app, made.data.id);
    const history = await service.call<SyncRunPayload[]>(
      "GET",
      `${customer.base}/history?limit=1`,
      as(customer),
    );
    assert.deepEqual(
      [history.data[0]!.full, history.data[0]!.created, history.data[0]!.outcome],
      [true, 1, "done"],
    );
    const older = await service.call<SyncRunPayload[]>(
      "GET",
      `${customer.base}/history?limit=1&cursor=${history.nextCursor}`,
      as(customer),
    );
    assert.deepEqual([older.data[0]!.exported, older.nextCursor], [1, null]);

    assert.equal((await service.call("DELETE", customer.base, as(customer))).status, 200);
    await service.settled();
    assert.equal((await customers.state(customer)).connection, null);
    assert.equal(await service.app.storage.syncBases.count(made.data.id), 0);
    const mirror = mirrorFolder(service.app, customer.org.id, made.data.id);
    assert.equal(existsSync(mirror), false);
    assert.match(runGit(bare, "ls-tree", "-r", "--name-only", "main"), /skills\/beta\/SKILL.md/);
    assert.deepEqual((await actionsOf(customer)).sort(), [
      "repohost_sync.connect",
      "repohost_sync.disconnect",
      "repohost_sync.manual_sync",
    ]);
    assert.equal((await service.call("DELETE", customer.base, as(customer))).code, "not_found");
  });

  it("is refused for a missing branch, also the default one, and lists the existing ones", async () => {
    const customer = await customers.newCustomer();
    const bare = customers.newRepository(customer, "renamed.git", { "notes.txt": "theirs\n" });
    for (const name of ["trunk", "a-second", "a-third", "a-fourth"]) runGit(bare, "branch", name, "main");
    runGit(bare, "update-ref", "-d", "refs/heads/main");
    const url = "renamed.git";

    for (const body of [
      { host: "local", url },
      { host: "local", url, branch: "gone" },
    ]) {
      const { status, code, details, body: sent } = await customers.connect(customer, body);
      assert.deepEqual([status, code, details?.["reason"]], [422, "refused", "branch_missing"]);
      assert.deepEqual(details?.["branches"], ["a-fourth", "a-second", "a-third", "trunk"]);
      assert.match(
        JSON.stringify(sent),
        /no branch (main|gone) \(it has a-fourth, a-second, a-third and others\)/,
      );
    }
    for (let at = 0; at < 30; at++) runGit(bare, "branch", `many-${at}`, "trunk");
    runGit(bare, "symbolic-ref", "HEAD", "refs/heads/trunk");
    const many = await customers.connect(customer, { host: "local", url, branch: "gone" });
    const listed = many.details?.["branches"];
    assert.ok(Array.isArray(listed));
    assert.deepEqual([listed.length, listed[0]], [20, "trunk"]);
  });

  it("is possible once per organization, and once per branch for all of them", async () => {
    const [one, other] = [await customers.newCustomer(), await customers.newCustomer()];
    customers.newRepository(one, "a.git");
    customers.newRepository(one, "b.git");
    customers.newRepository(other, "a.git");
    const first = await customers.connect(one, { host: "local", url: "a.git" });
    assert.equal(first.status, 201);

    const again = await customers.connect(one, { host: "local", url: "b.git" });
    assert.equal(again.code, "conflict");
    assert.match(again.error!, /^a \(main\) is connected: disconnect it first/);
    // The same name in another organization's folder is another repository.
    assert.equal((await customers.connect(other, { host: "local", url: "a.git" })).status, 201);
    await service.app.storage.database.raw
      .collection("connections")
      .updateOne({ tenantId: other.org.id }, { $set: { tenantId: "elsewhere" } });
    const { repositoryKey } = (await service.app.storage.connections.findOfTenant(one.org.id))!;
    await service.app.storage.database.raw
      .collection("connections")
      .updateOne({ tenantId: "elsewhere" }, { $set: { repositoryKey: `directory:${other.org.id}/a.git` } });
    assert.notEqual(repositoryKey, `directory:${other.org.id}/a.git`);

    const taken = await customers.connect(other, { host: "local", url: "a.git" });
    assert.equal(taken.code, "refused");
    assert.match(taken.error!, /^This branch of the repository is connected already/);
    assert.doesNotMatch(JSON.stringify(taken.body), /elsewhere/);
  });

  it("needs a person with the permission to manage it; viewing needs the right to read", async () => {
    const customer = await customers.newCustomer();
    customers.newRepository(customer, "r.git");
    const body = { host: "local", url: "r.git" };
    const admin = await newMember(service, customer.org, "admin");
    const member = await newMember(service, customer.org, "member");
    const token = await service.call<{ token: string }>("POST", `/api/tenants/${customer.org.id}/tokens`, {
      ...as(customer),
      body: { name: "ci" },
    });
    const narrowed = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      ...as(customer),
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
      const answer = await service.call(method, customer.base + at, { token: member.token, ...sent });
      assert.equal(answer.code, "forbidden", `${method} ${at}`);
    }
    assert.equal((await service.call("GET", customer.base)).code, "unauthenticated");
    const byToken = await service.call("POST", customer.base, { token: token.data.token, body });
    assert.deepEqual([byToken.code, /person/.test(byToken.error!)], ["forbidden", true]);
    assert.equal(
      (await service.call("POST", customer.base, { token: narrowed.data.token, body })).code,
      "forbidden",
    );
    assert.equal((await service.call("GET", customer.base, { token: narrowed.data.token })).status, 200);
    assert.equal((await service.call("POST", customer.base, { token: admin.token, body })).status, 201);
    assert.equal(
      (await service.call("POST", `${customer.base}/run`, { token: token.data.token })).status,
      200,
    );
  });

  it("requires access to every skill to choose the repository, but not to run or end the sync", async () => {
    const customer = await customers.newCustomer();
    customers.newRepository(customer, "own.git");
    const body = { host: "local", url: "own.git" };
    const skill = ["read", "create", "update", "delete"];
    const everySkill = { skill, folder: ["create", "manageAcl"], githubSync: ["read", "manage"] };
    const withRole = async (name: string, permissions: Record<string, readonly string[]>) => {
      const role = await service.call<{ id: string }>("POST", `/api/tenants/${customer.org.id}/roles`, {
        ...as(customer),
        body: { name, permissions },
      });
      return newMember(service, customer.org, role.data.id);
    };
    const tokenOf = async (user: { token: string }, scopes: Record<string, readonly string[]>) => {
      const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
        token: user.token,
        body: { name: "narrowed", scopes },
      });
      return { token: made.data.token };
    };
    const sync = await withRole("Sync only", { githubSync: ["read", "manage"] });
    const restricted = await withRole("No restricted folders", { ...everySkill, folder: ["create"] });
    const reader = await withRole("Reads", { ...everySkill, skill: ["read"] });
    const full = await withRole("Every skill", everySkill);
    const chooses = async ({ token }: { token: string }, expected: number, missing?: string[]) => {
      for (const [method, at, sent] of [
        ["POST", "/plan", body],
        ["POST", "", body],
        ["PATCH", "", { mode: "push" }],
      ] as const) {
        const answer = await service.call(method, customer.base + at, { token, body: sent });
        const ok = answer.status < 300 ? 200 : answer.status;
        assert.equal(ok, expected, `${method} ${at}: ${JSON.stringify(answer.body)}`);
        if (missing) assert.deepEqual((answer.body as Refusal).details.missing, missing);
      }
    };
    type Refusal = { details: { missing: string[] } };

    await chooses(full, 200);
    await chooses(await tokenOf(full, { githubSync: ["read", "manage"] }), 403);
    await chooses(sync, 403, [
      ...skill.map((action) => `skill:${action}`),
      "folder:create",
      "folder:manageAcl",
    ]);
    await chooses(restricted, 403, ["folder:manageAcl"]);
    await chooses(reader, 403, ["skill:create", "skill:update", "skill:delete"]);
    const scoped = { skill, folder: ["create"], githubSync: ["read", "manage"] };
    const token = await tokenOf(full, scoped);
    const changed = await service.call("PATCH", customer.base, { ...token, body: { mode: "push" } });
    assert.equal(changed.status, 200);
    assert.equal((await service.call("POST", `${customer.base}/run`, { token: sync.token })).status, 200);
    assert.equal((await service.call("DELETE", customer.base, { token: sync.token })).status, 200);
  });

  it("refuses addresses in private networks, outside the organization's folder, or without a repository", async () => {
    const customer = await customers.newCustomer();
    const neighbour = await customers.newCustomer();
    const bare = customers.newRepository(neighbour, "secret.git");
    customers.newRepository(customer, "own.git");
    symlinkSync(bare, path.join(customers.folder, "repositories", customer.org.id, "link.git"));
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
      const answer = await customers.connect(customer, { host: "local", url });
      assert.equal(answer.code, "refused", `${url}: ${JSON.stringify(answer.body)}`);
      assert.doesNotMatch(JSON.stringify(answer.body), new RegExp(customers.folder), url);
      assert.equal(
        (
          await service.call("POST", `${customer.base}/plan`, {
            ...as(customer),
            body: { host: "local", url },
          })
        ).code,
        "refused",
        url,
      );
      refusals.push(answer.error!);
    }
    const configured = customers.newRepository(customer, "configured.git");
    runGit(configured, "config", "core.alternateRefsCommand", "true");
    const answer = await customers.connect(customer, { host: "local", url: "configured.git" });
    assert.deepEqual([answer.code, answer.details?.["reason"]], ["refused", "invalid_remote"]);
    assert.match(
      answer.error!,
      /^The repository's configuration has the key core\.alternaterefscommand, .*\.$/,
    );
    assert.equal(await service.app.storage.connections.findOfTenant(customer.org.id), null);
    for (const branch of ["a..b", "-x", "a b", "x.lock", "a\u0007", "@{0}", "/a", "svc-sync/main"])
      assert.equal(
        (await customers.connect(customer, { host: "local", url: "own.git", branch })).code,
        "invalid_request",
        branch,
      );
  });

  it("stores secrets encrypted, and returns them to no one", async () => {
    const customer = await customers.newCustomer();
    customers.newRepository(customer, "s.git");
    const made = await customers.connect(customer, {
      host: "local",
      url: "s.git",
      username: "bot",
      password: "hunter2hunter2",
    });
    const stored = (await service.app.storage.connections.findOfTenant(customer.org.id))!;

    assert.doesNotMatch(JSON.stringify(made.body), /hunter2/);
    assert.doesNotMatch(JSON.stringify(await customers.state(customer)), /hunter2/);
    assert.doesNotMatch(JSON.stringify(stored), /hunter2/);
    assert.equal(service.app.secrets.open(stored.credential!, stored._id), "hunter2hunter2");
    assert.throws(() => service.app.secrets.open(stored.credential!, "another"));
  });
});
