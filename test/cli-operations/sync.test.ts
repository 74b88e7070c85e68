/** `svc sync` against the real service, with bare repositories on this machine. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { runConnection } from "../../workers/sync/run.ts";
import { keepContract } from "../support/cli-contract.ts";
import { runGit } from "../support/git-host.ts";
import { newMember } from "../support/organization.ts";
import type { TestService, TestUser } from "../support/service.ts";
import { as, startCustomers, type Customer, type Customers } from "../support/sync/customers.ts";
import { dataOf } from "../cli/fixture.ts";
import { type Ran, svc, temporaryFolder } from "../cli/harness.ts";

let customers: Customers;
let service: TestService;
before(async () => {
  customers = await startCustomers();
  ({ service } = customers);
});
after(() => customers.close());

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
  const given = { home, env, ...(options.onWait === undefined ? {} : { onWait: options.onWait }) };
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
    for (const unknown of [foreign.org.slug, foreign.org.id, "../acme"]) {
      const { error } = await json("sync", "status", "--org", unknown);
      assert.deepEqual([error.code, error.details?.["kind"]], ["E_NOT_FOUND", "team"]);
    }
    const nobody = await callerOf(t, await service.newUser());
    assert.equal((await nobody.json("sync")).error.code, "E_NOT_FOUND");
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
