/** Visibility of a sync to readers who may not read every skill. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SyncConflictPayload } from "../../contract/payloads/sync-conflicts.ts";
import type { RepositorySyncPayload, SyncPlanPayload, SyncRunPayload } from "../../contract/payloads/sync.ts";
import { FolderTree } from "../../src/folders/tree/tree.ts";
import { viewOf } from "../../src/sync/report/visible.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers } from "../support/sync/customers.ts";

const customers = await closedAfter(startCustomers());
const { service } = customers;
const customer = await customers.newCustomer();
const role = await service.call<{ id: string }>("POST", `/api/tenants/${customer.org.id}/roles`, {
  ...as(customer),
  body: { name: "Sync reader", permissions: { githubSync: ["read", "manage"], skill: ["read"] } },
});
const publishSecret = (content: string) =>
  service.call("POST", "/api/skills", {
    ...as(customer),
    body: { tenantId: customer.org.id, name: "Secret", folder: "vault", content },
  });

/** May read the sync and every skill outside restricted folders. */
const reader = await newMember(service, customer.org, role.data.id);
const vault = await newFolder(service, customer.org, customer.owner, "vault");
await restrict(service, customer.owner, vault.id, []);
await customers.publish(customer, "Open");
await publishSecret("first\n");
const bare = customers.newRepository(customer, "seen.git");
const connectionId = (await customers.connect(customer, { host: "local", url: "seen.git" })).data.id;
await sync();

async function sync(): Promise<void> {
  await service.settled();
  await service.call("POST", `${customer.base}/run`, as(customer));
  await runConnection(service.app, connectionId);
}

/** The responses to the owner and the reader; the reader's names nothing of the restricted folder. */
async function asked<T>(at: string): Promise<{ owner: T; reader: T }> {
  const owner = await service.call<T>("GET", customer.base + at, as(customer));
  const answer = await service.call<T>("GET", customer.base + at, { token: reader.token });
  assert.deepEqual([owner.status, answer.status], [200, 200], JSON.stringify(answer.body));
  assert.doesNotMatch(JSON.stringify(answer.body), /vault|secret/i);
  return { owner: owner.data, reader: answer.data };
}

describe("a reader of the sync who may not read every skill", () => {
  it("sees the state, the plan, the history and the conflicts of readable skills, counts included", async () => {
    const first = await asked<RepositorySyncPayload>("");
    assert.deepEqual([first.owner.syncedSkills, first.reader.syncedSkills], [2, 1]);
    customers.commitTo(bare, "skills/open/SKILL.md", "edited\n");
    customers.commitTo(bare, "skills/vault/secret/SKILL.md", "edited there\n");
    customers.commitTo(bare, "skills/vault/fresh/SKILL.md", "new there\n");
    customers.commitTo(bare, "skills/vault/SKILL.md", "in the way\n");
    await publishSecret("edited here\n");
    await service.settled();

    const plan = await asked<SyncPlanPayload>("/plan");
    await sync();
    const state = await asked<RepositorySyncPayload>("");
    const history = await asked<SyncRunPayload[]>("/history?limit=1");
    const conflicts = await asked<SyncConflictPayload[]>("/conflicts?limit=1");

    const planned = ({ skills, updates, creates, problems, changes }: SyncPlanPayload) => [
      skills,
      updates,
      creates,
      problems.length,
      changes.length,
    ];
    assert.deepEqual(
      [planned(plan.owner), planned(plan.reader)],
      [
        [3, 2, 1, 1, 2],
        [1, 1, 0, 0, 1],
      ],
    );
    const problems = ({ skillProblems }: RepositorySyncPayload) => skillProblems.length;
    assert.deepEqual([problems(state.owner), problems(state.reader)], [3, 0]);
    const counted = ([run]: SyncRunPayload[]) => [
      run!.imported,
      run!.created,
      run!.conflicts,
      run!.refusals.length,
    ];
    assert.deepEqual(
      [counted(history.owner), counted(history.reader)],
      [
        [2, 1, 1, 3],
        [1, 0, 0, 0],
      ],
    );
    assert.deepEqual([conflicts.owner.length, conflicts.reader.length], [1, 0]);
    const { cause, by } = history.owner[0]!;
    assert.deepEqual([cause, by?.username], ["manual", customer.owner.username]);
  });

  it("neither sees nor marks a conflict of a hidden skill, which its editors mark as fine", async () => {
    const list = (query: string) =>
      service.call<SyncConflictPayload[]>("GET", `${customer.base}/conflicts${query}`, as(customer));
    const [conflict] = (await list("?seen=false")).data;
    const at = (id: string) => `${customer.base}/conflicts/${encodeURIComponent(id)}/seen`;
    const byReader = { token: reader.token };

    const hidden = await service.call("PUT", at(conflict!.id), byReader);
    const never = await service.call("PUT", at("0".repeat(24)), byReader);
    const marked = await service.call<SyncConflictPayload>("PUT", at(conflict!.id), as(customer));
    const open = await list("?seen=false");
    const seen = await list("?seen=true");
    const unmarked = await service.call<SyncConflictPayload>("DELETE", at(conflict!.id), as(customer));

    assert.deepEqual([conflict!.base, conflict!.losing, conflict!.winning], [1, 2, 3]);
    assert.equal(conflict!.ours.author, customer.owner.username);
    assert.ok(conflict!.theirs.author && conflict!.theirs.at && conflict!.ours.at);
    assert.equal(conflict!.seen, null);
    assert.deepEqual([hidden.status, never.status], [404, 404]);
    assert.equal(hidden.error!.replace(conflict!.id, "x"), never.error!.replace("0".repeat(24), "x"));
    assert.equal(marked.data.seen?.by, customer.owner.username);
    assert.deepEqual([open.data.length, seen.data.length, unmarked.data.seen], [0, 1, null]);
  });

  it("does not see the host's own text about a refused push", async () => {
    const problem = { code: "push_rejected", message: "skills/vault/secret has a key", at: new Date() };
    const connections = service.app.storage.database.raw.collection<{ _id: string }>("connections");
    await connections.updateOne({ _id: connectionId }, { $set: { problem } });

    const state = await asked<RepositorySyncPayload>("");

    assert.match(state.owner.connection!.problem!.message, /vault/);
    assert.equal(state.reader.connection!.problem!.code, "push_rejected");
  });
});

describe("a disconnected repository", () => {
  it("leaves its history and conflicts, which have the same readers and marks as before", async () => {
    const earlier = (await asked<SyncRunPayload[]>("/history")).owner;
    const disconnected = await service.call("DELETE", customer.base, as(customer));
    assert.equal(disconnected.status, 200, JSON.stringify(disconnected.body));
    const state = await asked<RepositorySyncPayload>("");
    const history = await asked<SyncRunPayload[]>("/history");
    const conflicts = await asked<SyncConflictPayload[]>("/conflicts");
    const stranger = { token: (await service.newUser()).token };

    assert.equal(state.owner.connection, null);
    assert.deepEqual(history.owner, earlier);
    assert.deepEqual([conflicts.owner.length, conflicts.reader.length], [1, 0]);
    assert.ok(history.owner.some(({ refusals }) => refusals.length > 0));
    assert.ok(history.reader.some(({ imported }) => imported > 0));
    assert.ok(history.reader.every(({ refusals, refused }) => refusals.length + refused === 0));
    const at = `${customer.base}/conflicts/${encodeURIComponent(conflicts.owner[0]!.id)}/seen`;
    assert.equal((await service.call("PUT", at, { token: reader.token })).status, 404);
    assert.equal((await service.call("PUT", at, as(customer))).status, 200);
    for (const path of ["/history", "/conflicts"])
      assert.equal((await service.call("GET", customer.base + path, stranger)).code, "not_found");
  });
});

describe("a path in the repository", () => {
  const tree = new FolderTree("t");
  const node = (_id: string, parentId: string | null, slug: string) => ({
    _id,
    tenantId: "t",
    parentId,
    slug,
    name: slug,
    restricted: false,
    grants: [],
    revision: 1,
    createdBy: "u",
    createdAt: new Date(0),
    updatedAt: new Date(0),
  });
  tree.update([node("ops", null, "ops"), node("vault", null, "vault"), node("in", "vault", "in")], 1);
  const view = viewOf({
    readable: [null, "ops", "in"],
    tree,
    skills: [
      { id: "a", folderId: "ops" },
      { id: "b", folderId: "vault" },
    ],
    bases: [
      { skillId: "a", path: "skills/old/a" },
      { skillId: "b", path: "skills/former/b", strayPath: "skills/ops/stray" },
      { skillId: "gone", path: "skills/ops/gone" },
      { skillId: "a", path: "skills/both" },
      { skillId: "b", path: "skills/both" },
    ],
  });
  const cases: [string, boolean][] = [
    ["skills/x", true],
    ["skills/ops", true],
    ["skills/ops/new", true],
    ["skills/vault", false],
    ["skills/vault/new", false],
    ["skills/vault/in/new", true],
    ["skills/unknown/new", false],
    ["skills/old/a", true],
    ["skills/old/a/scripts/link", true],
    ["skills/former/b", false],
    ["skills/former/b/SKILL.md", false],
    ["skills/ops/stray", false],
    ["skills/ops/gone", false],
    ["skills/both", false],
  ];
  for (const [path, isVisible] of cases)
    it(`${path} is ${isVisible ? "visible" : "hidden"} by its skill, else by its folder`, () => {
      assert.equal(view.path(path), isVisible);
    });
});
