import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse as parseToml } from "smol-toml";
import { inputId } from "../../contract/mcp-entries/copilot.ts";
import { mcpToolOf, mcpTools, previewEntry } from "../../contract/mcp-entries/index.ts";
import { type McpServer, memberValues, parseSuppliedValue } from "../../contract/mcp-entries/server.ts";
import type { McpTarget } from "../../contract/vocabulary.ts";

const member = (name: string, more: { secret?: boolean; required?: boolean } = {}) => ({
  name,
  kind: "member" as const,
  label: `The ${name}`,
  secret: true,
  required: true,
  ...more,
});

const files: McpServer = {
  slug: "files",
  tenantSlug: "acme",
  transport: "stdio",
  command: "npx",
  args: ["-y", "@example/files", "--root={ROOT}", "{literal}"],
  env: [member("API_KEY"), { name: "REGION", kind: "fixed", value: "{eu}" }],
  headers: [],
  variables: [member("ROOT", { secret: false })],
};

const search: McpServer = {
  slug: "search",
  tenantSlug: "acme",
  transport: "http",
  args: [],
  url: "https://{TENANT}.example.com/mcp",
  env: [],
  headers: [
    { name: "Authorization", kind: "fixed", value: "Bearer {TOKEN}" },
    { name: "X-Region", kind: "fixed", value: "eu" },
    member("X-Extra", { required: false }),
  ],
  variables: [member("TENANT", { secret: false }), member("TOKEN")],
};

function valuesOf(texts: Record<string, string>) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parseSuppliedValue(text)]));
}

/** The content of the tool's file, as its parser reads it; or the reason why there is none. */
function contentOf(name: McpTarget, server: McpServer, texts: Record<string, string>): unknown {
  const tool = mcpToolOf(name);
  const preview = previewEntry(tool, server, valuesOf(texts));
  if ("refused" in preview) return preview.refused;
  const content = tool.syntax === "toml" ? parseToml(preview.text) : JSON.parse(preview.text);
  // Without the prototypes of the parsers.
  return structuredClone(content);
}

describe("the entry of a local server", () => {
  const texts = { API_KEY: 'k"\\1', ROOT: "/data" };
  const args = ["-y", "@example/files", "--root=/data", "{literal}"];
  const env = { API_KEY: 'k"\\1', REGION: "{eu}" };
  const typed = { type: "stdio", command: "npx", args, env };
  const plain = { command: "npx", args, env };
  const input = (name: string, password: boolean) => ({
    type: "promptString",
    id: `svc-acme--files--${name.toLowerCase()}`,
    description: `The ${name} for acme/files`,
    password,
  });
  const expected: Record<McpTarget, unknown> = {
    claude: { mcpServers: { files: typed } },
    cursor: { mcpServers: { files: typed } },
    windsurf: { mcpServers: { files: plain } },
    copilot: {
      inputs: [input("API_KEY", true), input("ROOT", false)],
      servers: {
        files: {
          ...typed,
          args: ["-y", "@example/files", "--root=${input:svc-acme--files--root}", "{literal}"],
          env: { ...env, API_KEY: "${input:svc-acme--files--api_key}" },
        },
      },
    },
    cline: { mcpServers: { files: plain } },
    codex: { mcp_servers: { files: plain } },
    opencode: {
      mcp: { files: { type: "local", command: ["npx", ...args], environment: env, enabled: true } },
    },
  };
  for (const { name } of mcpTools)
    it(`has the form of ${name}`, () => assert.deepEqual(contentOf(name, files, texts), expected[name]));
});

describe("the entry of a remote server", () => {
  const texts = { TENANT: "t1", TOKEN: "s3" };
  const url = "https://t1.example.com/mcp";
  const headers = { Authorization: "Bearer s3", "X-Region": "eu" };
  const expected: Record<Exclude<McpTarget, "copilot">, Record<"http" | "sse", unknown>> = {
    claude: { http: { type: "http", url, headers }, sse: { type: "sse", url, headers } },
    cursor: { http: { url, headers }, sse: { url, headers } },
    windsurf: { http: { serverUrl: url, headers }, sse: { serverUrl: url, headers } },
    cline: { http: { type: "streamableHttp", url, headers }, sse: { type: "sse", url, headers } },
    codex: {
      http: { url, http_headers: headers },
      sse: "codex supports stdio and streamable http servers, not sse",
    },
    opencode: {
      http: { type: "remote", url, headers, enabled: true },
      sse: { type: "remote", url, headers, enabled: true },
    },
  };
  for (const [name, entries] of Object.entries(expected) as [McpTarget, Record<"http" | "sse", unknown>][])
    for (const transport of ["http", "sse"] as const)
      it(`has the form of ${name} for ${transport}`, () => {
        const content = contentOf(name, { ...search, transport }, texts);
        const wanted = entries[transport];
        const at = mcpToolOf(name).container[0]!;
        assert.deepEqual(content, typeof wanted === "string" ? wanted : { [at]: { search: wanted } });
      });

  it("has no value of a member in the shared file of copilot", () => {
    const text = JSON.stringify(contentOf("copilot", search, { ...texts, "X-Extra": "x7" }));

    assert.doesNotMatch(text, /s3|t1\.|x7/);
    assert.match(text, /Bearer \$\{input:svc-acme--search--token\}/);
    assert.match(text, /"X-Extra":"\$\{input:svc-acme--search--x-extra\}"/);
    assert.match(text, /https:\/\/\$\{input:svc-acme--search--tenant\}\.example/);
  });

  it("has inputs of its own in the file of copilot, whatever other servers are called", () => {
    const idsOf = (tenantSlug: string, slug: string, name: string) =>
      inputId({ ...search, tenantSlug, slug }, name);

    assert.notEqual(idsOf("acme", "tools-search", "TOKEN"), idsOf("acme-tools", "search", "TOKEN"));
    assert.notEqual(idsOf("acme", "search-prod", "TOKEN"), idsOf("acme", "search", "Prod-Token"));
  });
});

describe("a value that is a variable of the environment", () => {
  const remote = { TENANT: "t1", TOKEN: "${env:MY_TOKEN}" };
  const bearer = (content: unknown) => /Bearer [^"]*/.exec(JSON.stringify(content))?.[0];

  it("is written as each tool refers to it", () => {
    assert.equal(bearer(contentOf("claude", search, remote)), "Bearer ${MY_TOKEN}");
    for (const name of ["cursor", "windsurf", "copilot", "cline"] as const)
      assert.equal(bearer(contentOf(name, search, remote)), "Bearer ${env:MY_TOKEN}");
    assert.equal(bearer(contentOf("opencode", search, remote)), "Bearer {env:MY_TOKEN}");
    assert.deepEqual(contentOf("codex", search, remote), {
      mcp_servers: {
        search: {
          url: "https://t1.example.com/mcp",
          bearer_token_env_var: "MY_TOKEN",
          http_headers: { "X-Region": "eu" },
        },
      },
    });
  });

  it("is refused for codex where it has no field for it", () => {
    const reason = "codex can't read that value from a variable of the environment: give the value itself";

    assert.equal(contentOf("codex", search, { TENANT: "${env:T}", TOKEN: "x" }), reason);
    assert.equal(contentOf("codex", files, { API_KEY: "${env:OTHER}", ROOT: "/" }), reason);
    assert.equal(contentOf("codex", files, { API_KEY: "k", ROOT: "${env:ROOT}" }), reason);
    assert.deepEqual(contentOf("codex", files, { API_KEY: "${env:API_KEY}", ROOT: "/" }), {
      mcp_servers: {
        files: {
          command: "npx",
          args: ["-y", "@example/files", "--root=/", "{literal}"],
          env_vars: ["API_KEY"],
          env: { REGION: "{eu}" },
        },
      },
    });
    const extra = { ...remote, "X-Extra": "${env:EXTRA}" };
    assert.match(
      JSON.stringify(contentOf("codex", search, extra)),
      /"env_http_headers":\{"X-Extra":"EXTRA"\}/,
    );
  });
});

describe("the values of members", () => {
  it("are listed once each, in the order in which they are asked for", () => {
    assert.deepEqual(
      memberValues(search).map(({ name }) => name),
      ["X-Extra", "TENANT", "TOKEN"],
    );
  });
});
