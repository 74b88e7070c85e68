/** Resolution of references: a slug alone names a skill of the caller's own organizations only. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult, ResolveResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type { Visibility } from "../../contract/vocabulary.ts";
import { setUpOrganization } from "../support/set-up.ts";

async function publish(visibility: Visibility): Promise<SkillPayload> {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, name: `${visibility} thing`, content: "text\n", visibility },
  });
  return made.data.skill;
}

const { service, owner, org } = await setUpOrganization();
const colleague = await service.newUser();
const stranger = await service.newUser();
await service.app.storage.memberships.insert({
  _id: service.app.newId(),
  tenantId: org.id,
  tenantSlug: org.slug,
  tenantName: org.slug,
  userId: colleague.id,
  role: "viewer",
  createdAt: new Date(),
});
const publicSkill = await publish("public");
await publish("unlisted");
await publish("private");

describe("a reference", () => {
  it("resolves a bare slug in the caller's own organizations only", async () => {
    const theirs = await service.newOrg(stranger);
    const shadow = await service.call<PublishResult>("POST", "/api/skills", {
      token: stranger.token,
      body: { tenantId: theirs.slug, name: "Public thing", content: "shadow\n", visibility: "public" },
    });
    const resolve = (token: string | undefined, ref: string) =>
      service.call<ResolveResult>("GET", `/api/skills/resolve?ref=${encodeURIComponent(ref)}`, { token });
    const candidatesOf = ({ details }: Awaited<ReturnType<typeof resolve>>) =>
      ((details?.["candidates"] ?? []) as { ref: string }[]).map(({ ref }) => ref);
    const both = [`${org.slug}/public-thing`, `${theirs.slug}/public-thing`];

    const [member, publisher] = [
      await resolve(colleague.token, "public-thing"),
      await resolve(stranger.token, "public-thing"),
    ];
    assert.deepEqual([member.data.skill.id, member.data.own], [publicSkill.id, true]);
    assert.deepEqual([publisher.data.skill.id, publisher.data.own], [shadow.data.skill.id, true]);
    for (const token of [undefined, (await service.newUser()).token]) {
      const outside = await resolve(token, "public-thing");
      assert.deepEqual([outside.status, outside.code], [404, "not_found"]);
      // The skill of the other organization is the older one: a later publisher does not take precedence.
      assert.deepEqual(candidatesOf(outside), both);
    }
    await service.call("DELETE", `/api/skills/${shadow.data.skill.id}`, { token: stranger.token });
    const deleted = await resolve(stranger.token, "public-thing");
    assert.deepEqual([deleted.code, candidatesOf(deleted)], ["not_found", [both[0]]]);

    for (const ref of [
      `${org.slug}/public-thing`,
      `${org.slug}~public-thing`,
      publicSkill.publicId,
      publicSkill.id,
      `${service.url}/s/${publicSkill.publicId}`,
    ]) {
      const found = await resolve(undefined, ref);
      assert.deepEqual([found.data.skill.id, found.data.own], [publicSkill.id, false], ref);
    }
    assert.equal((await resolve(undefined, "unlisted-thing")).code, "unauthenticated");
    for (const ref of ["https://example.com/x", `https://example.com/s/${publicSkill.publicId}`, "https://"])
      assert.equal((await resolve(undefined, ref)).code, "invalid_request", ref);
  });

  it("lists the caller's own skills first if a bare slug is ambiguous", async () => {
    const second = await service.newOrg(owner);
    await service.call("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: second.slug, name: "Private thing", content: "x\n" },
    });
    const outside = await service.newOrg(stranger);
    await service.call("POST", "/api/skills", {
      token: stranger.token,
      body: { tenantId: outside.slug, name: "Private thing", content: "x\n", visibility: "public" },
    });
    const target = "/api/skills/resolve?ref=private-thing";

    const own = await service.call("GET", target, { token: owner.token });
    const publisher = await service.call<ResolveResult>("GET", target, { token: stranger.token });
    const anyone = await service.call("GET", target);

    assert.equal(own.code, "ambiguous");
    const refs = (own.details!["candidates"] as { ref: string }[]).map(({ ref }) => ref);
    assert.deepEqual(
      refs.slice(0, 2).sort(),
      [`${org.slug}/private-thing`, `${second.slug}/private-thing`].sort(),
    );
    assert.deepEqual(refs.slice(2), [`${outside.slug}/private-thing`]);
    assert.equal(publisher.data.skill.tenantSlug, outside.slug);
    // Private skills of the same slug are in no response to other callers, nor are folders of another organization.
    assert.deepEqual(Object.keys((anyone.details!["candidates"] as object[])[0]!), [
      "publicId",
      "slug",
      "ref",
    ]);
    assert.equal((anyone.details!["candidates"] as object[]).length, 1);
  });

  it("does not resolve a deleted skill's id to another organization's skill of that slug", async () => {
    const made = await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.slug, name: "Short lived", content: "x\n", visibility: "public" },
    });
    const publicId = "deleted0id";
    const { raw } = service.app.storage.database;
    await raw
      .collection<{ _id: string }>("skills")
      .updateOne({ _id: made.data.skill.id }, { $set: { publicId } });
    await service.call("DELETE", `/api/skills/${made.data.skill.id}`, { token: owner.token });
    const theirs = await service.newOrg(stranger);
    await service.call("POST", "/api/skills", {
      token: stranger.token,
      body: { tenantId: theirs.slug, name: publicId, content: "stolen\n", visibility: "public" },
    });

    const resolved = await service.call("GET", `/api/skills/resolve?ref=${publicId}`, {
      token: colleague.token,
    });

    assert.equal(resolved.code, "not_found");
  });

  it("resolves a bare slug, however many private skills of other organizations have it", async () => {
    const made = await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.slug, name: "Crowded name", content: "x\n" },
    });
    const { raw } = service.app.storage.database;
    await service.settled();
    const stored = raw.collection<{ _id: string }>("skills");
    const { _id, ...template } = (await stored.findOne({ _id: made.data.skill.id }))!;
    await stored.deleteOne({ _id });
    const strangers = Array.from({ length: 250 }, () => {
      const id = service.app.newId();
      return { ...template, _id: id, tenantId: id, publicId: id.slice(-10) };
    });
    await stored.insertMany(strangers);
    await stored.insertOne({ ...template, _id });

    const found = await service.call<ResolveResult>("GET", "/api/skills/resolve?ref=crowded-name", {
      token: owner.token,
    });

    assert.equal(found.data.skill.id, made.data.skill.id);
    const outside = await service.call("GET", "/api/skills/resolve?ref=crowded-name");
    assert.equal(outside.code, "unauthenticated");
  });
});
