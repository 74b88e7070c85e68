import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  ContentPayload,
  ManifestPayload,
  PublishResult,
  SkillDetailPayload,
  VersionPayload,
} from "../../contract/payloads/skills/skills.ts";
import { addMember, newFolder, newMember, restrict, publishSkill } from "../support/organization.ts";
import { publishPackage } from "../support/package-files.ts";
import { setUpOrganization, newOrganization } from "../support/set-up.ts";

let sequence = 0;

const { service, owner, org } = await setUpOrganization();

const copy = (skill: string, body: object, token = owner.token, headers: Record<string, string> = {}) =>
  service.call<PublishResult>("POST", `/api/skills/${skill}/copy`, { token, body, headers });
const get = async <T>(path: string, token = owner.token) =>
  (await service.call<T>("GET", path, { token })).data;

function publishText(fields: object = {}): Promise<PublishResult["skill"]> {
  const content = `---\nname: Copied\nlicense: MIT\ndescription: Of use. # kept\ntags: [a, b]\n---\n# Text\n`;
  return publishSkill(service, org, owner, { name: `Copied ${++sequence}`, content, ...fields });
}

describe("a copy of a skill", () => {
  it("is a new private skill with the same package, and without the history", async () => {
    const files = { LICENSE: Buffer.from("MIT\n"), run: Buffer.from("#!/bin/sh\n") };
    const root = Buffer.from("---\nname: boxed\ndescription: A package.\nlicense: MIT\n---\n# Boxed\n");
    const { skill, version } = await publishPackage(service, owner, org, {}, { "SKILL.md": root, ...files });
    const target = await service.newOrg(owner);

    const copied = await copy(skill.id, { tenantId: target.slug });

    assert.equal(copied.status, 201, JSON.stringify(copied.body));
    assert.equal(copied.data.action, "created");
    assert.equal(copied.data.skill.tenantId, target.id);
    assert.equal(copied.data.skill.visibility, "private");
    assert.equal(copied.data.skill.name, skill.name);
    assert.equal(copied.data.version.hash, version.hash);
    assert.equal(copied.data.version.semver, "1.0.0");
    const manifest = await get<ManifestPayload>(`/api/skills/${copied.data.skill.id}/manifest`);
    assert.deepEqual(
      manifest.files.map(({ path, mode }) => `${mode} ${path}`),
      ["100644 LICENSE", "100644 SKILL.md", "100755 run"],
    );
  });

  it("of a text keeps its frontmatter, but for the name", async () => {
    const skill = await publishText({ visibility: "public" });
    const target = await service.newOrg(owner);

    const copied = await copy(skill.id, { tenantId: target.id, name: "Renamed", slug: "own-slug" });

    assert.equal(copied.data.skill.slug, "own-slug");
    const { frontmatter, content } = await get<ContentPayload>(`/api/skills/${copied.data.skill.id}/content`);
    assert.equal(content, "# Text\n");
    assert.equal(
      frontmatter,
      "---\nname: own-slug\nlicense: MIT\ndescription: Of use. # kept\ntags: [a, b]\n---\n",
    );
    assert.deepEqual(copied.data.skill.tags, ["a", "b"]);
  });

  it("may be of an earlier version, in a folder", async () => {
    const skill = await publishText();
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { content: "# 2\n" },
    });
    const target = await service.newOrg(owner);

    const copied = await copy(skill.id, {
      tenantId: target.id,
      version: "1",
      folder: "a/b",
      createFolders: true,
    });

    assert.equal(
      (await get<ContentPayload>(`/api/skills/${copied.data.skill.id}/content`)).content,
      "# Text\n",
    );
    assert.notEqual(copied.data.skill.folderId, null);
    const versions = await get<VersionPayload[]>(`/api/skills/${copied.data.skill.id}/versions`);
    assert.equal(versions.length, 1);
  });

  it("is made once for one idempotency key, and refuses a name that is taken", async () => {
    const skill = await publishText();
    const target = await service.newOrg(owner);
    const key = { "idempotency-key": "copy-once-and-again" };

    const first = await copy(skill.id, { tenantId: target.id }, owner.token, key);
    const second = await copy(skill.id, { tenantId: target.id }, owner.token, key);
    const third = await copy(skill.id, { tenantId: target.id });

    assert.equal(second.data.skill.id, first.data.skill.id);
    assert.equal(third.code, "already_exists");
  });

  it("shows its origin to those who may read that skill, and to no one else", async () => {
    const skill = await publishText();
    const target = await service.newOrg(owner);
    const other = await service.newUser();
    await addMember(service, target, other, "member");
    const copied = (await copy(skill.id, { tenantId: target.id })).data.skill;
    const originFor = async (token: string) =>
      (await get<SkillDetailPayload>(`/api/skills/${copied.id}`, token)).origin;

    const { copiedAt: _at, ...origin } = (await originFor(owner.token))!;
    assert.deepEqual(origin, {
      skill: { publicId: skill.publicId, slug: skill.slug, tenantSlug: org.slug, name: skill.name },
      version: 1,
      semver: "1.0.0",
    });
    for (const path of ["", "/versions", "/content", "/manifest"]) {
      const answer = await service.call("GET", `/api/skills/${copied.id}${path}`, { token: other.token });
      assert.equal(answer.status, 200);
      for (const secret of [org.slug, org.id, skill.publicId, skill.id])
        assert.ok(!JSON.stringify(answer.body).includes(secret), `${path} reveals ${secret}`);
    }
    await service.settled();
    const log = JSON.stringify(
      await service.app.storage.database.raw
        .collection("audit_events")
        .find({ tenantId: target.id })
        .toArray(),
    );
    for (const secret of [org.slug, skill.publicId, skill.id]) assert.ok(!log.includes(secret), secret);

    await service.call("DELETE", `/api/skills/${skill.id}`, { token: owner.token });
    assert.equal(await originFor(owner.token), undefined);
  });

  it("requires to read the skill, and to create skills at the destination", async () => {
    const skill = await publishText();
    const target = await service.newOrg(owner);
    const { owner: stranger, org: own } = await newOrganization(service);
    const viewer = await newMember(service, target, "viewer");
    await addMember(service, org, viewer, "member");
    const code = async (ref: string, body: object, token: string) => (await copy(ref, body, token)).code;

    assert.equal(await code(skill.id, { tenantId: own.id }, stranger.token), "not_found");
    assert.equal(await code("f".repeat(24), { tenantId: own.id }, stranger.token), "not_found");
    assert.equal(await code(skill.id, { tenantId: target.id }, viewer.token), "forbidden");
    assert.equal(await code(skill.id, { tenantId: own.id }, owner.token), "not_found");
    const closed = await newFolder(service, target, owner, "closed");
    await restrict(service, owner, closed.id, []);
    const member = await newMember(service, target, "member");
    await addMember(service, org, member, "member");
    assert.equal(await code(skill.id, { tenantId: target.id, folder: "closed" }, member.token), "not_found");
    assert.equal(
      await code(skill.id, { tenantId: target.id, slug: "Not A Slug" }, owner.token),
      "invalid_request",
    );
  });

  it("of a public skill is for everyone with an organization, unless it was taken down", async () => {
    const skill = await publishText({ visibility: "public" });
    const { owner: stranger, org: own } = await newOrganization(service);

    assert.equal((await copy(skill.id, { tenantId: own.id }, stranger.token)).status, 201);
    await service.app.storage.database.raw
      .collection<{ _id: string }>("skills")
      .updateOne(
        { _id: skill.id },
        { $set: { takedown: { reason: "x", at: new Date(), by: { id: "a", username: "a" } } } },
      );
    assert.equal(
      (await copy(skill.id, { tenantId: own.id, name: "Again" }, stranger.token)).code,
      "not_found",
    );
    assert.equal((await copy(skill.id, { tenantId: org.id, name: "Again" })).code, "refused");
  });
});
