/** Tags in the refs that a clone is offered, while the projection of a skill is interrupted or overtaken. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { projectRecords, projectRefs } from "../../src/skills/projection.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

/** A public skill whose second version is published and not projected yet. */
async function publishTwice(name: string): Promise<{ id: string; slug: string }> {
  const body = { tenantId: org.id, name, content: "one\n", visibility: "public" };
  const made = await service.call<{ skill: { id: string; slug: string } }>("POST", "/api/skills", {
    token: owner.token,
    body,
  });
  await service.settled();
  const { skill } = made.data;
  const next = { token: owner.token, body: { content: "two\n" } };
  assert.equal((await service.call("POST", `/api/skills/${skill.id}/versions`, next)).status, 201);
  return skill;
}

async function offeredTags(slug: string): Promise<string[]> {
  const path = `/${org.slug}/${slug}.git/info/refs?service=git-upload-pack`;
  const text = await (await service.raw("GET", path)).text();
  return [...text.matchAll(/refs\/tags\/(\S+)/g)].map(([, tag]) => tag!);
}

describe("the tags of a clone", () => {
  it("include a version whose process crashed between writing refs and tags", async () => {
    const { id, slug } = await publishTwice("Interrupted");
    const { repos, storage } = service.app;
    const { main, head } = (await storage.skills.findOids(id))!;
    await repos.advanceRefs({ tenantId: org.id, skillId: id }, async () => ({ main, head }));

    const tags = await offeredTags(slug);

    assert.deepEqual(tags, ["v1.0.0", "v1.0.1"]);
  });

  it("include a version that was copied while earlier tags were being written", async () => {
    const { id, slug } = await publishTwice("Overtaken");
    const { versions } = service.app.storage;
    const { findCommits } = versions;
    versions.findCommits = async (skillId) => {
      const commits = await findCommits(skillId);
      await projectRecords(service.app, [skillId]);
      return commits;
    };
    await projectRefs(service.app, [id]).finally(() => (versions.findCommits = findCommits));

    const tags = await offeredTags(slug);

    assert.deepEqual(tags, ["v1.0.0", "v1.0.1"]);
  });
});
