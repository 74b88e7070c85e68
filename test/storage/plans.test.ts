import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BSON, type Document } from "mongodb";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { followCatalog } from "../../src/mcp-servers/catalog/follow.ts";
import { sendFollowMails } from "../../workers/mail/followed.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { newIdentity, share, signedCall } from "../support/anonymous.ts";
import { publishSkill } from "../support/organization.ts";
import { assertIndexed, plansOf, type Plan } from "../support/plans.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { EJSON } = BSON;
const skillCount = 400;

const { service, owner, org } = await setUpOrganization({ reportsCommands: true });
const skill = await publishSkill(service, org, owner, { name: "Planned", visibility: "public" });
for (let i = 0; i < 3; i++)
  await service.call("POST", `/api/skills/${skill.id}/versions`, {
    token: owner.token,
    body: { content: `text ${i}\n` },
  });
await service.settled();
await multiply();

/** Many skills and versions of a few organizations, copied from the published one. */
async function multiply(): Promise<void> {
  const { raw } = service.app.storage.database;
  const [template] = await raw.collection("skills").find().toArray();
  const versions = await raw.collection("versions").find().toArray();
  const skills: Document[] = [];
  const rows: Document[] = [];
  for (let i = 0; i < skillCount; i++) {
    const _id = service.app.newId();
    const tenantId = i % 4 === 0 ? org.id : `other${i % 8}`;
    const time = new Date(Date.parse("2026-01-01") + i * 60_000);
    skills.push({
      ...template,
      _id,
      tenantId,
      publicId: _id.slice(-10),
      slug: `copy-${i}`,
      name: `Copy ${i}`,
      nameKey: `copy ${i}`,
      tags: i % 5 === 0 ? ["fifth"] : [],
      listed: i % 2 === 0,
      createdAt: time,
      updatedAt: time,
      downloads: i % 7,
    });
    for (const row of versions) rows.push({ ...row, _id: service.app.newId(), skillId: _id, tenantId });
  }
  await raw.collection("skills").insertMany(skills);
  await raw.collection("versions").insertMany(rows);
}

/** The list of the skills that require an MCP server, which every ninth one of the organization does. */
async function requiredBySome(): Promise<string> {
  const made = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/mcp-servers`, {
    token: owner.token,
    body: { name: "Needed", transport: "http", url: "https://mcp.example.com/mcp" },
  });
  const { raw } = service.app.storage.database;
  const some = { slug: /^copy-\d*[48]$/ };
  await raw
    .collection("skills")
    .updateMany(some, { $set: { requiredServerIds: [made.data.id], visibility: "private" } });
  return `/api/skills?tenant_id=${org.slug}&mcp_server=${made.data.id}&limit=5`;
}

const planned = (run: () => Promise<unknown>): Promise<Plan[]> => plansOf(service, run);
const get = (target: string, token: string | undefined = owner.token) =>
  service.call("GET", target, { token });

describe("the plans of queries at a few hundred documents", () => {
  it("read one skill and its versions by index only", async () => {
    const entries = await planned(async () => {
      for (const ref of [skill.id, skill.publicId, `${org.slug}~${skill.slug}`]) {
        for (const part of [
          "",
          "/content",
          "/content?semver=1.0.1",
          "/content?range=%5E1.0.0",
          "/versions?limit=2",
          "/versions?spec=1.x&prerelease=true",
          "/manifest?version=2",
          "/diff?from=1",
          "/analytics",
        ])
          assert.equal((await get(`/api/skills/${ref}${part}`)).status, 200, part);
      }
      assert.equal((await get("/api/skills/resolve?ref=planned")).status, 200);
    });

    assertIndexed(entries, 10);
  });

  it("publish, push, change, revert and delete by index only", async () => {
    const entries = await planned(async () => {
      const post = (target: string, body: object) =>
        service.call<PublishResult>("POST", target, { token: owner.token, body });
      const made = await post("/api/skills", { tenantId: org.slug, name: "Copy, 8", content: "x\n" });
      assert.equal(made.status, 201);
      const { id } = made.data.skill;
      await post("/api/skills", { tenantId: org.slug, name: "Brand new", content: "x\n" });
      await post(`/api/skills/${id}/versions`, { content: "y\n" });
      await post(`/api/skills/${id}/revert`, { version: 1 });
      await service.call("PUT", `/api/skills/${id}`, { token: owner.token, body: { tags: ["a"] } });
      await service.call("DELETE", `/api/skills/${id}`, { token: owner.token });
      await post("/api/uploads", { size: 10, sha256: "0".repeat(64) });
    });

    assertIndexed(entries, 20);
  });

  it("list and explore by index only, in sorted order unless words are searched", async () => {
    const cursors: Record<string, string> = {};
    const lists = [
      "/api/skills?limit=5",
      `/api/skills?tenant_id=${org.slug}&limit=5`,
      "/api/skills?tag=fifth&limit=5",
      await requiredBySome(),
    ];
    const explored = ["updated", "newest", "downloads"].flatMap((sort) => [
      `/api/search?scope=mine&sort=${sort}&limit=5`,
      `/api/search?sort=${sort}&limit=5`,
      `/api/explore?sort=${sort}&limit=5`,
      ...(sort === "updated" ? [`/api/explore?sort=${sort}&tag=fifth&limit=5`] : []),
    ]);
    const first = await planned(async () => {
      for (const target of [...lists, ...explored]) cursors[target] = (await get(target)).nextCursor ?? "";
    });
    const second = await planned(async () => {
      for (const [target, cursor] of Object.entries(cursors)) {
        assert.notEqual(cursor, "", target);
        assert.equal((await get(`${target}&cursor=${cursor}`)).status, 200);
      }
    });

    assertIndexed([...first, ...second], 60);
    for (const { command, stages } of [...first, ...second].filter(
      (plan) => plan.command["find"] === "skills",
    ))
      assert.ok(!stages.includes("SORT"), `${stages.join(" ")} of ${EJSON.stringify(command)}`);
  });

  it("find skills with errors by index only, in sorted order", async () => {
    const { raw } = service.app.storage.database;
    await raw
      .collection<{ _id: string }>("skills")
      .updateMany(
        { _id: { $regex: "7$" } },
        { $set: { "current.findings": { errors: 1, warnings: 0, ids: ["a"] } } },
      );

    const entries = await planned(async () => {
      assert.equal((await get(`/api/tenants/${org.slug}/attention`)).status, 200);
    });

    assertIndexed(entries, 60);
    assert.ok(entries.some(({ stages }) => stages.includes("IXSCAN")));
    const [plan] = entries.filter(({ command }) => command["find"] === "skills");
    assert.ok(plan && !plan.stages.includes("SORT"), plan?.stages.join(" "));
  });

  it("read the public page and the collections of an organization by index only", async () => {
    const base = `/api/tenants/${org.slug}/collections`;
    const rows = Array.from({ length: 200 }, (_, i) => ({
      _id: service.app.newId(),
      tenantId: `other${i % 4}`,
      nameKey: `c-${i}`,
      slug: `c-${i}`,
      active: true,
      skillIds: [],
    }));
    await service.app.storage.database.raw.collection<{ _id: string }>("skill_collections").insertMany(rows);
    const entries = await planned(async () => {
      const body = { name: "Planned", public: true, skills: [skill.id] };
      await service.call("POST", base, { token: owner.token, body });
      await service.call("PATCH", `${base}/planned`, { token: owner.token, body: { skills: ["planned"] } });
      for (const target of [
        base,
        `${base}/planned`,
        `/api/explore/organizations/${org.slug}`,
        `/api/explore/organizations/${org.slug}/collections`,
        `/api/explore/organizations/${org.slug}/collections/planned`,
      ])
        assert.equal((await get(target)).status, 200, target);
    });

    assertIndexed(entries, 10);
    const totals = entries.find(({ command }) => command["aggregate"] === "skills");
    assert.equal(totals?.examined, 0, "the totals are those of an index");
    assert.ok(!totals.stages.includes("SORT"), totals.stages.join(" "));
  });

  it("search by index only", async () => {
    const entries = await planned(async () => {
      for (const text of ["planned", "copy 3", "copy-3", "text", "no such words", "%22", "%2B%2B"])
        for (const target of [
          "/api/explore?query=",
          "/api/skills?query=",
          `/api/skills?tenant_id=${org.slug}&query=`,
        ])
          assert.equal((await get(`${target}${text}`)).status, 200);
    });

    assertIndexed(entries, skillCount * 3);
  });

  it("read and write tokens by index only, in sorted order", async () => {
    const { raw } = service.app.storage.database;
    const token = (fields: object, i: number) => ({
      _id: service.app.newId(),
      name: `token ${i}`,
      secretHash: `hash ${i}`,
      createdAt: new Date(),
      revokedAt: i % 3 === 0 ? undefined : new Date(),
      ...fields,
    });
    const owners = [{ tenantId: org.id }, { userId: owner.id }, { tenantId: "other" }, { userId: "other" }];
    const rows: Document[] = Array.from({ length: 400 }, (_, i) => token(owners[i % 4]!, i));
    await raw.collection("tokens").insertMany(rows);

    const entries = await planned(async () => {
      for (const target of [`/api/tenants/${org.slug}/tokens`, "/api/user/tokens"]) {
        const { nextCursor } = await get(`${target}?limit=5`);
        assert.equal((await get(`${target}?limit=5&cursor=${nextCursor}`)).status, 200);
        const made = await service.call("POST", target, { token: owner.token, body: { name: "new" } });
        assert.equal((await get("/api/tenants", made.data["token"] as string)).status, 200);
        await service.call("DELETE", `${target}/${String(made.data["id"])}`, { token: owner.token });
      }
    });

    assertIndexed(entries, 10);
    for (const { command, stages } of entries.filter((plan) => plan.command["find"] === "tokens"))
      assert.ok(!stages.includes("SORT"), `${stages.join(" ")} of ${EJSON.stringify(command)}`);
    await raw.collection("tokens").deleteMany({ name: /^token / });
  });

  it("register anonymous keys, and share, list and delete by them, by index only", async () => {
    for (let i = 0; i < 30; i++) await newIdentity(service);
    const entries = await planned(async () => {
      const identity = await newIdentity(service);
      const made = await share(service, identity, { name: "Planned share", content: "x\n" });
      await share(service, identity, { name: "Planned share", content: "x\n" });
      await signedCall(service, identity, "GET", "/api/skills");
      await get(`/api/skills/${identity.username}~planned-share`);
      await signedCall(service, identity, "DELETE", `/api/skills/${made.data.skill.id}`);
    });

    assertIndexed(entries, 10);
  });

  it("search, import and follow the catalog of MCP servers, and list a public registry, by index only", async () => {
    const { app } = service;
    const config = { transport: "http" as const, url: "https://x.example/mcp", args: [] };
    const entry = { config: { ...config, env: [], headers: [], variables: [] }, origin: "http x.example" };
    const versionOf = (i: number) => ({
      name: `io.example/server-${Math.floor(i / 2)}`,
      version: `${i % 2}.0.0`,
      title: "Server",
      description: "",
      entry,
      ...(i % 2 === 1 ? { latest: true, terms: ["server", `number${i}`] } : {}),
      updatedAt: new Date(),
    });
    const rows = Array.from({ length: 1000 }, (_, i) => versionOf(i));
    const catalog = app.storage.database.raw.collection<{ _id: string }>("mcp_catalog");
    await catalog.insertMany(rows.map((row) => ({ ...row, _id: `${row.name}@${row.version}` })));
    app.config.mcpCatalog = { url: "https://registry.example.com", privateNetwork: false };
    const base = `/api/tenants/${org.slug}/mcp-servers`;
    for (const at of [3, 7])
      await service.call("POST", `${base}/import`, {
        token: owner.token,
        body: { name: rows[at]!.name, slug: `imported-${at}` },
      });
    await service.call("PUT", `/api/tenants/${org.slug}/mcp-registry`, {
      token: owner.token,
      body: { enabled: true },
    });

    const entries = await planned(async () => {
      for (const target of [
        `${base}/catalog?limit=5`,
        `${base}/catalog?limit=5&query=server%20number701`,
        `${base}?limit=5`,
        `${base}/imported-3`,
        `${base}/imported-3/deletion`,
        `/${org.slug}/mcp/v0.1/servers?search=imported&updated_since=2026-01-01T00:00:00Z`,
      ])
        assert.equal((await service.raw("GET", target, { token: owner.token })).status, 200, target);
      await service.call("POST", `${base}/import`, { token: owner.token, body: { name: rows[9]!.name } });
      await app.storage.mcpCatalog.put({ ...rows[11]!, _id: "io.example/server-5@1.0.0", latest: true });
      await followCatalog(app);
    });

    assertIndexed(entries, 20);
  });

  it("note, list and mail the changes of followed skills by index only, in sorted order", async () => {
    const { app } = service;
    const { raw } = app.storage.database;
    const of = (i: number) => ({ userId: i % 4 === 0 ? owner.id : `user${i % 9}`, tenantId: org.id });
    const row = (i: number) => ({ ...of(i), _id: app.newId(), kind: "version", reason: "followed" });
    const at = (i: number) => new Date(Date.now() - i * 60_000);
    const changes = Array.from({ length: 800 }, (_, i) => ({
      ...row(i),
      skillId: i % 8 === 0 ? skill.id : `skill${i % 20}`,
      semver: "1.0.0",
      by: "someone",
      at: at(i),
      ...(i % 40 === 0 ? { mailAt: at(i) } : {}),
    }));
    const follows = Array.from({ length: 400 }, (_, i) => ({
      ...of(i),
      _id: app.newId(),
      targetId: `t${i}`,
    }));
    await raw.collection<{ _id: string }>("followed_changes").insertMany(changes);
    await raw.collection<{ _id: string }>("follows").insertMany(follows);

    const entries = await planned(async () => {
      const followed = await service.call("PUT", `/api/user/follows/skills/${skill.id}`, {
        token: owner.token,
      });
      assert.equal(followed.status, 200, JSON.stringify(followed.body));
      assert.equal((await get("/api/user/follows")).status, 200);
      const { nextCursor } = await get("/api/user/followed-changes?limit=5");
      assert.equal((await get(`/api/user/followed-changes?limit=5&cursor=${nextCursor}`)).status, 200);
      await service.call("POST", `/api/skills/${skill.id}/versions`, {
        token: owner.token,
        body: { content: "followed\n" },
      });
      await service.settled();
      await service.call("PUT", "/api/user/follow-mails", { token: owner.token, body: { mail: "instant" } });
      await sendFollowMails(app);
      await service.call("DELETE", `/api/user/follows/${String(followed.data["id"])}`, {
        token: owner.token,
      });
    });

    assertIndexed(entries, 400);
    for (const { command, stages } of entries.filter((plan) => plan.command["find"] === "followed_changes"))
      assert.ok(!stages.includes("SORT"), `${stages.join(" ")} of ${EJSON.stringify(command)}`);
  });

  it("sweep, purge and reconcile by index only", async () => {
    const entries = await planned(async () => {
      await purge(service.app);
      await reconcile(service.app);
    });

    assertIndexed(entries, 400);
  });
});
