import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { TenantPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { PublishResult, ResolveResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { makeFixture, type Fixture, setUpFixtures } from "./fixture.ts";

let fixture: Fixture;
const { service } = await setUpFixtures((made) => (fixture = made));

const change = (body: object, by = fixture.owner) => fixture.at<TenantPayload>(by, "PATCH", "", body);

describe("an organization's settings", () => {
  it("are returned with the caller's permissions", async () => {
    const viewer = await fixture.join("viewer");
    await change({ name: "Acme Works", description: "  Makes things. " });

    const seen = await fixture.at<TenantPayload>(viewer, "GET", "");
    const own = await fixture.at<TenantPayload>(fixture.owner, "GET", "");

    assert.deepEqual(
      [seen.data.name, seen.data.description, seen.data.role, seen.data.permissions],
      [
        "Acme Works",
        "Makes things.",
        "viewer",
        { skill: ["read"], analytics: ["read"], mcpServer: ["read"] },
      ],
    );
    assert.ok(own.data.permissions["organization"]!.includes("delete"));
    assert.equal((await change({ name: "Mine" }, viewer)).code, "forbidden");
    for (const body of [{}, { name: "" }, { slug: "Not A Slug" }, { slug: "api" }, { owner: "me" }])
      assert.equal((await change(body)).code, "invalid_request", JSON.stringify(body));
  });

  it("keep previous slugs valid, in every kind of reference", async () => {
    const made = await service.call<PublishResult>("POST", "/api/skills", {
      token: fixture.owner.token,
      body: { tenantId: fixture.org.slug, name: "Kept", content: "text\n" },
    });
    const previous = fixture.org.slug;
    const slug = `${previous}-new`;

    const renamed = await change({ slug });
    const { token } = fixture.owner;
    const byTilde = await service.call<SkillPayload>("GET", `/api/skills/${previous}~kept`, { token });
    const resolved = await service.call<ResolveResult>("GET", `/api/skills/resolve?ref=${previous}/kept`, {
      token,
    });
    const listed = await service.call<SkillPayload[]>("GET", `/api/skills?tenant_id=${previous}`, { token });
    const read = await service.call<TenantPayload>("GET", `/api/tenants/${previous}`, { token });
    const published = await service.call<PublishResult>("POST", "/api/skills", {
      token,
      body: { tenantId: previous, name: "Kept", content: "text 2\n" },
    });

    assert.deepEqual([renamed.data.slug, renamed.data.formerSlugs], [slug, [previous]]);
    assert.deepEqual([byTilde.data.id, byTilde.data.tenantSlug], [made.data.skill.id, slug]);
    assert.equal(resolved.data.skill.tenantSlug, slug);
    assert.equal(listed.data[0]?.tenantSlug, slug);
    assert.equal(read.data.slug, slug);
    assert.equal(published.data.skill.tenantSlug, slug);
  });

  it("reserve a previous slug for the organization itself", async () => {
    const previous = fixture.org.slug;
    await change({ slug: `${previous}-new` });
    const other = await makeFixture(service);

    const taken = await other.at(other.owner, "PATCH", "", { slug: previous });
    const made = await service.call("POST", "/api/tenants", {
      token: other.owner.token,
      body: { name: "Squatter", slug: previous },
    });
    const back = await change({ slug: previous });

    assert.deepEqual([taken.code, made.code], ["already_exists", "already_exists"]);
    assert.deepEqual([back.data.slug, back.data.formerSlugs], [previous, [`${previous}-new`]]);
  });

  it("keep every previous slug, up to a limit beyond which only a previous one can be chosen", async () => {
    const first = fixture.org.slug;
    const last = limits.formerOrgSlugs - 1;
    for (let i = 0; i <= last; i++) await change({ slug: `${first}-${i}` });

    const refused = await change({ slug: `${first}-new` });
    const back = await change({ slug: `${first}-0` });

    assert.deepEqual([refused.status, refused.code], [422, "limit_reached"]);
    assert.equal(back.data.slug, `${first}-0`);
    assert.equal(back.data.formerSlugs.length, limits.formerOrgSlugs);
    const found = await service.call<TenantPayload>("GET", `/api/tenants/${first}`, {
      token: fixture.owner.token,
    });
    assert.equal(found.data.slug, `${first}-0`);
  });

  it("end at one slug when several are set at once, and all of them refer to the organization", async () => {
    const slugs = Array.from({ length: 8 }, (_, i) => `${fixture.org.slug}-${i}`);

    const answers = await Promise.all(slugs.map((slug) => change({ slug })));

    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
    const { data } = await fixture.at<TenantPayload>(fixture.owner, "GET", "");
    assert.deepEqual([data.slug, ...data.formerSlugs].toSorted(), [fixture.org.slug, ...slugs].toSorted());
    const profile = await service.call<{ memberships: { slug: string }[] }>("GET", "/api/user/profile", {
      token: fixture.owner.token,
    });
    assert.deepEqual(
      profile.data.memberships.map((one) => one.slug),
      [data.slug],
    );
  });
});
