/** Imports of content: versions and skills like those of a publish, with the repository's commit and author. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult, SkillPayload, VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { loadTree } from "../../src/folders/tree/trees.ts";
import { readTextSource } from "../../src/skills/publish/content/text-source.ts";
import { importSkill, importVersion, actorOfSync } from "../../src/skills/publish/import/import-skill.ts";
import { computeHere } from "../support/compute/compute-here.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import { setUpService } from "../support/set-up.ts";

const { service } = await setUpService();
const owner = await service.newUser("ann");
const org = await service.newOrg(owner);
const tenant = (await service.app.storage.tenants.find(org.id))!;
const gone = { userId: "0123456789abcdef01234567", username: "bo", name: "Bo Gone" };
const sync = actorOfSync(
  {
    _id: "c1",
    tenantId: org.id,
    repositoryKey: "k",
    host: { kind: "local", repositoryId: "r", fullName: "r", url: "r" },
    branch: "main",
    connectedBy: gone,
    mode: "push",
    status: "active",
    wanted: 0,
    done: 0,
    fullWanted: 0,
    pollAt: new Date(),
    failures: 0,
    fence: 0,
    createdAt: new Date(),
    updatedAt: new Date(),
  },
  tenant,
);

const commit = {
  oid: "1234567890123456789012345678901234567890",
  subject: "fix: say it better\u001b[31m",
  authorName: "Cy\nSvc-Skill: forged",
  authorEmail: "cy@example.com",
};
const text = (body: string) =>
  readTextSource(computeHere, `---\nname: Tea\ndescription: Makes tea.\n---\n${body}\n`, "skill");

async function publish(name: string, folder?: string) {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.id, name, content: `${name}\n`, folder: folder || undefined },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return (await service.app.storage.skills.find(made.data.skill.id))!;
}

async function folderPathOf(skillId: string): Promise<string> {
  const { folderId } = (await service.app.storage.skills.find(skillId))!;
  return folderId === null ? "" : (await loadTree(service.app, org.id)).path(folderId);
}

describe("an imported version", () => {
  it("names commit and author in its message, its commit and the log, and belongs to the connecting member", async () => {
    const skill = await publish("Versioned");

    const appended = await importVersion(service.app, sync, skill, await text("new"), commit);

    assert.ok(appended !== "stale");
    await service.settled();
    const versions = await service.call<VersionPayload[]>("GET", `/api/skills/${skill._id}/versions`, {
      token: owner.token,
    });
    const [newest] = versions.data;
    assert.equal(newest!.semver, "1.0.1");
    assert.equal(newest!.message, "fix: say it better [31m (1234567 by Cy Svc-Skill: forged)");
    assert.equal(newest!.author?.username, "bo");
    const stored = await service.app.repos.readCommit(
      { tenantId: org.id, skillId: skill._id },
      appended.version.oid,
    );
    assert.equal(stored.trailers["Svc-Import-Commit"], commit.oid);
    assert.equal(stored.trailers["Svc-Import-Author"], "Cy Svc-Skill: forged");
    assert.doesNotMatch(JSON.stringify([stored, newest]), /cy@example/i);
    assert.deepEqual([stored.trailers["Svc-Source"], stored.trailers["Svc-Skill"]], ["import", skill._id]);
    const log = await service.call<{ entries: { actor: object; metadata: Record<string, unknown> }[] }>(
      "GET",
      `/api/tenants/${org.id}/audit-log?action=skill.version_imported`,
      { token: owner.token },
    );
    assert.equal(log.data.entries.length, 1);
    assert.deepEqual(log.data.entries[0]!.actor, { type: "system", id: null, name: "repository sync" });
    assert.equal(log.data.entries[0]!.metadata["remoteCommit"], commit.oid);
    assert.equal(log.data.entries[0]!.metadata["author"], "Cy Svc-Skill: forged <cy@example.com>");
  });

  it("names an author without their address, even if it is the whole name or part of the subject", async () => {
    const skill = await publish("Addressed");
    const facts = { tenantId: org.id, skillId: skill._id };
    const authors = ["cy@example.com", "Cy <cy@example.com>", "cy＠example.com", '"cy@example.com" (Cy)'];
    const named: (string | undefined)[] = [];
    for (const [number, authorName] of authors.entries()) {
      const known = (await service.app.storage.skills.find(skill._id))!;
      const edit = { ...commit, subject: "Undo what CY@example.com did", authorName };
      const appended = await importVersion(service.app, sync, known, await text(`edit ${number}`), edit);
      assert.ok(appended !== "stale");
      const stored = await service.app.repos.readCommit(facts, appended.version.oid);
      named.push(stored.trailers["Svc-Import-Author"]);
      assert.doesNotMatch(JSON.stringify([stored, appended.version.message]), /cy.{0,3}example/i);
    }

    assert.deepEqual(named, ["unknown", "Cy", "unknown", "(Cy)"]);
  });

  it("is planned again after a concurrent publish, and omitted if nothing differs", async () => {
    const skill = await publish("Raced");
    await service.call("POST", `/api/skills/${skill._id}/versions`, {
      token: owner.token,
      body: { content: "other\n" },
    });

    assert.equal(await importVersion(service.app, sync, skill, await text("mine"), commit), "stale");
    const again = (await service.app.storage.skills.find(skill._id))!;
    const first = await importVersion(service.app, sync, again, await text("mine"), commit);
    const now = (await service.app.storage.skills.find(skill._id))!;
    const second = await importVersion(service.app, sync, now, await text("mine"), commit);

    assert.ok(first !== "stale" && second !== "stale");
    assert.deepEqual([first.unchanged, first.version.version], [false, 3]);
    assert.deepEqual([second.unchanged, second.version.version], [true, 3]);
  });

  it("is possible in restricted folders", async () => {
    const folder = await newFolder(service, org, owner, "vault");
    const skill = await publish("Guarded", "vault");
    const member = await newMember(service, org, "member");
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "viewer" }]);

    const appended = await importVersion(service.app, sync, skill, await text("in"), commit);

    assert.ok(appended !== "stale" && !appended.unchanged);
  });
});

describe("an imported skill", () => {
  it("is private, in the folders of its directory, and named after its frontmatter", async () => {
    const directory = { segments: ["Ops Tools", "deep", "tea-time"], type: "skill" } as const;

    const made = await importSkill(service.app, sync, await text("leaves"), directory, commit);

    await service.settled();
    const shown = await service.call<SkillPayload>("GET", `/api/skills/${made.skill._id}`, {
      token: owner.token,
    });
    assert.deepEqual(
      [shown.data.name, shown.data.slug, shown.data.visibility],
      ["Tea", "tea-time", "private"],
    );
    assert.equal(await folderPathOf(made.skill._id), "ops-tools/deep");
    assert.equal(made.skill.author?.username, "bo");
    const log = await service.call<{ entries: { resourceId: string; metadata: Record<string, unknown> }[] }>(
      "GET",
      `/api/tenants/${org.id}/audit-log?action=skill.created_via_import`,
      { token: owner.token },
    );
    assert.equal(log.data.entries[0]!.resourceId, made.skill._id);
    assert.equal(log.data.entries[0]!.metadata["remoteCommit"], commit.oid);
  });

  it("gets a number if its slug is taken, by a skill elsewhere or a folder in the same parent", async () => {
    await publish("twin");
    await newFolder(service, org, owner, "beside");

    const twin = await importSkill(
      service.app,
      sync,
      await text("a"),
      { segments: ["x", "twin"], type: "skill" },
      commit,
    );
    const beside = await importSkill(
      service.app,
      sync,
      await text("b"),
      { segments: ["beside"], type: "rule" },
      commit,
    );

    assert.deepEqual([twin.skill.slug, beside.skill.slug], ["twin-2", "beside-2"]);
    assert.equal(beside.skill.type, "rule");
  });

  it("gets a folder even if a skill has the folder's name, or the name is invalid", async () => {
    await publish("spoon");

    const inside = await importSkill(
      service.app,
      sync,
      await text("c"),
      { segments: ["spoon", "in"], type: "skill" },
      commit,
    );
    const odd = await importSkill(
      service.app,
      sync,
      await text("d"),
      { segments: ["a\\b\u0007", "茶".repeat(200), "odd"], type: "skill" },
      commit,
    );

    assert.equal(await folderPathOf(inside.skill._id), "spoon-2");
    assert.match(await folderPathOf(odd.skill._id), /^a-b\/folder-[0-9a-f]{8}$/);
  });
});
