/** Changes that give members more permissions in restricted folders than the caller has there. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { FolderLevel } from "../../contract/vocabulary.ts";
import { processors } from "../../workers/processors.ts";
import { newFolder, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpFixtures, type Fixture } from "./fixture.ts";

let fixture: Fixture;
let lead: TestUser;
let target: TestUser;
/** Grants the target the access to a folder as an editor, and the caller this level. */
let grant: (level?: FolderLevel) => Promise<void>;
const { service } = await setUpFixtures((made) => (fixture = made));

beforeEach(async () => {
  const held = {
    member: ["read", "update"],
    team: ["update"],
    role: ["update"],
    skill: ["read", "create", "update"],
    folder: ["create", "update", "delete"],
    mcpServer: ["read"],
    analytics: ["read"],
  };
  lead = await fixture.join(await fixture.newRole("Lead", held));
  target = await fixture.join("viewer");
  const folder = await newFolder(service, fixture.org, fixture.owner, "sealed");
  grant = (level) =>
    restrict(service, fixture.owner, folder.id, [
      { type: "member", id: target.id, level: "editor" },
      ...(level ? [{ type: "member" as const, id: lead.id, level }] : []),
    ]);
});

const giveRole = (role: string) => fixture.at(lead, "PATCH", `/members/${target.id}`, { role });

async function assertNeedsGrant(change: () => ReturnType<typeof giveRole>): Promise<void> {
  for (const level of [undefined, "viewer"] as const) {
    await grant(level);
    const refused = await change();
    assert.deepEqual([refused.status, refused.code], [403, "forbidden"], JSON.stringify(refused.body));
    assert.match(refused.error!, /restricted folders that you do not have yourself/);
    assert.doesNotMatch(JSON.stringify(refused.body), /sealed/);
  }
  await grant("editor");
  const changed = await change();
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
}

describe("a member with a grant on a restricted folder", () => {
  it("gets a role that allows more only from callers with the same access", async () => {
    await assertNeedsGrant(() => giveRole("member"));
    await grant();
    assert.equal((await giveRole("viewer")).status, 200, "a role that allows less");
  });

  it("joins a team whose roles allow more only by callers with the same access", async () => {
    const plain = await fixture.newTeam("Plain");
    const writers = await fixture.newTeam("Writers", [
      await fixture.newRole("Writer", { skill: ["update"] }),
    ]);
    const join = (team: string) => fixture.at(lead, "PUT", `/teams/${team}/members/${target.id}`);
    await grant();
    assert.equal((await join(plain)).status, 200);
    await assertNeedsGrant(() => join(writers));
  });

  it("gets more by a role of a team only from callers with the same access", async () => {
    const role = await fixture.newRole("Updater", { skill: ["update"] });
    const team = await fixture.newTeam("Updaters");
    await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${target.id}`);
    await assertNeedsGrant(() => fixture.at(lead, "PATCH", `/teams/${team}`, { roles: [role] }));
  });

  it("gets more by a change of their role only from callers with the same access", async () => {
    const role = await fixture.newRole("Reader", { skill: ["read"] });
    await fixture.at(fixture.owner, "PATCH", `/members/${target.id}`, { role });
    const change = (skill: string[]) =>
      fixture.at(lead, "PATCH", `/roles/${role}`, { permissions: { skill } });
    await assertNeedsGrant(() => change(["read", "update"]));
    await grant();
    assert.equal((await change(["read"])).status, 200, "a role that allows less");
  });

  it("gets a role that allows more from any caller with the permission if only their workspace is restricted", async () => {
    await fixture.at(fixture.owner, "POST", "/personal-workspaces/enable");
    await processors(service.app)["workspaces.sync"]({ tenantId: fixture.org.id });
    const { folders } = service.app.storage;
    assert.equal((await folders.listGrantedTo(fixture.org.id, target.id, 10)).length, 1);
    assert.equal((await giveRole("member")).status, 200);
  });
});
