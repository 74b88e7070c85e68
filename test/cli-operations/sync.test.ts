/** `svc sync` against the real service, with bare repositories on this machine. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { runConnection } from "../../workers/sync/run.ts";
import { dataOf } from "../cli/fixture.ts";
import { type Ran, answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";
import { runGit } from "../support/host/git-host.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers, type Customer } from "../support/sync/customers.ts";

const customers = await closedAfter(startCustomers());
const { service } = customers;

type Run = (...argv: string[]) => Promise<Ran>;

interface Caller {
  json: Run;
  text: Run;
}

/** Runners with the token of a user; the second prints text. */
async function callerOf(
  t: TestContext,
  user: TestUser,
  options: { env?: NodeJS.ProcessEnv; onWait?: () => Promise<void> } = {},
): Promise<Caller> {
  const home = await temporaryFolder(t);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token, ...options.env };
  const given = { home, env, onWait: options.onWait };
  return {
    json: (...argv) => svc([...argv, "-o", "json"], given),
    text: (...argv) => svc(argv, given),
  };
}

/** An organization with the skill Alpha, connected to a repository and in sync. */
async function connected(): Promise<{ customer: Customer; bare: string; id: string; skillId: string }> {
  const customer = await customers.newCustomer();
  const { data: made } = await customers.publish(customer, "Alpha");
  const bare = customers.newRepository(customer, "skills.git", { "notes.txt": "theirs\n" });
  const { data } = await customers.connect(customer, { host: "local", url: "skills.git" });
  await service.settled();
  await runConnection(service.app, data.id);
  return { customer, bare, id: data.id, skillId: made.skill.id };
}

/** Changes Alpha in the repository and in the service. */
async function changeBothSides({ customer, bare, skillId }: Awaited<ReturnType<typeof connected>>) {
  const file = "skills/alpha/SKILL.md";
  customers.commitTo(bare, file, `${runGit(bare, "show", `main:${file}`)}\ntheirs\n`);
  await service.call("POST", `/api/skills/${skillId}/versions`, {
    ...as(customer),
    body: { content: "Alpha\n\nours\n" },
  });
  await service.settled();
}

const failureOf = ({ code, stdout, error }: Ran) => [code, stdout, error.code, error.details?.["flag"]];

interface Status {
  organization: { slug: string };
  connected: boolean;
  connection?: { repository: string; branch: string; status: string; pending: boolean; lastCommit?: string };
  proposal?: { state: string; message: string; skills: number };
  syncedSkills: number;
  skillProblems: { path: string; code: string }[];
  hosts: string[];
}

interface Conflicts {
  conflicts: { slug?: string; winning: number; losing: number; remedies: { command: string }[] }[];
  more: boolean;
}

describe("svc sync status", () => {
  it("shows the connection and the directories that are not in sync", async (t) => {
    const { customer, bare, id } = await connected();
    customers.commitTo(bare, "skills/broken/SKILL.md", "---\nname: [\n---\n\nx\u001B[2J\n");
    await service.app.storage.connections.request({ id }, { full: true, now: service.app.now() });
    await runConnection(service.app, id);
    const { json, text } = await callerOf(t, customer.owner);

    const status = dataOf<Status>(await json("sync", "status"));
    const shown = await text("sync");

    assert.deepEqual(
      [status.organization.slug, status.connected, status.connection?.repository, status.connection?.branch],
      [customer.org.slug, true, "skills", "main"],
    );
    assert.deepEqual([status.connection?.status, status.connection?.pending], ["active", false]);
    assert.equal(status.connection?.lastCommit, runGit(bare, "rev-parse", "main"));
    assert.deepEqual(
      [status.syncedSkills, status.skillProblems.map(({ path }) => path)],
      [1, ["skills/broken"]],
    );
    assert.match(shown.stdout, /^Repository: +skills \(main\)$[^]*^Status: +active$/m);
    assert.match(shown.stdout, /^1 directory not in sync\n {2}skills\/broken {2}\S/m);
  });

  it("reports that nothing is connected", async (t) => {
    const customer = await customers.newCustomer();
    const { json, text } = await callerOf(t, customer.owner);

    const status = dataOf<Status>(await json("sync", "status"));

    assert.deepEqual([status.connected, status.connection, status.skillProblems], [false, undefined, []]);
    assert.ok(status.hosts.includes("github-token"));
    assert.match((await text("sync")).stdout, /^No repository is connected to .*svc sync connect\.\n$/);
  });

  it("chooses the organization by --org, and asks for it if there are several", async (t) => {
    const { customer } = await connected();
    const second = await service.newOrg(customer.owner);
    const { json } = await callerOf(t, customer.owner);

    const open = await json("sync", "status");
    const chosen = dataOf<Status>(await json("sync", "status", "--org", customer.org.slug));
    const byId = dataOf<Status>(await json("sync", "--org", second.id));
    const foreign = await customers.newCustomer();

    assert.deepEqual(failureOf(open), [1, "", "E_INTERACTION_REQUIRED", "--org"]);
    const organizations = open.error.details?.["organizations"] as { slug: string }[];
    assert.deepEqual(
      organizations.map(({ slug }) => slug).toSorted(),
      [customer.org.slug, second.slug].toSorted(),
    );
    assert.deepEqual([chosen.connected, byId.connected], [true, false]);
    for (const unknown of [foreign.org.slug, foreign.org.id]) {
      const { error } = await json("sync", "status", "--org", unknown);
      assert.deepEqual([error.code, error.details?.["kind"]], ["E_NOT_FOUND", "team"]);
    }
    const { error } = await json("sync", "status", "--org", "../acme");
    assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", "--org"]);
    const outsider = await callerOf(t, await service.newUser());
    assert.equal((await outsider.json("sync")).error.code, "E_NOT_FOUND");
  });

  it("is refused without the permission", async (t) => {
    const { customer } = await connected();
    const { json } = await callerOf(t, await newMember(service, customer.org, "member"));
    for (const command of ["status", "conflicts"])
      assert.equal((await json("sync", command)).error.code, "E_FORBIDDEN", command);
  });
});

describe("svc sync conflicts", () => {
  it("lists each conflict with commands that show and restore the overwritten version", async (t) => {
    const made = await connected();
    const { customer, id, skillId } = made;
    const { json, text } = await callerOf(t, customer.owner);
    assert.deepEqual(dataOf<Conflicts>(await json("sync", "conflicts")).conflicts, []);
    assert.equal((await text("sync", "conflicts")).stdout, "No conflicts.\n");
    for (let round = 0; round < 2; round++) {
      await changeBothSides(made);
      await runConnection(service.app, id);
    }

    const { conflicts, more } = dataOf<Conflicts>(await json("sync", "conflicts"));
    const first = dataOf<Conflicts>(await json("sync", "conflicts", "--limit", "1"));
    const shown = await text("sync", "conflicts", "--limit", "1");

    assert.deepEqual(
      [conflicts.map(({ slug, losing, winning }) => [slug, losing, winning]), more],
      [
        [
          ["alpha", 4, 5],
          ["alpha", 2, 3],
        ],
        false,
      ],
    );
    assert.deepEqual([first.conflicts.length, first.more], [1, true]);
    assert.match(shown.stderr, /Only the newest 1 are shown/);
    const commands = first.conflicts[0]!.remedies.map(({ command }) => command);
    for (const command of commands) assert.ok(shown.stdout.includes(command), command);
    const words = (command: string) => command.split(" ").slice(1);
    keepContract("diff", dataOf(await json(...words(commands[0]!))));
    assert.equal((await json(...words(commands[1]!))).code, 0);

    await service.call("DELETE", `/api/skills/${skillId}`, as(customer));
    await service.settled();
    for (const { slug, remedies } of dataOf<Conflicts>(await json("sync", "conflicts")).conflicts)
      assert.deepEqual([slug, remedies], [undefined, []]);
  });
});

interface Plan {
  connected: boolean;
  write: { path: string }[];
  creates: number;
  updates: number;
  update: { conflict: boolean }[];
}

describe("svc sync plan and connect", () => {
  it("plan a connection, make it, and plan its next sync", async (t) => {
    const customer = await customers.newCustomer();
    await customers.publish(customer, "Mine");
    const bare = customers.newRepository(customer, "p.git", {
      "skills/fresh/SKILL.md": "---\nname: Fresh\n---\nbody\n",
    });
    const { json, text } = await callerOf(t, customer.owner);

    const draft = dataOf<Plan>(await json("sync", "plan", "p.git", "--branch", "main"));
    const shown = await text("sync", "plan", "p.git");
    const unconnected = dataOf<Status>(await json("sync"));
    const missing = await json("sync", "connect", "p.git", "--branch", "gone");
    const made = dataOf<Required<Pick<Status, "organization" | "connection">>>(
      await json("sync", "connect", "p.git", "--branch", "main"),
    );
    const again = await json("sync", "connect", "p.git");

    assert.deepEqual(
      [draft.connected, draft.write, draft.creates],
      [false, [{ path: "skills/mine", skill: "mine" }], 1],
    );
    assert.match(shown.stdout, /^p \(main\): 2 skills after the sync$/m);
    assert.match(shown.stdout, /^New private skills from the repository \(1\)\n {2}skills\/fresh$/m);
    assert.equal(unconnected.connected, false);
    assert.equal(missing.error.code, "E_API");
    assert.match(missing.error.message, /no branch gone/);
    assert.deepEqual([made.connection.repository, made.connection.pending], ["p", true]);
    assert.equal(again.error.code, "E_ALREADY_EXISTS");
    await service.settled();
    const { _id: id } = (await service.app.storage.connections.findOfTenant(customer.org.id))!;
    await runConnection(service.app, id);
    customers.commitTo(bare, "skills/mine/SKILL.md", "---\nname: Mine\n---\ntheirs\n");
    const next = dataOf<Plan>(await json("sync", "plan"));
    assert.deepEqual([next.connected, next.updates, next.update[0]?.conflict], [true, 1, false]);
    assert.deepEqual(failureOf(await json("sync", "plan", "--branch", "x")), [
      1,
      "",
      "E_INVALID_ARGUMENT",
      "--branch",
    ]);
  });

  it("take the credential from the environment only, and choose the host by it", async (t) => {
    const home = await temporaryFolder(t);
    const bodies: Record<string, unknown>[] = [];
    let hosts = ["github-token", "local"];
    const url = await startServer(t, async (request, response, { pathname }) => {
      const data = (value: unknown) => answer(response, 200, { success: true, data: value });
      if (pathname === "/api/tenants") return data([{ id: "t1", slug: "acme", name: "Acme" }]);
      if (request.method === "GET") return data({ syncedSkills: 0, skillProblems: [], hosts });
      let text = "";
      for await (const chunk of request) text += String(chunk);
      bodies.push(JSON.parse(text) as Record<string, unknown>);
      answer(response, 422, { success: false, error: "Refused.", code: "refused", requestId: "r" });
    });
    const connect = (secret: string, ...argv: string[]) =>
      svc(["sync", "connect", ...argv, "-o", "json"], {
        home,
        env: { SVC_API_URL: url, SVC_TOKEN: `lsk_${"a".repeat(64)}`, SVC_SYNC_TOKEN: secret },
      });

    for (const [secret, argv, body] of [
      ["s3cret", ["a/b"], { host: "github-token", repository: "a/b", token: "s3cret" }],
      [
        "s3cret",
        ["https://github.com/a/b.git", "--branch", "x", "--mode", "pull_request"],
        { host: "github-token", repository: "a/b", token: "s3cret", branch: "x", mode: "pull_request" },
      ],
      [
        "s3cret",
        ["https://git.example/a/b", "--username", "bot"],
        { host: "local", url: "https://git.example/a/b", username: "bot", password: "s3cret" },
      ],
      ["", ["a/b", "--host", "github-app"], { host: "github-app", repository: "a/b" }],
      ["", ["b.git"], { host: "local", url: "b.git" }],
    ] as const) {
      assert.equal((await connect(secret, ...argv)).error.code, "E_API");
      assert.deepEqual(bodies.pop(), body);
    }
    for (const [secret, argv, flag] of [
      ["", ["a/b"], "--token-stdin"],
      ["", ["https://bot:s3cret@git.example/a/b"], "<repository>"],
      ["", ["git@github.com:a/b.git"], "<repository>"],
      ["", ["ftp://git.example/a"], "<repository>"],
      ["s3cret", ["a/b", "--host", "github-app"], "--host"],
      ["s3cret", ["a/b", "--username", "bot"], "--username"],
      ["", ["https://git.example/a/b", "--username", "bot"], "--username"],
      ["", ["b.git", "--host", "github-app"], "<repository>"],
      ["", ["a/b", "--token", "s3cret"], "--token"],
      ["", ["a/b", "--mode", "merge"], "--mode"],
    ] as const) {
      const ran = await connect(secret, ...argv);
      assert.deepEqual(failureOf(ran), [1, "", "E_INVALID_ARGUMENT", flag], argv.join(" "));
      assert.ok(!ran.stderr.includes("s3cret"), ran.stderr);
    }
    assert.deepEqual(bodies, []);
    hosts = ["github-app", "github-token", "local"];
    await connect("", "a/b");
    assert.deepEqual(bodies, [{ host: "github-app", repository: "a/b" }]);
  });
});

interface RunReport {
  outcome: string;
  connection: { status: string; pending: boolean; problem?: { code: string } };
  runs: { full: boolean; outcome: string }[];
  summary: Record<"imported" | "created" | "conflicts" | "exported" | "removed" | "refused", number>;
  conflicts: { slug?: string; remedies: unknown[] }[];
}

describe("svc sync run", () => {
  it("waits for the end, reports what was done, and fails if conflicts are left", async (t) => {
    const made = await connected();
    const { customer, bare, id } = made;
    const { json, text } = await callerOf(t, customer.owner, {
      onWait: () => runConnection(service.app, id),
    });

    const idle = dataOf<RunReport>(await json("sync", "run"));
    customers.commitTo(bare, "skills/beta/SKILL.md", "---\nname: Beta\n---\nbody\n");
    await changeBothSides(made);
    const conflicting = await json("sync", "run");
    customers.commitTo(bare, "skills/gamma/SKILL.md", "---\nname: Gamma\n---\nbody\n");
    const shown = await text("sync", "run");

    assert.deepEqual([idle.outcome, idle.conflicts, idle.connection.pending], ["done", [], false]);
    const report = dataOf<RunReport>(conflicting);
    assert.deepEqual(
      [conflicting.code, report.outcome, report.connection.status, report.runs.map(({ full }) => full)],
      [1, "done", "active", [true]],
    );
    const { created, conflicts, imported } = report.summary;
    assert.deepEqual([created, conflicts, imported], [1, 1, 1]);
    assert.deepEqual(
      report.conflicts.map(({ slug, remedies }) => [slug, remedies.length]),
      [["alpha", 3]],
    );
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /^Synced skills \(main\): 1 new skill imported/);
  });

  it("reports the proposed changes of a connection in mode pull_request", async (t) => {
    const customer = await customers.newCustomer();
    await customers.publish(customer, "Mine");
    customers.newRepository(customer, "q.git", { "notes.txt": "theirs\n" });
    const { json, text } = await callerOf(t, customer.owner, {
      async onWait() {
        const { _id } = (await service.app.storage.connections.findOfTenant(customer.org.id))!;
        await runConnection(service.app, _id);
      },
    });
    assert.equal((await json("sync", "connect", "q.git", "--mode", "pull_request")).code, 0);

    const { outcome, proposal } = dataOf<RunReport & Pick<Status, "proposal">>(await json("sync", "run"));
    const status = dataOf<Status>(await json("sync", "status"));

    assert.deepEqual([outcome, proposal?.state, proposal?.skills], ["done", "branch", 1]);
    assert.deepEqual(status.proposal, proposal);
    assert.ok((await text("sync")).stdout.includes(proposal!.message));
  });

  it("returns at once with --no-wait, and after --timeout", async (t) => {
    const { customer, id } = await connected();
    const { json, text } = await callerOf(t, customer.owner);

    const requested = dataOf<RunReport>(await json("sync", "run", "--no-wait"));
    const late = await text("sync", "run", "--timeout", "1");

    assert.deepEqual([requested.outcome, requested.connection.pending], ["requested", true]);
    assert.deepEqual([late.code, late.stdout.slice(0, 12)], [1, "Not finished"]);
    await runConnection(service.app, id);
    for (const argv of [
      ["--timeout", "0"],
      ["--timeout", "x"],
      ["--timeout", "5", "--no-wait"],
    ])
      assert.equal((await json("sync", "run", ...argv)).error.code, "E_INVALID_ARGUMENT");
  });

  it("fails if the sync is blocked or the repository was disconnected", async (t) => {
    const { customer, bare, id } = await connected();
    const { json } = await callerOf(t, customer.owner, { onWait: () => runConnection(service.app, id) });
    runGit(bare, "update-ref", "-d", "refs/heads/main");

    const blocked = await json("sync", "run");

    const report = dataOf<RunReport>(blocked);
    assert.deepEqual([blocked.code, report.outcome], [1, "blocked"]);
    assert.equal(report.connection.problem?.code, "branch_missing");
    const ending = await callerOf(t, customer.owner, {
      onWait: async () => void (await service.call("DELETE", customer.base, as(customer))),
    });
    const ended = await ending.json("sync", "run");
    assert.deepEqual([ended.error.code, ended.error.details?.["kind"]], ["E_NOT_FOUND", "repository"]);
    assert.equal((await ending.json("sync", "run")).error.code, "E_NOT_FOUND");
  });
});
