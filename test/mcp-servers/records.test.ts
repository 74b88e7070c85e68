import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { McpServerPayload } from "../../contract/payloads/mcp-servers.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import type { Answer } from "../support/service.ts";
import { local, remote, setUpServers } from "./fixture.ts";

const fixture = await setUpServers();

const token = { name: "Authorization", kind: "member", label: "Token", secret: true, required: true };

describe("registered MCP servers", () => {
  it("are registered, read, changed and deleted, each with one event that has no values", async () => {
    const { service, owner, base, org } = fixture;
    const server = await fixture.created({
      name: "Acme Search",
      description: "Finds things",
      ...remote,
      headers: [{ name: "X-Region", kind: "fixed", value: "europe-central" }, token],
    });
    assert.equal(server.slug, "acme-search");
    assert.equal(server.revision, 1);
    assert.equal(server.tenantSlug, org.slug);
    assert.equal(server.createdBy, owner.username);
    assert.equal(server.command, undefined);
    assert.deepEqual([server.args, server.env, server.variables], [[], [], []]);
    assert.deepEqual(server.can, ["update", "delete", "analytics"]);

    const same = await fixture.change("acme-search", { name: "Acme Search" });
    const changed = await fixture.change(server.id, { headers: [token], revision: 1 });
    const late = await fixture.change("acme-search", { name: "Late", revision: 1 });
    assert.equal(same.data.revision, 1, "nothing was changed");
    assert.equal(changed.data.revision, 2);
    assert.equal(late.code, "conflict");

    const removed = await service.call("DELETE", `${base}/acme-search`, { token: owner.token });
    const again = await service.call("GET", `${base}/acme-search`, { token: owner.token });
    assert.equal(removed.status, 200);
    assert.equal(again.code, "not_found");
    assert.equal((await fixture.created({ name: "Acme Search", ...remote })).slug, "acme-search");
    const updates = await fixture.eventsOf("mcp_server.updated");
    assert.deepEqual(
      updates.map(({ metadata }) => [metadata["slug"], metadata["revision"], metadata["changed"]]),
      [["acme-search", 2, ["headers"]]],
    );
    assert.equal((await fixture.eventsOf("mcp_server.deleted")).length, 1);
    const created = await fixture.eventsOf("mcp_server.created");
    assert.ok(!JSON.stringify([...updates, ...created]).includes("europe-central"));
  });

  it("lose the fields of the previous transport", async () => {
    await fixture.created({
      name: "Files",
      ...local,
      env: [{ name: "API_KEY", kind: "member", label: "Key", secret: true, required: true }],
    });

    const changed = await fixture.change("files", remote);

    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal(changed.data.command, undefined);
    assert.deepEqual([changed.data.args, changed.data.env], [[], []]);
    assert.equal(changed.data.url, remote.url);
  });

  it("are found by path, slug and ids, and an ambiguous slug has candidates", async () => {
    const { service, owner, org } = fixture;
    const server = await fixture.created({ name: "Tickets", ...remote });
    for (const ref of [`${org.slug}/tickets`, "tickets", server.publicId, server.id]) {
      const found = await fixture.find(ref);
      assert.deepEqual(found.data, [server], ref);
    }
    const other = await service.newOrg(owner);
    await service.call("POST", `/api/tenants/${other.slug}/mcp-servers`, {
      token: owner.token,
      body: { name: "Tickets", ...remote },
    });

    const several = await fixture.find("tickets");
    const exact = await fixture.find(`${org.slug}/tickets`);
    const missing = await fixture.find("no-such-server");

    assert.equal(several.code, "ambiguous");
    assert.deepEqual(
      (several.details!["candidates"] as { tenantSlug: string }[]).map(({ tenantSlug }) => tenantSlug).sort(),
      [org.slug, other.slug].sort(),
    );
    assert.equal(exact.data[0]!.id, server.id);
    assert.equal(missing.code, "not_found");
    assert.equal(missing.details!["kind"], "mcpServer");
    assert.equal((await fixture.find("tickets", fixture.member)).data[0]!.id, server.id);
  });

  it("are listed in full pages in the order of their slugs", async () => {
    const { service, base, owner } = fixture;
    for (const name of ["Page c", "Page a", "Page b"]) await fixture.created({ name, ...remote });

    const slugs: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Answer<McpServerPayload[]> = await service.call<McpServerPayload[]>(
        "GET",
        `${base}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
        { token: owner.token },
      );
      slugs.push(...page.data.map(({ slug }) => slug));
      assert.ok(page.nextCursor === null || page.data.length === 2);
      cursor = page.nextCursor ?? null;
    }

    assert.deepEqual(slugs, slugs.toSorted());
    assert.deepEqual(
      slugs.filter((slug) => slug.startsWith("page-")),
      ["page-a", "page-b", "page-c"],
    );
  });
});

describe("access to MCP servers", () => {
  it("follows the role: members read, administrators change", async () => {
    const { service, org, member, base } = fixture;
    await fixture.created({ name: "Roles", ...remote });
    const admin = await newMember(service, org, "admin");
    const asked = await service.call<McpServerPayload>("GET", `${base}/roles`, { token: member.token });

    assert.deepEqual(asked.data.can, ["analytics"]);
    assert.equal((await fixture.create({ name: "Mine", ...remote }, member)).code, "forbidden");
    assert.equal((await fixture.change("roles", { name: "Mine" }, member)).code, "forbidden");
    assert.equal((await service.call("DELETE", `${base}/roles`, { token: member.token })).code, "forbidden");
    assert.equal((await fixture.change("roles", { name: "Better" }, admin)).data.name, "Better");
    assert.equal((await service.call("GET", `${base}/roles`)).code, "unauthenticated");
  });

  it("follows the folder: without a grant, a server does not exist", async () => {
    const { service, org, owner, member, base } = fixture;
    const folder = await newFolder(service, org, owner, "vault");
    const server = await fixture.created({ name: "Hidden", ...remote, folderId: folder.id });
    await restrict(service, owner, folder.id, []);
    const reader = await newMember(service, org, "member");

    for (const path of [
      `${base}/hidden`,
      `${base}/${server.id}`,
      `/api/mcp-servers?ref=${server.publicId}`,
    ]) {
      const refused = await service.call("GET", path, { token: member.token });
      assert.equal(refused.code, "not_found", path);
    }
    const listed = await service.call<McpServerPayload[]>("GET", base, { token: member.token });
    assert.ok(!listed.data.some(({ slug }) => slug === "hidden"));
    await restrict(service, owner, folder.id, [{ type: "member", id: reader.id, level: "viewer" }]);
    const granted = await service.call<McpServerPayload>("GET", `${base}/hidden`, { token: reader.token });
    assert.equal(granted.data.restricted, true);
    assert.equal((await fixture.change("hidden", { name: "x" }, reader)).code, "forbidden");
  });

  it("requires the right to lift a restriction for leaving it", async () => {
    const { service, org, owner } = fixture;
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: {
        name: "Curators",
        permissions: { skill: ["read"], mcpServer: ["read", "create", "update", "delete"] },
      },
    });
    const curator = await newMember(service, org, role.data.id);
    const folder = await newFolder(service, org, owner, "inner");
    await fixture.created({ name: "Inner", ...remote, folderId: folder.id });
    await restrict(service, owner, folder.id, [{ type: "member", id: curator.id, level: "editor" }]);

    const edited = await fixture.change("inner", { name: "Edited" }, curator);
    const taken = await fixture.change("inner", { folderId: null }, curator);
    const byOwner = await fixture.change("inner", { folderId: null });

    assert.equal(edited.status, 200);
    assert.equal(taken.code, "forbidden");
    assert.equal(byOwner.data.folderId, null);
  });
});
