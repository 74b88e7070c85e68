import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  CatalogFacetsPayload,
  PublicOrganizationPayload,
} from "../../contract/payloads/discovery/catalog.ts";
import type { CatalogItem } from "../../contract/payloads/skills/skills.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { publishSkill } from "../support/organization.ts";
import type { TestOrg } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const { service, clock } = await setUpService();
let [lumen, other, closed]: TestOrg[] = [];

const publish = (org: TestOrg, name: string, fields: object = {}) =>
  publishSkill(service, org, owner, { name, visibility: "public", ...fields });
const explore = async (query: string) =>
  (await service.call<CatalogItem[]>("GET", `/api/explore?${query}`)).data;
const names = async (query: string) => (await explore(query)).map(({ name }) => name).sort();
const facets = async (query = "") =>
  (await service.call<CatalogFacetsPayload>("GET", `/api/explore/facets?${query}`)).data;

const owner = await service.newUser();
[lumen, other, closed] = [
  await service.newOrg(owner, "lumen"),
  await service.newOrg(owner, "other"),
  await service.newOrg(owner, "closed"),
];
await publish(lumen, "Migrator", { tags: ["sql", "ops"] });
await publish(lumen, "Reviewer", { tags: ["ops"] });
await publish(lumen, "House style", { type: "rule", tags: ["ops"] });
await publish(other, "Query tuner", { tags: ["sql"] });
await publish(other, "Hidden tuner", { tags: ["sql", "secret"], visibility: "private" });
await publish(closed, "Linked only", { tags: ["secret"], visibility: "unlisted" });
await service.settled();

describe("the catalog", () => {
  it("filters by several tags and by organization", async () => {
    assert.deepEqual(await names("tags=sql,ops"), ["Migrator"]);
    assert.deepEqual(await names("tag=ops&tags=sql"), ["Migrator"]);
    assert.deepEqual(await names("tenant=lumen"), ["House style", "Migrator", "Reviewer"]);
    assert.deepEqual(await names("tenant=lumen&query=migrator"), ["Migrator"]);
    assert.deepEqual(await names("tenant=other&query=tuner&tags=sql"), ["Query tuner"]);
    for (const slug of ["closed", "never-existed"]) assert.deepEqual(await names(`tenant=${slug}`), []);
    const tooMany = await service.call("GET", "/api/explore?tags=a,b,c,d,e,f");
    assert.equal(tooMany.code, "invalid_request");
  });

  it("returns the message of a deprecated skill", async () => {
    const body = { deprecated: "Use Migrator." };
    const { id } = await publish(closed, "Old migrator");
    const changed = await service.call("PUT", `/api/skills/${id}`, { token: owner.token, body });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));

    const [found] = await explore("tenant=closed");
    assert.deepEqual([found!.name, found!.deprecated], ["Old migrator", "Use Migrator."]);
    assert.equal((await explore("tenant=lumen"))[0]!.deprecated, undefined);
    assert.equal((await service.call("DELETE", `/api/skills/${id}`, owner)).status, 200);
    await service.settled();
  });

  it("counts what a search finds, by type, tag and organization, and nothing that is not public", async () => {
    const all = await facets();

    assert.deepEqual([all.total, all.totalIsExact], [4, true]);
    assert.deepEqual(all.types, [
      { value: "skill", count: 3 },
      { value: "rule", count: 1 },
    ]);
    assert.deepEqual(all.tags, [
      { value: "ops", count: 3 },
      { value: "sql", count: 2 },
    ]);
    assert.deepEqual(all.organizations, [
      { value: "lumen", name: "lumen", count: 3 },
      { value: "other", name: "other", count: 1 },
    ]);
    assert.doesNotMatch(JSON.stringify(all), /secret|closed/);
    const rules = await facets("type=rule");
    assert.deepEqual([rules.total, rules.types.length, rules.tags], [1, 2, [{ value: "ops", count: 1 }]]);
    const found = await facets("query=tuner");
    assert.deepEqual([found.total, found.organizations[0]!.value], [1, "other"]);
    assert.equal((await facets("tenant=closed")).total, 0);
    assert.deepEqual(await facets("tenant=never-existed"), await facets("tenant=closed"));
  });

  it("adds the downloads of the last 30 days on request", async () => {
    const [skill] = await explore("query=migrator");
    const read = () => service.call("GET", `/api/skills/${skill!.publicId}/content`);
    await read();
    flushDownloads(service.app);
    await service.settled();
    clock.aheadMs += 2 * 86_400_000;
    await read();
    await read();
    flushDownloads(service.app);
    await service.settled();

    const [shown] = await explore("query=migrator&trend=true");
    const others = await explore("tenant=other&trend=true");

    assert.equal(skill!.trend, undefined);
    assert.equal(shown!.downloads30Days, 3);
    assert.deepEqual(shown!.trend!.slice(-3), [1, 0, 2]);
    assert.equal(shown!.trend!.length, 30);
    assert.deepEqual([others[0]!.downloads30Days, others[0]!.trend!.length], [0, 30]);
  });
});

describe("a public organization", () => {
  const read = (slug: string, by = {}) =>
    service.call<PublicOrganizationPayload>("GET", `/api/explore/organizations/${slug}`, by);

  it("is shown to anyone, with the number of its public skills", async () => {
    const { data } = await read("lumen");

    assert.deepEqual(data, {
      slug: "lumen",
      name: "lumen",
      description: "",
      avatarUrl: null,
      publicSkills: 3,
      publicSkillsIsExact: true,
      downloads: 3,
    });
  });

  it("without a public skill looks like a name that never existed, to its own members as well", async () => {
    const hidden = await read("closed");
    const never = await read("never-existed");
    const own = await read("closed", { token: owner.token });
    const avatars = [
      await service.call("GET", "/api/explore/organizations/closed/avatar"),
      await service.call("GET", "/api/explore/organizations/never-existed/avatar"),
    ];

    const shown = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
      const { requestId: _, ...rest } = body;
      return { status, ...rest };
    };
    assert.equal(hidden.status, 404);
    assert.deepEqual([shown(hidden), shown(own)], [shown(never), shown(never)]);
    for (const avatar of avatars) assert.deepEqual(shown(avatar), shown(never));
  });

  it("disappears with its last public skill, and when it is deleted", async () => {
    const gone = await service.newOrg(owner, "going");
    const skill = await publish(gone, "Only one");
    const present = await read("going");
    await service.call("DELETE", `/api/tenants/${gone.id}`, { token: owner.token });
    const deleted = await read("going");
    await service.call("POST", `/api/tenants/${gone.id}/restore`, { token: owner.token });
    await service.call("PUT", `/api/skills/${skill.id}`, {
      token: owner.token,
      body: { visibility: "private" },
    });

    assert.deepEqual([present.status, deleted.status, (await read("going")).status], [200, 404, 404]);
  });
});
