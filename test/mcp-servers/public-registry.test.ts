import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { McpRegistryPayload, McpServerPayload } from "../../contract/payloads/mcp-servers.ts";
import { mirrorCatalog } from "../../src/mcp-servers/catalog/mirror.ts";
import { registryName } from "../../src/mcp-servers/public-registry/server-json.ts";
import { pruneOrganizations } from "../../workers/orgs/reconcile-organizations.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import { remote, setUpServers } from "./fixture.ts";

const officialKey = "io.modelcontextprotocol.registry/official";
const secret = { kind: "member", secret: true, required: true } as const;
interface Entry {
  server: { name: string; title: string; description: string; version: string; packages?: object[] };
  _meta: Record<string, { updatedAt: string }>;
}
interface List {
  servers: Entry[];
  metadata: { count: number; nextCursor?: string };
}

const fixture = await setUpServers();

const listPath = (org = fixture.org.slug) => `/${org}/mcp/v0.1/servers`;
async function get<T>(path: string, headers: Record<string, string> = {}) {
  const answer = await fixture.service.raw("GET", path, { headers });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text || "null") as T };
}
const list = async (query = "") => (await get<List>(`${listPath()}?${query}`)).body;
const titles = ({ servers }: List) => servers.map(({ server }) => server.title);
const change = (enabled: boolean, user = fixture.owner) =>
  fixture.service.call<McpRegistryPayload>("PUT", `/api/tenants/${fixture.org.slug}/mcp-registry`, {
    token: user.token,
    body: { enabled },
  });
const nameOf = (slug: string) => `127-0-0-1.${fixture.org.slug}/${slug}`;
const itemPath = (slug: string, rest = "") =>
  `${listPath()}/${encodeURIComponent(nameOf(slug))}/versions${rest}`;

describe("the interface of the public MCP registry", () => {
  it("does not exist until the organization offers it, which takes two permissions", async () => {
    const { service, org, owner, member } = fixture;
    await fixture.created({ name: "Search", description: "Finds\n things", ...remote });
    const closed = await get<{ error: string }>(listPath());
    const nowhere = await get<{ error: string }>(listPath("no-such-organization"));
    assert.equal(closed.status, 404);
    assert.equal(closed.body.error, nowhere.body.error);
    assert.equal((await get(itemPath("search"))).status, 404);

    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: { name: "Decorators", permissions: { organization: ["update"], mcpServer: ["read"] } },
    });
    const decorator = await newMember(service, org, role.data.id);
    for (const user of [member, decorator]) assert.equal((await change(true, user)).code, "forbidden");
    assert.equal((await get(listPath())).status, 404);

    const opened = await change(true);
    assert.equal(opened.status, 200);
    assert.deepEqual(opened.data, {
      enabled: true,
      url: `${service.url}/${org.slug}/mcp`,
      listed: ["search"],
      omitted: [],
    });
    await change(true);
    const events = await fixture.eventsOf("organization.updated");
    assert.deepEqual(
      events.map(({ metadata }) => metadata),
      [{ mcpRegistry: true }],
    );
    assert.deepEqual(titles(await list()), ["Search"]);
  });

  it("has the form of the registry, without people, folders and restricted servers", async () => {
    const { service, org, owner, member } = fixture;
    const folder = await newFolder(service, org, owner, "hidden-place");
    await fixture.created({ name: "Vault", ...remote, folderId: folder.id });
    await restrict(service, owner, folder.id, []);
    await fixture.created({
      name: "Tickets",
      transport: "sse",
      url: "https://{region}.example.com/sse",
      headers: [
        { name: "Authorization", kind: "fixed", value: "Bearer {token}" },
        { name: "X-Team", kind: "fixed", value: "core" },
        { name: "X-Key", label: "Key", description: "From your account", ...secret },
      ],
      variables: [
        { name: "region", kind: "member", label: "Region", secret: false, required: true },
        { name: "token", label: "token", ...secret },
      ],
    });
    await fixture.created({
      name: "Files",
      transport: "stdio",
      command: "npx",
      args: ["-y", "@example/files@1.2.3", "--dir={dir}"],
      env: [
        { name: "API_KEY", label: "API key", ...secret },
        { name: "LEVEL", kind: "fixed", value: "info" },
      ],
      variables: [
        { name: "dir", kind: "member", label: "Folder", secret: false, required: true, format: "filepath" },
      ],
    });
    await fixture.created({ name: "Script", transport: "stdio", command: "/opt/acme/serve" });

    const { body, text } = await get<List>(listPath());
    const read = await get<Entry>(itemPath("files", "/latest"));
    const state = await service.call<McpRegistryPayload>("GET", `/api/tenants/${org.slug}/mcp-registry`, {
      token: member.token,
    });

    assert.deepEqual(titles(body), ["Files", "Search", "Tickets"]);
    const [files, search, tickets] = body.servers;
    const { updatedAt } = files!._meta[officialKey]!;
    assert.deepEqual(files, {
      server: {
        $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        name: nameOf("files"),
        title: "Files",
        description: "Files",
        version: "1.0.0",
        packages: [
          {
            registryType: "npm",
            identifier: "@example/files",
            version: "1.2.3",
            runtimeHint: "npx",
            transport: { type: "stdio" },
            runtimeArguments: [{ type: "positional", value: "-y" }],
            packageArguments: [
              {
                type: "positional",
                value: "--dir={dir}",
                variables: {
                  dir: { description: "Folder", isRequired: true, isSecret: false, format: "filepath" },
                },
              },
            ],
            environmentVariables: [
              { name: "API_KEY", description: "API key", isRequired: true, isSecret: true },
              { name: "LEVEL", value: "info" },
            ],
          },
        ],
      },
      _meta: {
        [officialKey]: {
          status: "active",
          statusChangedAt: updatedAt,
          publishedAt: updatedAt,
          updatedAt,
          isLatest: true,
        },
      },
    });
    assert.deepEqual(read.body, files);
    assert.equal(search!.server.description, "Finds things");
    assert.deepEqual((tickets!.server as { remotes?: object[] }).remotes, [
      {
        type: "sse",
        url: "https://{region}.example.com/sse",
        variables: { region: { description: "Region", isRequired: true, isSecret: false } },
        headers: [
          {
            name: "Authorization",
            value: "Bearer {token}",
            variables: { token: { description: "token", isRequired: true, isSecret: true } },
          },
          { name: "X-Team", value: "core" },
          { name: "X-Key", description: "Key: From your account", isRequired: true, isSecret: true },
        ],
      },
    ]);
    for (const private_ of [
      "vault",
      "hidden-place",
      folder.id,
      org.id,
      owner.id,
      owner.username,
      "/opt/acme",
    ])
      assert.ok(!text.toLowerCase().includes(private_.toLowerCase()), private_);
    for (const slug of ["vault", "script"]) assert.equal((await get(itemPath(slug))).status, 404, slug);
    assert.deepEqual(state.data.listed, ["files", "search", "tickets"]);
    // A member without a grant does not see the restricted server here either.
    assert.deepEqual(
      state.data.omitted?.map(({ slug }) => slug),
      ["script"],
    );
    assert.match(state.data.omitted?.[0]?.reason ?? "", /only npx, uvx and docker/);
  });

  it("has names of the form's grammar for every host", () => {
    for (const [url, name] of [
      ["https://Skills.example.com", "com.example.skills.acme/x"],
      ["http://svc_app:8080", "svc-app.acme/x"],
      ["http://[::1]:3000", "-1-.acme/x"],
    ] as const) {
      assert.equal(registryName(url, "acme", "x"), name);
      assert.match(name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    }
  });

  it("pages, searches and filters, and has the latest revision of each server", async () => {
    const first = await list("limit=2");
    const second = await list(`limit=2&cursor=${first.metadata.nextCursor}`);
    assert.deepEqual([titles(first), titles(second)], [["Files", "Search"], ["Tickets"]]);
    assert.deepEqual([first.metadata.count, second.metadata], [2, { count: 1 }]);
    assert.equal((await get(`${listPath()}?cursor=x`)).status, 400);

    const since = new Date();
    await fixture.change("search", { description: `${"x".repeat(98)}\u{1F600} end` });
    for (const [query, expected] of [
      ["search=TICK", ["Tickets"]],
      ["search=.*", []],
      [`search=${nameOf("fil")}`, ["Files"]],
      [`search=${fixture.org.slug}`, ["Files", "Search", "Tickets"]],
      [`updated_since=${since.toISOString()}`, ["Search"]],
      ["version=latest", ["Files", "Search", "Tickets"]],
      ["version=2.0.0", ["Search"]],
      ["version=9.9.9", []],
    ] as const)
      assert.deepEqual(titles(await list(query)), expected, query);
    const versions = (await get<List>(itemPath("search"))).body;
    assert.deepEqual(
      versions.servers.map(({ server }) => [server.version, server.description]),
      [["2.0.0", `${"x".repeat(98)}…`]],
    );
    assert.equal((await get<Entry>(itemPath("search", "/2.0.0"))).body.server.version, "2.0.0");
    assert.equal((await get(itemPath("search", "/1.0.0"))).status, 404);
    assert.equal((await get(`${listPath()}/other.org%2Fsearch/versions/latest`)).status, 404);
  });

  it("can be cached, is read by pages of any origin, and ignores credentials", async () => {
    const { service, owner } = fixture;
    const answer = await get(listPath());
    const etag = answer.headers.get("etag")!;
    const same = await get(listPath(), { "if-none-match": etag });
    const foreign = await get(listPath(), { authorization: "Bearer of-another-service" });
    const missing = await get(itemPath("none"), { origin: "https://example.com" });
    const asOwner = await get(listPath(), { authorization: `Bearer ${owner.token}` });
    const asked = await service.raw("OPTIONS", itemPath("search", "/latest"), {
      headers: { origin: "https://example.com", "access-control-request-method": "GET" },
    });

    assert.deepEqual([same.status, same.text], [304, ""]);
    assert.equal(answer.headers.get("cache-control"), "public, no-cache");
    assert.equal(foreign.status, 200);
    assert.equal(asOwner.text, answer.text);
    assert.equal(missing.status, 404);
    for (const { headers } of [answer, missing, asked])
      assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(asked.status, 204);
    await fixture.change("search", { description: "Changed" });
    assert.equal((await get(listPath(), { "if-none-match": etag })).status, 200);
  });

  it("can be the catalog of another service, with the same configurations", async () => {
    const { service, owner, org } = fixture;
    const own = await service.call<McpServerPayload>("GET", `${fixture.base}/files`, { token: owner.token });
    service.app.config.mcpCatalog = { url: `${service.url}/${org.slug}/mcp`, privateNetwork: true };
    await mirrorCatalog(service.app);
    const imported = await service.call<McpServerPayload>("POST", `${fixture.base}/import`, {
      token: owner.token,
      body: { name: nameOf("files"), slug: "files-again" },
    });

    assert.equal(imported.status, 201, JSON.stringify(imported.body));
    const { transport, command, args } = imported.data;
    assert.deepEqual([transport, command, args], [own.data.transport, own.data.command, own.data.args]);
    assert.deepEqual(
      imported.data.env.map((value) => [value.name, value.kind]),
      own.data.env.map((value) => [value.name, value.kind]),
    );
    assert.equal(imported.data.variables[0]!.format, "filepath");
    assert.equal(imported.data.catalogVersion, "1.0.0");
  });

  it("lists deleted servers to those who read changes, if anyone could read them", async () => {
    const { service, owner, org } = fixture;
    const since = new Date().toISOString();
    const folder = await newFolder(service, org, owner, "closed");
    for (const name of ["Gone", "Gone again"]) await fixture.created({ name, ...remote });
    await fixture.created({ name: "Gone in secret", ...remote, folderId: folder.id });
    await fixture.created({ name: "Gone script", transport: "stdio", command: "/opt/acme/gone" });
    await restrict(service, owner, folder.id, []);
    await fixture.change("gone", { description: "Second" });
    await mirrorCatalog(service.app);
    const catalog = async () =>
      (await service.call<object[]>("GET", `${fixture.base}/catalog?query=gone`, { token: owner.token }))
        .data;
    const offered = (await catalog()).length;
    for (const slug of ["gone", "gone-again", "gone-in-secret", "gone-script"]) {
      const done = await service.call("DELETE", `${fixture.base}/${slug}`, { token: owner.token });
      assert.equal(done.status, 200, slug);
    }
    await fixture.created({ name: "Gone again", ...remote });
    const found = async (query: string) =>
      (await list(`search=gone&limit=50&${query}`)).servers.map((entry) => [
        entry.server.name,
        entry.server.version,
        (entry._meta[officialKey] as { status?: string }).status,
      ]);
    const [tombstone, present] = [
      [nameOf("gone"), "2.0.0", "deleted"],
      [nameOf("gone-again"), "1.0.0", "active"],
    ];

    assert.deepEqual(await found(""), [present]);
    assert.deepEqual(await found("include_deleted=true"), [tombstone, present]);
    assert.deepEqual(await found(`updated_since=${since}`), [tombstone, present]);
    assert.deepEqual(await found(`updated_since=${since}&include_deleted=false`), [present]);
    assert.ok(!(await get(`${listPath()}?include_deleted=true`)).text.includes("Second"));
    assert.equal((await get(itemPath("gone"))).status, 404);
    await mirrorCatalog(service.app);
    assert.deepEqual([offered, (await catalog()).length], [2, 1]);
    await pruneOrganizations(service.app);
    assert.equal((await found("include_deleted=true")).length, 2);
    const { now } = service.app;
    service.app.now = () => new Date(now().getTime() + 31 * 86_400_000);
    await service.settled();
    await pruneOrganizations(service.app);
    service.app.now = now;
    assert.deepEqual(await found("include_deleted=true"), [present]);
  });

  it("names packages of npm, PyPI and OCI registries, and leaves out what has no form", async () => {
    const { service, org, owner } = fixture;
    const env = [{ name: "TOKEN", label: "Token", ...secret }];
    const lines: [string, string[], (string | undefined)[] | RegExp][] = [
      ["npx", ["plain-package"], ["npm", "plain-package", undefined]],
      ["npx", ["--yes", "some-package@latest"], ["npm", "some-package", undefined]],
      ["npx", ["some-package@^1.2.0"], /not an exact version/],
      ["npx", ["-p", "some-package", "serve"], /options of npx/],
      ["npx", ["./serve.js"], /not a package/],
      ["uvx", ["some_server==1.0.0", "serve"], ["pypi", "some_server", "1.0.0"]],
      ["uvx", ["--from", "some-server", "serve"], /options of uvx/],
      [
        "docker",
        ["run", "-i", "--rm", "-e", "TOKEN", "ghcr.io/acme/x:1.0"],
        ["oci", "ghcr.io/acme/x:1.0", undefined],
      ],
      ["docker", ["run", "-v", "/:/host", "acme/x"], /options of docker/],
      ["docker", ["exec", "acme"], /options of docker/],
    ];
    for (const [at, [command, args]] of lines.entries())
      await fixture.created({ name: `Line ${at}`, transport: "stdio", command, args, env });
    const state = await service.call<McpRegistryPayload>("GET", `/api/tenants/${org.slug}/mcp-registry`, {
      token: owner.token,
    });
    const { servers } = await list("search=line-&limit=50");
    for (const [at, [command, args, expected]] of lines.entries()) {
      const entry = servers.find(({ server }) => server.title === `Line ${at}`);
      const [pack] = (entry?.server.packages ?? []) as Record<string, string>[];
      const told = `${command} ${args.join(" ")}`;
      if (expected instanceof RegExp) {
        assert.equal(entry, undefined, told);
        assert.match(state.data.omitted!.find(({ slug }) => slug === `line-${at}`)!.reason, expected, told);
      } else assert.deepEqual([pack!["registryType"], pack!["identifier"], pack!["version"]], expected, told);
    }
  });

  it("ends with the switch, and while the organization is to be erased", async () => {
    const { service, owner, org } = fixture;
    const renamed = `${org.slug}-new`;
    const patch = await service.call("PATCH", `/api/tenants/${org.slug}`, {
      token: owner.token,
      body: { slug: renamed },
    });
    assert.equal(patch.status, 200, JSON.stringify(patch.body));
    const previous = await get<Entry>(itemPath("search", "/latest"));
    assert.equal(previous.body.server.name, `127-0-0-1.${renamed}/search`);

    assert.equal((await change(false)).data.enabled, false);
    assert.equal((await get(listPath())).status, 404);
    await change(true);
    assert.equal((await get(listPath())).status, 200);
    const { storage } = service.app;
    await storage.database.raw
      .collection("tenants")
      .updateOne({ slug: renamed }, { $set: { deletionAt: new Date(Date.now() + 1e9) } });
    assert.equal((await get(listPath())).status, 404);
  });
});
