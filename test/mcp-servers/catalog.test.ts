import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  McpCatalogEntryPayload,
  McpCatalogUpdatePayload,
  McpServerPayload,
} from "../../contract/payloads/mcp-servers.ts";
import { followCatalog } from "../../src/mcp-servers/catalog/follow.ts";
import { mirrorCatalog } from "../../src/mcp-servers/catalog/mirror.ts";
import { closedAfter } from "../support/set-up.ts";
import { entry, packageOf, remoteOf, startUpstream, type Upstream } from "./catalog-upstream.ts";
import { setUpServers } from "./fixture.ts";

const upstream = await closedAfter(startUpstream());
const fixture = await setUpServers({ mcpCatalog: { url: upstream.url, privateNetwork: true } });

const mirror = () => mirrorCatalog(fixture.service.app);
const search = async (query: string, user = fixture.member) =>
  fixture.service.call<McpCatalogEntryPayload[]>("GET", `${fixture.base}/catalog?${query}`, {
    token: user.token,
  });
const importOne = (body: object, user = fixture.owner) =>
  fixture.service.call<McpServerPayload>("POST", `${fixture.base}/import`, { token: user.token, body });
const read = async (slug: string) =>
  (
    await fixture.service.call<McpServerPayload>("GET", `${fixture.base}/${slug}`, {
      token: fixture.owner.token,
    })
  ).data;
const names = (answer: { data: McpCatalogEntryPayload[] }) => answer.data.map(({ name }) => name);

describe("the catalog of MCP servers", () => {
  it("is read in pages, searched by beginnings of words, and imported", async () => {
    const header = { name: "Authorization", value: "Bearer {token}", isSecret: true, isRequired: true };
    const variables = { token: { description: "From your account", isSecret: true, isRequired: true } };
    upstream.serve(
      [
        entry({ ...remoteOf("https://weather.example.com/mcp", { headers: [{ ...header, variables }] }) }),
        entry({ name: "io.example/files", title: "File tools", description: "Reads", ...packageOf({}) }),
      ],
      [
        entry({ name: "io.example/odd", ...packageOf({ registryType: "mcpb" }) }),
        { server: { name: "no slash" } },
      ],
    );
    await mirror();

    assert.deepEqual(names(await search("")), ["io.example/files", "io.example/odd", "io.example/weather"]);
    assert.deepEqual(names(await search("query=foreca%20WEATH")), ["io.example/weather"]);
    assert.deepEqual(names(await search("query=.*")), names(await search("")));
    const first = await search("limit=1");
    assert.deepEqual(names(await search(`limit=5&cursor=${first.nextCursor}`)), [
      "io.example/odd",
      "io.example/weather",
    ]);
    const odd = (await search("query=odd")).data[0]!;
    assert.match(odd.problem!, /"mcpb" can't be imported/);

    const made = await importOne({ name: "io.example/weather" });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { slug, source, catalogVersion, edited, headers, variables: values } = made.data;
    assert.deepEqual([slug, source, catalogVersion, edited], ["weather", "catalog", "1.0.0", false]);
    assert.deepEqual(headers, [{ name: "Authorization", kind: "fixed", value: "Bearer {token}" }]);
    assert.deepEqual(values, [
      {
        name: "token",
        kind: "member",
        label: "token",
        description: "From your account",
        secret: true,
        required: true,
      },
    ]);
    const local = await importOne({ name: "io.example/files" });
    assert.equal(local.data.command, "npx");
    assert.deepEqual(local.data.args, ["-y", "@example/weather@1.0.0"]);
    assert.equal((await importOne({ name: "io.example/odd" })).code, "refused");
    assert.equal((await importOne({ name: "io.example/none" })).code, "not_found");
    assert.equal((await importOne({ name: "io.example/files", slug: "own" }, fixture.member)).status, 403);
    const [event] = (await fixture.eventsOf("mcp_server.imported")).slice(-1);
    assert.equal(event!.metadata["catalogVersion"], "1.0.0");
  });

  it("has texts of one line in the order in which they are written", async () => {
    const key = { name: "API_KEY", description: "from\u202e your\naccount", isRequired: true };
    const made = packageOf({ identifier: "@example/marked", environmentVariables: [key] });
    upstream.serve([
      entry({ name: "io.example/marked", title: "A\u202eB", description: "a\u2066b", ...made }),
    ]);
    await mirror();

    const [listed] = (await search("query=marked")).data;
    const { data } = await importOne({ name: "io.example/marked" });

    assert.deepEqual([listed?.title, listed?.description], ["A B", "a b"]);
    const [value] = data.env;
    assert.deepEqual([data.name, data.description], ["A B", "a b"]);
    assert.equal(value?.kind === "member" && value.description, "from your account");
    const { raw } = fixture.service.app.storage.database;
    await raw
      .collection("mcp_catalog")
      .updateOne({ name: "io.example/marked" }, { $set: { title: "A\u202eB" } });
    const stale = await importOne({ name: "io.example/marked", slug: "stale" });
    assert.deepEqual([stale.code, /one line/.test(stale.error!)], ["refused", true]);
  });

  it("changes imports that are unedited, of the same host or package", async () => {
    const { service } = fixture;
    const next = (url: string, version: string) =>
      entry({ version, ...remoteOf(url) }, { updatedAt: "2026-02-01T00:00:00Z" });
    upstream.serve([next("https://weather.example.com/v2", "1.1.0")]);
    upstream.requests.length = 0;
    await mirror();
    assert.match(decodeURIComponent(upstream.requests[0]!), /updated_since=2025-12-31T23:50:00/);
    const followed = await read("weather");
    assert.deepEqual(
      [followed.url, followed.revision, followed.catalogVersion, followed.catalogUpdate],
      ["https://weather.example.com/v2", 2, "1.1.0", undefined],
    );
    const [event] = await fixture.eventsOf("mcp_server.catalog_updated");
    assert.deepEqual([event!.metadata["from"], event!.metadata["to"]], ["1.0.0", "1.1.0"]);

    const mirrored = service.app.storage.database.raw.collection("mcp_catalog");
    const row = (await mirrored.findOne({ name: "io.example/weather", latest: true }))!;
    const stale = { version: "1.1.1", "entry.config.url": "https://other.example\\.weather.example.com/mcp" };
    await mirrored.updateOne({ _id: row._id }, { $set: stale });
    await followCatalog(service.app);
    const apply = (body: object, user = fixture.owner) =>
      service.call<McpServerPayload>("POST", `${fixture.base}/weather/apply-catalog`, {
        token: user.token,
        body,
      });
    const compare = async () =>
      (
        await service.call<McpCatalogUpdatePayload>("GET", `${fixture.base}/weather/catalog-update`, {
          token: fixture.member.token,
        })
      ).data;
    assert.equal((await apply({ version: "1.1.1" })).code, "refused");
    assert.equal((await read("weather")).revision, 2, "an entry that was mirrored by other rules");
    await mirrored.replaceOne({ _id: row._id }, row);

    upstream.serve([next("https://other.example.com/mcp", "1.2.0")]);
    await mirror();
    const kept = await read("weather");
    assert.deepEqual([kept.url, kept.revision], ["https://weather.example.com/v2", 2]);
    assert.deepEqual(kept.catalogUpdate, { version: "1.2.0", changed: ["url"] });
    assert.deepEqual(await compare(), {
      version: "1.2.0",
      revision: 2,
      changes: [
        {
          field: "url",
          current: ["https://weather.example.com/v2"],
          latest: ["https://other.example.com/mcp"],
          changedHere: false,
        },
      ],
    });

    const moved = { variables: { host: { value: "moved.example.com" } } };
    const hidden = { version: "1.2.1", ...remoteOf("https://{host}/v2", moved) };
    upstream.serve([entry(hidden, { updatedAt: "2026-02-02T00:00:00Z" })]);
    await mirror();
    assert.equal(
      (await read("weather")).url,
      "https://weather.example.com/v2",
      "a value is part of the host",
    );

    await fixture.change("weather", { description: "Ours" });
    assert.equal((await read("weather")).edited, false, "a description is not part of the configuration");
    await fixture.change("weather", { url: "https://weather.example.com/own" });
    assert.equal((await read("weather")).edited, true);
    upstream.serve([next("https://weather.example.com/v3", "1.3.0")]);
    await mirror();
    assert.equal((await read("weather")).url, "https://weather.example.com/own");
    const { version, revision, changes } = await compare();
    assert.deepEqual(
      changes.map((change) => change.changedHere),
      [true],
    );
    assert.equal((await apply({ version, revision }, fixture.member)).status, 403);
    assert.equal(
      (await apply({ version: "1.2.0", revision })).code,
      "conflict",
      "a version that is not latest",
    );
    assert.equal((await apply({ version, revision: revision - 1 })).code, "conflict", "a colleague's save");
    const applied = await apply({ version, revision });
    assert.deepEqual(
      [applied.data.url, applied.data.edited, applied.data.description],
      ["https://weather.example.com/v3", false, "Ours"],
    );
    assert.equal((await apply({ version })).code, "refused", "it has that version");
    assert.equal(
      (await importOne({ name: "io.example/weather", version: "1.1.0", slug: "old" })).data.edited,
      true,
    );
  });

  it("takes programs from a fixed list, and nothing that gives a package more rights", async () => {
    const cases: [object, RegExp | string[]][] = [
      [{ registryType: "pypi", identifier: "weather" }, ["weather@1.0.0"]],
      [
        {
          registryType: "oci",
          identifier: "ghcr.io/example/weather",
          environmentVariables: [{ name: "KEY" }],
        },
        ["run", "-i", "--rm", "-e", "KEY", "ghcr.io/example/weather:1.0.0"],
      ],
      [
        { packageArguments: [{ type: "named", name: "--root", isRequired: true, format: "filepath" }] },
        ["-y", "@example/weather@1.0.0", "--root", "{root}"],
      ],
      [{ identifier: "--registry=http://evil" }, /name or version/],
      [{ identifier: "github:evil/pack" }, /name or version/],
      [{ version: "npm:evil" }, /name or version/],
      [{ registryBaseUrl: "https://npm.evil.example" }, /another registry/],
      [
        { runtimeHint: "sh", runtimeArguments: [{ type: "named", name: "-v", value: "/:/host" }] },
        /arguments of npx/,
      ],
      [
        { environmentVariables: [{ name: "API_KEY", value: "ghp_0123456789abcdefghijABCDEFGHIJ012345" }] },
        /secret|token/i,
      ],
      [{ packageArguments: [{ type: "positional", value: "${HOME}" }] }, /Tools replace/],
      [{ environmentVariables: [{ name: "A".repeat(150) }] }, /too long/],
    ];
    upstream.serve(cases.map(([fields], at) => entry({ name: `io.cases/c${at}`, ...packageOf(fields) })));
    await mirror();
    for (const [at, [, expected]] of cases.entries()) {
      const found = await fixture.service.app.storage.mcpCatalog.findLatest(`io.cases/c${at}`);
      assert.ok(found, `case ${at}`);
      if (expected instanceof RegExp)
        assert.match("problem" in found.entry ? found.entry.problem : "", expected);
      else assert.deepEqual("config" in found.entry && found.entry.config.args, expected);
    }
  });

  it("continues an interrupted pass, and survives hostile answers", async () => {
    const { mcpCatalog } = fixture.service.app.storage;
    const { since } = (await mcpCatalog.findState())!;
    const late = (name: string) => entry({ name, ...remoteOf("https://late.example.com/mcp") });
    upstream.serve([late("io.late/one")], [late("io.late/two")]);
    const { answer } = upstream;
    upstream.answer = (request, response) =>
      request.url!.includes("cursor=1") ? response.writeHead(503).end() : answer(request, response);
    await assert.rejects(mirror(), { name: "RepoError" });
    assert.equal((await mcpCatalog.findState())!.pass?.cursor, "1");
    upstream.answer = answer;
    upstream.requests.length = 0;
    await mirror();
    assert.equal(upstream.requests.length, 1, "the first page is not read again");
    assert.ok(await mcpCatalog.findLatest("io.late/two"));

    const looping = JSON.stringify({ servers: [], metadata: { nextCursor: "again" } });
    const hostile: [string, Upstream["answer"]][] = [
      ["HTML", (_, response) => response.setHeader("content-type", "text/html").end("<h1>Not JSON</h1>")],
      ["another form", (_, response) => response.end('{"servers":{"length":1}}')],
      ["a loop of cursors", (_, response) => response.end(looping)],
      ["a redirect", (_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end()],
      ["a huge answer", (_, response) => response.end(`{"servers":["${"x".repeat(9 * 1024 * 1024)}"]}`)],
    ];
    for (const [name, answers] of hostile) {
      upstream.answer = answers;
      await assert.rejects(mirror(), { name: "RepoError" }, name);
      assert.deepEqual((await mcpCatalog.findState())!.since, since, name);
    }
    upstream.serve([entry({ name: "io.late/one" }, { status: "deleted" })]);
    await mirror();
    assert.equal(await mcpCatalog.findLatest("io.late/one"), null);
    assert.ok(await mcpCatalog.findLatest("io.late/two"));
  });

  it("connects to no private address, and is empty without a registry", async () => {
    const { config } = fixture.service.app;
    const { mcpCatalog } = config;
    config.mcpCatalog = { url: upstream.url.replace("http:", "https:"), privateNetwork: false };
    upstream.requests.length = 0;
    await assert.rejects(mirror(), { code: "remote_forbidden" });
    config.mcpCatalog = { url: undefined, privateNetwork: true };
    await mirror();
    assert.deepEqual(upstream.requests, []);
    assert.deepEqual((await search("")).data, []);
    assert.equal((await importOne({ name: "io.example/files", slug: "x" })).code, "not_found");
    config.mcpCatalog = mcpCatalog;
  });
});
