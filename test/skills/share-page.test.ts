/** Warnings on a skill's page at `/s/{publicId}`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

const newSkill = (name: string) => publishSkill(service, org, owner, { name, visibility: "public" });
const mark = async (id: string, body: object) => {
  const path = `/api/skills/${id}/versions/1.0.0`;
  const marked = await service.call("PATCH", path, { token: owner.token, body });
  assert.equal(marked.status, 200, JSON.stringify(marked.body));
};
const open = async (publicId: string) => {
  const page = await service.raw("GET", `/s/${publicId}`, { headers: { accept: "text/html" } });
  assert.match(page.headers.get("content-type")!, /^text\/html/);
  const text = await page.text();
  const alerts = [...text.matchAll(/<p class="alert">([^<]*)<\/p>/g)].map(([, sentence]) => sentence);
  return { status: page.status, text, alerts };
};

describe("the page of a skill at its link", () => {
  it("is an HTML page that gives the reason if no version can be installed", async () => {
    const { id, publicId, slug } = await newSkill("Yanked");
    await mark(id, { yanked: true, reason: "It deletes <files>." });

    const { status, text, alerts } = await open(publicId);
    assert.equal(status, 404);
    assert.deepEqual(alerts, [
      `&quot;${org.slug}/${slug}&quot; has no version that can be installed: 1.0.0 is yanked (It deletes &lt;files&gt;.). ` +
        `To install it all the same, pin it exactly: &quot;${org.slug}/${slug}@1.0.0&quot;.`,
      `${org.slug}/${slug} 1.0.0 is yanked by its publisher: It deletes &lt;files&gt;.`,
    ]);
    assert.doesNotMatch(text, /svc install/);
  });

  it("shows the messages of a deprecated skill and of its deprecated version", async () => {
    const { id, publicId, slug } = await newSkill("Deprecated");
    assert.deepEqual((await open(publicId)).alerts, []);
    await mark(id, { deprecated: "Use 2.0.0." });
    const body = { deprecated: "Use another skill." };
    assert.equal((await service.call("PUT", `/api/skills/${id}`, { token: owner.token, body })).status, 200);

    const { status, text, alerts } = await open(publicId);
    assert.equal(status, 200);
    assert.deepEqual(alerts, [
      `${org.slug}/${slug} 1.0.0 is deprecated: Use 2.0.0.`,
      `${org.slug}/${slug} is deprecated: Use another skill.`,
    ]);
    assert.match(text, /svc install/);
  });
});
