/** Reports before and after a sync: the plan, the conflicts, and what polling finds. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { DiffPayload } from "../../contract/payloads/skills/skills.ts";
import type { SyncConflictPayload } from "../../contract/payloads/sync-conflicts.ts";
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import { eraseTenant } from "../../workers/orgs/erase.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { commitAndPush, runGit } from "../support/host/git-host.ts";
import { newMember } from "../support/organization.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers, type Customer } from "../support/sync/customers.ts";
import { makeFixture } from "../workspaces/fixture.ts";

const customers = await closedAfter(startCustomers());
const { service } = customers;

describe("the plan", () => {
  it("lists what a first sync writes and creates before anything is connected, and stores nothing", async () => {
    const customer = await customers.newCustomer();
    await customers.publish(customer, "Known");
    await customers.publish(customer, "Mine");
    const bare = customers.newRepository(customer, "p.git", {
      "skills/fresh/SKILL.md": "---\nname: Fresh\n---\nbody\n",
      "README.md": "theirs\n",
    });
    const tip = runGit(bare, "rev-parse", "main");

    const plan = await service.call<SyncPlanPayload>("POST", `${customer.base}/plan`, {
      ...as(customer),
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
    assert.equal((await customers.state(customer)).connection, null);
    const mirrors = path.join(service.app.config.gitRoot, "t", customer.org.id, "mirror");
    assert.deepEqual(existsSync(mirrors) ? readdirSync(mirrors) : [], []);
  });

  it("does not treat a folder of skills as a skill, and reports how to make it one", async () => {
    const customer = await customers.newCustomer();
    const { data } = await customers.publish(customer, "Inner");
    const moved = { ...as(customer), body: { folder: "ops", createFolders: true } };
    assert.equal((await service.call("POST", `/api/skills/${data.skill.id}/move`, moved)).status, 200);
    customers.newRepository(customer, "f.git", {
      "skills/ops/SKILL.md": "# Ops\n",
      "skills/ops/inner/SKILL.md": "# Inner\n\ntheirs\n",
    });

    const plan = await service.call<SyncPlanPayload>("POST", `${customer.base}/plan`, {
      ...as(customer),
      body: { host: "local", url: "f.git" },
    });

    assert.deepEqual(plan.data.create, [{ path: "skills/ops/inner" }]);
    assert.deepEqual(
      plan.data.problems.map((one) => `${one.path} ${one.code}`),
      ["skills/ops holds_skills", "skills/ops/inner inside_skill"],
    );
  });

  it("lists the changes for a connection, for an empty repository and for a missing branch", async () => {
    const customer = await customers.newCustomer();
    await customers.publish(customer, "Only");
    const bare = customers.newRepository(customer, "e.git");
    const draft = (branch: string) =>
      service.call<SyncPlanPayload>("POST", `${customer.base}/plan`, {
        ...as(customer),
        body: { host: "local", url: "e.git", branch },
      });
    assert.equal((await draft("main")).data.branchState, "empty");
    const { data } = await customers.connect(customer, { host: "local", url: "e.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    customers.commitTo(bare, "skills/only/SKILL.md", "edited\n");

    const plan = await service.call<SyncPlanPayload>("GET", `${customer.base}/plan`, as(customer));

    assert.deepEqual(plan.data.update, [{ path: "skills/only", skill: "only", conflict: false }]);
    assert.deepEqual([plan.data.writes, plan.data.creates], [0, 0]);
    const [changes] = plan.data.changes;
    assert.deepEqual([changes!.path, changes!.target], ["skills/only", "service"]);
    const [root] = changes!.files;
    assert.deepEqual([root!.path, root!.status], ["SKILL.md", "modified"]);
    assert.ok(root!.hunks[0]!.lines.includes("+edited"));
    const refused = await draft("other");
    assert.deepEqual(
      [refused.code, refused.details?.["reason"], refused.details?.["branches"]],
      ["refused", "branch_missing", ["main"]],
    );
    runGit(bare, "update-ref", "-d", "refs/heads/main");
    const lost = await service.call<SyncPlanPayload>("GET", `${customer.base}/plan`, as(customer));
    assert.equal(lost.data.branchState, "missing");
  });
});

describe("the plan of a repository with all kinds of content", () => {
  it("agrees with the sync that follows: what it creates, updates and refuses, by directory and reason", async () => {
    const customer = await customers.newCustomer();
    const text = (name: string, more = "") => `---\nname: ${name}\n---\n\n# ${name}\n${more}`;
    const files: Record<string, string> = {
      "skills/fine/SKILL.md": text("fine"),
      "skills/named/SKILL.md": text("named"),
      "skills/rule/RULE.md": "# Rule\n",
      "skills/kit/SKILL.md": "---\nname: kit\ndescription: A kit.\n---\n\n# Kit\n",
      "skills/kit/run.sh": "echo\n",
      "skills/yaml/SKILL.md": "---\nname: [\n---\n\nbroken\n",
      "skills/nameless/SKILL.md": "# A package without a name\n",
      "skills/nameless/run.sh": "echo\n",
      "skills/rules/RULE.md": "# Rule\n",
      "skills/rules/more.txt": "a rule is one file\n",
      "skills/large/SKILL.md": text("large", "x".repeat(1024 * 1024)),
      "skills/lfs/SKILL.md": text("lfs"),
      "skills/lfs/art.psd": `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 1\n`,
      "skills/SKILL.md/inner/SKILL.md": text("inner"),
      "skills/mine/notes.txt": "not a skill\n",
      "skills/lower/skill.md": text("lower"),
      "skills/RULE.md": "# Rule\n",
      "Skills/other/SKILL.md": text("other"),
      "skills/README.md": "# Ours\n",
    };
    await customers.publish(customer, "Mine");
    await customers.publish(customer, "Known");
    const bare = customers.newRepository(customer, "all-kinds.git");
    const copy = path.join(customers.folder, "all-kinds");
    runGit(customers.folder, "clone", "-q", bare, copy);
    const write = (name: string, content: string) => {
      mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
      writeFileSync(path.join(copy, name), content);
    };
    for (const [name, content] of Object.entries(files)) write(name, content);
    commitAndPush(copy, "all kinds", "main");
    const draft = await service.call<SyncPlanPayload>("POST", `${customer.base}/plan`, {
      ...as(customer),
      body: { host: "local", url: "all-kinds.git" },
    });
    const { data } = await customers.connect(customer, { host: "local", url: "all-kinds.git" });
    const agrees = async (plan: SyncPlanPayload) => {
      await service.settled();
      const tip = runGit(bare, "rev-parse", "main");
      await runConnection(service.app, data.id);
      const [run] = await service.app.storage.syncRuns.list({ connectionId: data.id, limit: 1 });
      const { skillProblems } = await customers.state(customer);
      const rows = (found: readonly { path: string; code: string }[]) =>
        found.map(({ path: at, code }) => `${at} ${code}`).toSorted();
      const isUndone = ({ code }: { code: string }) => code === "name_put_back";
      assert.deepEqual(
        rows(plan.problems.filter((one) => !isUndone(one))),
        rows(skillProblems.map(({ path: at, problem }) => ({ path: at, code: problem.code }))),
      );
      assert.deepEqual(plan.problems.filter(isUndone), run!.refusals?.filter(isUndone));
      assert.deepEqual([plan.creates, plan.updates], [run!.counts.created, run!.counts.imported]);
      const changed = runGit(bare, "diff", "--name-only", tip, "main").split("\n");
      for (const { path: at } of plan.write)
        assert.ok(
          changed.some((name) => name.startsWith(`${at}/`)),
          `${at} is written`,
        );
      const planned = [...plan.write, ...plan.update, ...plan.create].map(({ path: at }) => `${at}/`);
      for (const name of changed.filter((one) => one !== "" && one !== "skills/README.md"))
        assert.ok(
          [...planned, ...plan.remove].some((at) => name.startsWith(at)),
          `${name} was planned`,
        );
    };

    assert.equal(draft.status, 200, JSON.stringify(draft.body));
    assert.equal(draft.data.creates, 5, JSON.stringify(draft.data.problems));
    await agrees(draft.data);

    runGit(copy, "pull", "-q", "--rebase", "origin", "main");
    write("skills/fine/SKILL.md", text("fine", "\nedited\n"));
    const named = readFileSync(path.join(copy, "skills/named/SKILL.md"), "utf8");
    assert.match(named, /^name: named$/m);
    write("skills/named/SKILL.md", named.replace(/^name: named$/m, "name: other"));
    runGit(copy, "mv", "skills/rule/RULE.md", "skills/rule/rule.md");
    write("skills/kit/SKILL.md", "---\nname: [\n---\n");
    runGit(copy, "rm", "-q", "skills/known/SKILL.md");
    write("skills/known/RULE.md", "# Another type\n");
    commitAndPush(copy, "edits", "main");
    await service.call("POST", `${customer.base}/run`, as(customer));
    const next = await service.call<SyncPlanPayload>("GET", `${customer.base}/plan`, as(customer));
    assert.equal(next.data.updates, 1);
    assert.deepEqual(
      next.data.problems.filter(({ path: at }) => at === "skills/named").map(({ code }) => code),
      ["name_put_back"],
    );
    assert.ok(next.data.write.some(({ path: at }) => at === "skills/named"));
    const changes = new Map(next.data.changes.map((one) => [one.path, one]));
    const linesOf = (at: string) =>
      changes.get(at)?.files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines));
    assert.ok(linesOf("skills/fine")?.includes("+edited"));
    const undone = linesOf("skills/named")?.filter((line) => !line.startsWith(" "));
    assert.deepEqual(undone, ["-name: other", "+name: named"]);
    await agrees(next.data);
  });
});

describe("personal workspaces", () => {
  it("are planned, mirrored and edited like other folders; content that is not allowed there is reported", async () => {
    const fixture = await makeFixture(service);
    await fixture.enable();
    const member = await fixture.join();
    const made = await fixture.publish(member, "Diary");
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const customer: Customer = {
      owner: fixture.owner,
      org: fixture.org,
      base: `/api/tenants/${fixture.org.id}/repo-sync`,
    };
    const bare = customers.newRepository(customer, "all.git");
    const at = `skills/personal/${member.username}/diary`;

    const plan = await service.call<SyncPlanPayload>("POST", `${customer.base}/plan`, {
      ...as(customer),
      body: { host: "local", url: "all.git" },
    });
    const { data } = await customers.connect(customer, { host: "local", url: "all.git" });
    await service.settled();
    await runConnection(service.app, data.id);

    assert.deepEqual(plan.data.write, [{ path: at, skill: "diary" }]);
    assert.match(runGit(bare, "show", `main:${at}/SKILL.md`), /zebra/);

    customers.commitTo(bare, `${at}/SKILL.md`, "---\nname: diary\n---\n\n# Diary\n\nelephant\n");
    customers.commitTo(bare, "skills/personal/stray/SKILL.md", "# Stray\n\nbetween workspaces\n");
    customers.commitTo(bare, "skills/personal/nobody/stray/SKILL.md", "# Stray\n\nof nobody\n");
    customers.commitTo(bare, "skills/welcome/SKILL.md", "# Welcome\n\neverybody\n");
    await service.call("POST", `${customer.base}/run`, as(customer));
    await runConnection(service.app, data.id);

    const { connection, skillProblems } = await customers.state(customer);
    assert.deepEqual([connection!.status, connection!.problem], ["active", null]);
    assert.deepEqual(
      skillProblems.map(({ path: place }) => place).toSorted(),
      ["skills/personal/nobody/stray", "skills/personal/stray"],
      JSON.stringify(skillProblems),
    );
    const read = await service.call<{ content: string }>("GET", `/api/skills/${made.data.skill.id}/content`, {
      token: member.token,
    });
    assert.match(read.data.content, /elephant/);
    assert.ok((await fixture.skills(fixture.owner)).includes("welcome"));
    assert.match(runGit(bare, "show", "main:skills/personal/stray/SKILL.md"), /between workspaces/);
  });
});

describe("conflicts", () => {
  it("are listed page by page, with the overwritten lines, to readers of the sync", async () => {
    const customer = await customers.newCustomer();
    const names = ["one", "two", "three"];
    const made = await Promise.all(names.map((name) => customers.publish(customer, name)));
    const bare = customers.newRepository(customer, "c.git");
    const { data } = await customers.connect(customer, { host: "local", url: "c.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    for (const [at, name] of names.entries()) {
      const file = `skills/${name}/SKILL.md`;
      const text = runGit(bare, "show", `main:${file}`);
      customers.commitTo(bare, file, `${text}\ntheir ${name}\n`);
      await service.call("POST", `/api/skills/${made[at]!.data.skill.id}/versions`, {
        ...as(customer),
        body: { content: `${name}\n\nour ${name}\n` },
      });
    }
    await service.settled();
    await runConnection(service.app, data.id);
    const page = (query: string) =>
      service.call<SyncConflictPayload[]>("GET", `${customer.base}/conflicts${query}`, as(customer));

    const first = await page("?limit=2");
    const second = await page(`?limit=2&cursor=${first.nextCursor}`);

    assert.deepEqual([first.data.length, second.data.length, second.nextCursor], [2, 1, null]);
    const conflicts = [...first.data, ...second.data];
    assert.deepEqual(conflicts.map(({ slug }) => slug ?? "").toSorted(), names.toSorted());
    for (const { slug, losing, winning, diff, author, path: place } of conflicts) {
      assert.deepEqual([losing, winning, place], [2, 3, `skills/${slug}`]);
      assert.match(author ?? "", /^Remote Author$/);
      const lost = await service.call<DiffPayload>("GET", diff!, as(customer));
      assert.equal(lost.status, 200);
      assert.deepEqual([lost.data.from, lost.data.to], [2, 3]);
      const [file, ...others] = lost.data.files;
      assert.deepEqual([file!.path, file!.status, others], ["SKILL.md", "modified", []]);
      const lines = file!.hunks.flatMap((hunk) => hunk.lines);
      assert.ok(lines.includes(`-our ${slug}`) && lines.includes(`+their ${slug}`), lines.join("\n"));
    }

    // Every reader of the sync sees the conflict; the lines require access to the skill.
    const member = await newMember(service, customer.org, "member");
    const asMember = { token: member.token };
    assert.equal((await service.call("GET", `${customer.base}/conflicts`, asMember)).code, "forbidden");
    assert.equal((await service.call("GET", conflicts[0]!.diff!, asMember)).status, 200);
    const stranger = await service.newUser();
    const asStranger = { token: stranger.token };
    assert.equal((await service.call("GET", `${customer.base}/conflicts`, asStranger)).code, "not_found");
    assert.equal((await service.call("GET", conflicts[0]!.diff!, asStranger)).code, "not_found");
    assert.equal((await page("?cursor=bm9uc2Vuc2U")).status, 400);

    await service.call("DELETE", `/api/skills/${conflicts[0]!.skillId}`, as(customer));
    await service.settled();
    const left = (await page("")).data.find(({ id }) => id === conflicts[0]!.id);
    assert.ok(left === undefined || (left.slug === null && left.diff === null), JSON.stringify(left));
  });
});

describe("the schedule", () => {
  it("finds an unreported push, and a connection whose disconnect was interrupted", async () => {
    const customer = await customers.newCustomer();
    const bare = customers.newRepository(customer, "w.git", { "a.txt": "1\n" });
    const { data } = await customers.connect(customer, { host: "local", url: "w.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    const wanted = async () => (await service.app.storage.connections.find(data.id))!.wanted;
    const first = await wanted();
    customers.wait(10 * 60_000);
    await pollConnections(service.app);
    assert.equal(await wanted(), first, "nothing was pushed");

    customers.commitTo(bare, "a.txt", "2\n");
    customers.wait(10 * 60_000);
    await pollConnections(service.app);
    assert.equal(await wanted(), first + 1);
    await pollConnections(service.app);
    assert.equal(await wanted(), first + 1, "not before its time");

    await service.app.storage.connections.disconnect(customer.org.id, service.app.now(), []);
    await pollConnections(service.app);
    assert.equal(await service.app.storage.connections.find(data.id), null);
  });

  it("keeps nothing of an erased organization", async () => {
    const customer = await customers.newCustomer();
    await customers.publish(customer, "Gone");
    customers.newRepository(customer, "g.git");
    const { data } = await customers.connect(customer, { host: "local", url: "g.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    const { tenants } = service.app.storage;
    await tenants.change(customer.org.id, {
      set: { deletionAt: new Date(service.app.now().getTime() - 1) },
      now: service.app.now(),
    });

    await eraseTenant(service.app, customer.org.id);

    for (const name of ["connections", "sync_bases", "sync_runs", "sync_conflicts"])
      assert.equal(
        await service.app.storage.database.raw.collection(name).countDocuments({ tenantId: customer.org.id }),
        0,
        name,
      );
  });
});
