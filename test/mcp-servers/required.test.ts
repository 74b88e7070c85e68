import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { McpServerDeletionPayload } from "../../contract/payloads/mcp-servers.ts";
import type {
  PublishResult,
  ResolveResult,
  SkillDetailPayload,
} from "../../contract/payloads/skills/skills.ts";
import { callOk, openModernClient } from "../support/mcp/client.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { remote, setUpServers } from "./fixture.ts";

const fixture = await setUpServers();
for (const name of ["Alpha", "Beta"]) await fixture.created({ name, ...remote });

const servers = (...slugs: string[]) => slugs.map((slug) => ({ tenantSlug: fixture.org.slug, slug }));
/** Servers as they are shown. */
const shown = (...slugs: string[]) => servers(...slugs).map((one) => ({ ...one, transport: "http" }));
const publish = (body: object, user = fixture.owner) =>
  fixture.service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: fixture.org.slug, content: "text\n", ...body },
  });
const change = (id: string, body: object, user = fixture.owner) =>
  fixture.service.call("PUT", `/api/skills/${id}`, { token: user.token, body });
const read = async (id: string, user: TestUser = fixture.owner) =>
  (await fixture.service.call<SkillDetailPayload>("GET", `/api/skills/${id}`, { token: user.token })).data
    .requiredMcpServers;

describe("MCP servers that a skill requires", () => {
  it("are set by a publish, a version and a change, and shown to readers", async () => {
    const { service, org, owner, member } = fixture;
    const { skill } = (await publish({ name: "Requires", requiredMcpServers: servers("beta", "alpha") }))
      .data;
    assert.deepEqual(await read(skill.id, member), shown("alpha", "beta"));
    const client = await openModernClient(service, member.token);
    const described = await callOk<{ skill: SkillDetailPayload }>(client, "get_skill", {
      skill: `${org.slug}/requires`,
    });
    await client.close();
    assert.deepEqual(described.data.skill.requiredMcpServers, shown("alpha", "beta"));
    assert.match(described.text, /Requires the MCP servers \S+\/alpha, \S+\/beta\./);

    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { content: "second\n", requiredMcpServers: servers("beta") },
    });
    assert.deepEqual(await read(skill.id), shown("beta"));
    await publish({ name: "Requires", content: "third\n", requiredMcpServers: servers("alpha") });
    assert.deepEqual(await read(skill.id), shown("alpha"));
    await publish({ name: "Requires", content: "fourth\n" });
    const resolved = await service.call<ResolveResult>(
      "GET",
      `/api/skills/resolve?ref=${org.slug}/requires`,
      { token: member.token },
    );
    assert.deepEqual(resolved.data.skill.requiredMcpServers, shown("alpha"), "without a list, it stays");
    const sentBack = [...resolved.data.skill.requiredMcpServers, ...shown("beta")];
    assert.equal((await change(skill.id, { requiredMcpServers: sentBack })).status, 200);
    assert.deepEqual(await read(skill.id), shown("alpha", "beta"), "a list can be sent as it was read");
    assert.equal((await change(skill.id, { requiredMcpServers: [] })).status, 200);
    assert.deepEqual(await read(skill.id), []);
  });

  it("must exist in the organization of the skill, and a refused publish writes nothing", async () => {
    const { service, owner } = fixture;
    const other = await service.newOrg(owner);
    await service.call("POST", `/api/tenants/${other.slug}/mcp-servers`, {
      token: owner.token,
      body: { name: "Elsewhere", ...remote },
    });

    const missing = await publish({ name: "Nothing", requiredMcpServers: servers("no-such") });
    const foreign = await publish({
      name: "Nothing",
      requiredMcpServers: [{ tenantSlug: other.slug, slug: "elsewhere" }],
    });

    const plan = (body: object) =>
      service.call("POST", "/api/skills/plan", {
        token: owner.token,
        body: { tenantId: fixture.org.slug, format: "markdown", hash: "0".repeat(64), ...body },
      });
    const planned = await plan({ name: "Nothing", requiredMcpServers: servers("alpha") });
    const unknown = await plan({ name: "Nothing", requiredMcpServers: servers("no-such") });
    const visible = { name: "Nothing", visibility: "public", requiredMcpServers: servers("alpha") };

    assert.equal(planned.status, 200, JSON.stringify(planned.body));
    assert.equal(unknown.code, "not_found");
    assert.equal((await plan(visible)).code, "refused");
    assert.equal(missing.code, "not_found");
    assert.equal(missing.details!["kind"], "mcpServer");
    assert.equal(foreign.code, "not_found");
    const created = await publish({ name: "Nothing", mode: "create" });
    assert.equal(created.status, 201, "the name is free");
  });

  it("list the skills that require them, as far as the caller may read both", async () => {
    const { service, org, owner, member } = fixture;
    await fixture.created({ name: "Shared", ...remote });
    const { id } = await newFolder(service, org, owner, "closed");
    const wanted = { requiredMcpServers: servers("shared") };
    for (const [name, folder] of [
      ["First", "/"],
      ["Second", "closed"],
      ["Third", "/"],
    ] as const)
      assert.equal((await publish({ name, folder, ...wanted })).status, 201);
    await restrict(service, owner, id, []);
    await service.settled();
    const list = (user: TestUser, query: string) =>
      service.call<SkillDetailPayload[]>("GET", `/api/skills?${query}`, { token: user.token });
    const slugs = (answer: { data: SkillDetailPayload[] }) => answer.data.map(({ slug }) => slug);
    const ofShared = `mcp_server=${org.slug}/shared`;

    assert.deepEqual(slugs(await list(owner, ofShared)), ["third", "second", "first"]);
    assert.deepEqual(slugs(await list(member, `tenant_id=${org.slug}&${ofShared}`)), ["third", "first"]);
    assert.deepEqual(slugs(await list(owner, `query=second&${ofShared}`)), ["second"]);
    const page = await list(owner, `limit=1&${ofShared}`);
    assert.deepEqual(slugs(await list(owner, `limit=5&cursor=${page.nextCursor}&${ofShared}`)), [
      "second",
      "first",
    ]);
    const connected = await service.call("POST", "/api/user/connectors", {
      token: member.token,
      body: { server: `${org.slug}/shared` },
    });
    assert.equal(connected.status, 201);
    const deletion = (user: TestUser) =>
      service.call<McpServerDeletionPayload>("GET", `${fixture.base}/shared/deletion`, { token: user.token });
    assert.deepEqual((await deletion(owner)).data, {
      skills: [
        { slug: "third", name: "Third" },
        { slug: "second", name: "Second" },
        { slug: "first", name: "First" },
      ],
      hasMoreSkills: false,
      hasHiddenSkills: false,
      connectors: 1,
      installs: 0,
    });
    assert.equal((await deletion(member)).code, "forbidden");
    const curators = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: { name: "Curators", permissions: { skill: ["read"], mcpServer: ["read", "delete"] } },
    });
    const curator = await newMember(service, org, curators.data.id);
    const { data: seen } = await deletion(curator);
    assert.deepEqual([seen.skills.map(({ slug }) => slug), seen.installs], [["third", "first"], undefined]);
    assert.equal(seen.hasHiddenSkills, true);
    const remove = (user: TestUser) =>
      service.call("DELETE", `${fixture.base}/shared`, { token: user.token });
    const refused = await remove(curator);
    assert.deepEqual([refused.status, refused.code], [422, "refused"], JSON.stringify(refused.body));
    assert.doesNotMatch(refused.error!, /second/i);
    const kept = await service.call<SkillDetailPayload>("GET", `/api/skills/${org.slug}~second`, {
      token: owner.token,
    });
    assert.deepEqual(
      kept.data.requiredMcpServers?.map(({ slug }) => slug),
      ["shared"],
    );
    await restrict(service, owner, id, [{ type: "member", id: curator.id, level: "viewer" }]);
    assert.equal((await deletion(curator)).data.hasHiddenSkills, false);
    assert.equal((await remove(curator)).status, 200, "each of the skills is visible");
    const stranger = await service.newUser();
    for (const query of [ofShared, "mcp_server=no-such"])
      assert.equal((await list(stranger, query)).code, "not_found");
  });

  it("keep the skill private", async () => {
    const open = await publish({ name: "Open", visibility: "public", requiredMcpServers: servers("alpha") });
    const { skill } = (await publish({ name: "Closed", requiredMcpServers: servers("alpha") })).data;
    const opened = await change(skill.id, { visibility: "public" });
    const emptied = await change(skill.id, { visibility: "unlisted", requiredMcpServers: [] });
    const version = await fixture.service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: fixture.owner.token,
      body: { content: "again\n", requiredMcpServers: servers("alpha") },
    });

    assert.equal(open.code, "refused");
    assert.equal(opened.code, "refused");
    assert.equal(emptied.status, 200, JSON.stringify(emptied.body));
    assert.equal(version.code, "refused");
  });

  it("are hidden from readers who can't see the server, and stay in lists that they change", async () => {
    const { service, org, owner, member, base } = fixture;
    const folder = await newFolder(service, org, owner, "secret");
    await fixture.created({ name: "Gamma", ...remote, folderId: folder.id });
    await restrict(service, owner, folder.id, []);
    const editor = await newMember(service, org, "member");
    const { skill } = (await publish({ name: "Mixed", requiredMcpServers: servers("alpha", "gamma") })).data;

    assert.deepEqual(await read(skill.id, member), shown("alpha"));
    const blind = await change(skill.id, { requiredMcpServers: servers("gamma") }, editor);
    const changed = await change(skill.id, { requiredMcpServers: servers("beta") }, editor);

    assert.equal(blind.code, "not_found");
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.deepEqual(await read(skill.id), shown("beta", "gamma"));
    await service.call("DELETE", `${base}/gamma`, { token: owner.token });
    assert.deepEqual(await read(skill.id), shown("beta"));
  });
});
