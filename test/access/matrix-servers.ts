/** The part of the matrix about registered MCP servers, hosted connectors to them, and skills that require them. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { McpServerPayload } from "../../contract/payloads/mcp-servers.ts";
import type { SkillDetailPayload } from "../../contract/payloads/skills/skills.ts";
import type { Permission } from "../../contract/vocabulary.ts";
import {
  decideMcpServer,
  decideTenant,
  isNarrowed,
  limitsOf,
  type Verdict,
} from "../../src/access/decide.ts";
import {
  callAs,
  callers,
  contextFor,
  folders,
  org,
  owner,
  service,
  skills,
  statusOf,
  type Caller,
  type Place,
} from "./matrix-world.ts";

const remote = { transport: "http", url: "https://mcp.example.com/mcp" };

interface Server {
  place: Place;
  payload: McpServerPayload;
}
const servers: Server[] = [];
/** Folders of the servers: without a restriction, under one of a parent, and with an own one. */
const serverPlaces = ["root", "sub", "inner"] as const;
const base = () => `/api/tenants/${org.id}/mcp-servers`;

async function makeServers(): Promise<void> {
  for (const place of serverPlaces) {
    const folderId = place === "root" ? null : folders.get(place)!.id;
    const made = await service.call<McpServerPayload>("POST", base(), {
      token: owner.token,
      body: { name: `Server ${place}`, ...remote, folderId },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    servers.push({ place, payload: made.data });
  }
}

const decide = (caller: Caller, permission: Permission, { place }: Server): Verdict =>
  decideMcpServer(caller.actor, permission, { tenantId: org.id, context: contextFor(caller, place) });
const isPerson = ({ actor }: Caller) => actor.kind === "user";
const install = { platform: "claude", scope: "global", machine: "matrix" };

/** Signatures are accepted by other routes only. */
const tokens = () => callers.filter(({ identity }) => identity === undefined);

/** Acts that change nothing where they are allowed. */
const acts: {
  permission: Permission;
  name: string;
  call: (server: Server) => [method: string, path: string, body?: unknown];
  allowed?: number;
}[] = [
  { permission: "mcpServer:read", name: "read", call: ({ payload }) => ["GET", `${base()}/${payload.slug}`] },
  {
    permission: "mcpServer:read",
    name: "find by path",
    call: ({ payload }) => ["GET", `/api/mcp-servers?ref=${org.slug}/${payload.slug}`],
  },
  {
    permission: "mcpServer:read",
    name: "find by id",
    call: ({ payload }) => ["GET", `/api/mcp-servers?ref=${payload.publicId}`],
  },
  {
    permission: "mcpServer:update",
    name: "change",
    call: ({ payload }) => ["PATCH", `${base()}/${payload.id}`, { name: payload.name }],
  },
  {
    permission: "mcpServer:update",
    name: "apply the catalog",
    call: ({ payload }) => ["POST", `${base()}/${payload.id}/apply-catalog`, { version: "1.0.0" }],
    // It was not imported.
    allowed: 422,
  },
  {
    permission: "mcpServer:read",
    name: "compare with the catalog",
    call: ({ payload }) => ["GET", `${base()}/${payload.id}/catalog-update`],
    allowed: 422,
  },
  {
    permission: "mcpServer:delete",
    name: "plan the deletion",
    call: ({ payload }) => ["GET", `${base()}/${payload.id}/deletion`],
  },
  {
    permission: "analytics:read",
    name: "installs",
    call: ({ payload }) => ["GET", `${base()}/${payload.slug}/installs`],
  },
  {
    permission: "analytics:read",
    name: "analytics",
    call: ({ payload }) => ["GET", `${base()}/${payload.slug}/analytics`],
  },
  {
    permission: "mcpServer:read",
    name: "report an install",
    call: ({ payload }) => ["PUT", `${base()}/${payload.slug}/installs`, { ...install, revision: 1 }],
  },
  {
    permission: "mcpServer:read",
    name: "withdraw an install",
    call: ({ payload }) => [
      "DELETE",
      `${base()}/${payload.slug}/installs?${new URLSearchParams(install).toString()}`,
    ],
  },
];

/** Registers the tests, in the world of the matrix. */
export function describeServers(): void {
  describe("what each caller may do with each MCP server, over REST", () => {
    before(makeServers);

    for (const { permission, name, call, allowed = 200 } of acts) {
      it(`${name} as decided by ${permission}`, async () => {
        for (const caller of tokens())
          await Promise.all(
            servers.map(async (server) => {
              const [method, target, body] = call(server);
              const answer = await callAs(caller, method, target, body);
              const verdict = decide(caller, permission, server);
              const expected = verdict === "allowed" ? allowed : statusOf[verdict];
              assert.equal(answer.status, expected, `${caller.name}: ${name} of ${server.payload.name}`);
            }),
          );
      });
    }

    it("lists all that the caller may read, and no others", async () => {
      for (const caller of tokens())
        for (const target of [base(), "/api/mcp-servers?limit=200"]) {
          const answer = await service.call<McpServerPayload[]>("GET", target, { token: caller.token });
          const readable = servers
            .filter((server) => decide(caller, "mcpServer:read", server) === "allowed")
            .map(({ payload }) => payload.slug);
          const listed = answer.status === 200 ? answer.data : [];
          assert.deepEqual(
            listed.map(({ slug }) => slug).filter((slug) => slug.startsWith("server-")),
            readable.toSorted(),
            `${caller.name}: ${target}: ${answer.status}`,
          );
        }
    });

    it("registers, imports and deletes only as decided, in each folder", async () => {
      for (const caller of tokens()) {
        for (const server of servers) {
          const { place, payload } = server;
          const verdict = decide(caller, "mcpServer:delete", server);
          const isCreator = decide(caller, "mcpServer:create", server) === "allowed";
          const folderId = place === "root" ? null : folders.get(place)!.id;
          const slug = `made-${callers.indexOf(caller)}-${place}`;
          const made = await callAs(caller, "POST", base(), { name: "Made", slug, ...remote, folderId });
          const told = `${caller.name}: ${place}: ${made.status}`;
          if (isCreator) assert.equal(made.status, 201, told);
          else assert.ok([401, 403, 404].includes(made.status), told);
          const target = `${base()}/${verdict === "allowed" && isCreator ? slug : payload.slug}`;
          if (verdict === "allowed" && !isCreator) continue;
          const removed = await callAs(caller, "DELETE", target);
          assert.equal(removed.status, statusOf[verdict], `${caller.name}: delete in ${place}`);
        }
        const imported = await callAs(caller, "POST", `${base()}/import`, { name: "io.example/none" });
        assert.notEqual(imported.status, 201);
      }
    });

    it("connects to remote servers that the caller may read, as a person without a narrowed token", async () => {
      for (const caller of tokens())
        for (const server of servers) {
          const answer = await callAs(caller, "POST", "/api/user/connectors", { server: server.payload.id });
          const verdict = decide(caller, "mcpServer:read", server);
          const isFit = isPerson(caller) && !isNarrowed(limitsOf(caller.actor));
          const expected = isFit ? (verdict === "allowed" ? 201 : statusOf[verdict]) : 403;
          const told = `${caller.name}: connector to ${server.payload.name}`;
          assert.equal(answer.status, caller.actor.kind === "anonymous" ? 401 : expected, told);
        }
    });

    it("reads the organization's switches as a member, and changes them as decided by organization:update", async () => {
      for (const [path, enabled] of [
        ["mcp-central", true],
        ["mcp-registry", false],
      ] as const)
        for (const caller of tokens()) {
          const target = `/api/tenants/${org.id}/${path}`;
          const read = await callAs(caller, "GET", target);
          const written = await callAs(caller, "PUT", target, { enabled });
          const told = `${caller.name}: ${path}`;
          assert.equal(read.status, statusOf[decideTenant(caller.actor, "member", org.id)], told);
          const verdict = decideTenant(caller.actor, "organization:update", org.id);
          assert.equal(written.status, statusOf[verdict], told);
        }
    });
  });

  describe("which servers of a skill each caller is shown", () => {
    it("are those that they may read, over REST and MCP", async () => {
      const skill = skills.find(
        ({ place, payload }) => place === "root" && payload.visibility === "private",
      )!;
      const set = await service.call("PUT", `/api/skills/${skill.payload.id}`, {
        token: owner.token,
        body: {
          requiredMcpServers: servers.map(({ payload }) => ({ tenantSlug: org.slug, slug: payload.slug })),
        },
      });
      assert.equal(set.status, 200, JSON.stringify(set.body));
      for (const caller of tokens()) {
        const target = `/api/skills/${skill.payload.id}`;
        const answer = await service.call<SkillDetailPayload>("GET", target, { token: caller.token });
        if (answer.status !== 200) continue;
        const readable = servers
          .filter((server) => decide(caller, "mcpServer:read", server) === "allowed")
          .map(({ payload }) => payload.slug)
          .toSorted();
        const { requiredMcpServers = [] } = answer.data;
        assert.deepEqual(
          requiredMcpServers.map(({ slug }) => slug),
          readable,
          `${caller.name}: REST`,
        );
        assert.deepEqual(await requiredByTool(caller, skill.payload.slug), readable, `${caller.name}: MCP`);
      }
    });

    it("are the unrestricted ones in the public registry, for every caller", async () => {
      const target = `/api/tenants/${org.id}/mcp-registry`;
      await service.call("PUT", target, { token: owner.token, body: { enabled: true } });
      for (const caller of tokens()) {
        const answer = await service.raw("GET", `/${org.slug}/mcp/v0.1/servers?search=server-`, {
          token: caller.token,
        });
        const { servers: listed } = (await answer.json()) as { servers: { server: { title: string } }[] };
        assert.deepEqual(
          listed.map(({ server }) => server.title),
          ["Server root"],
          caller.name,
        );
      }
    });
  });
}

async function requiredByTool({ token }: Caller, slug: string): Promise<string[]> {
  const answer = await service.raw("POST", "/mcp", {
    token,
    headers: { accept: "application/json, text/event-stream" },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_skill", arguments: { skill: `${org.slug}/${slug}` } },
    },
  });
  const { result } = (await answer.json()) as {
    result: { structuredContent: { skill: { requiredMcpServers?: { slug: string }[] } } };
  };
  return (result.structuredContent.skill.requiredMcpServers ?? []).map((one) => one.slug);
}
