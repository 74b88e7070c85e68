/** A home, a project and a registry of MCP servers, for tests of `svc mcp`. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { text as readText } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { McpServer } from "../../contract/mcp-entries/server.ts";
import type { McpTarget } from "../../contract/vocabulary.ts";
import { type Ran, answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";

export interface StubServer extends McpServer {
  publicId: string;
  name: string;
  revision: number;
}

export interface McpFixture {
  home: string;
  project: string;
  servers: StubServer[];
  env: NodeJS.ProcessEnv;
  /** Method, path and body of each request that changes something. */
  reports: { method: string; url: string; body: string }[];
  run: (...argv: string[]) => Promise<Ran>;
  /** Runs with the output for people. */
  say: (...argv: string[]) => Promise<Ran>;
  /** Writes a file below the home folder, and returns its path. */
  put: (path: string, content: string) => Promise<string>;
  read: (path: string) => Promise<string>;
}

export const member = (name: string, more: { secret?: boolean; required?: boolean } = {}) => ({
  name,
  kind: "member" as const,
  label: `Your ${name}`,
  secret: true,
  required: true,
  ...more,
});

/** A local server without values, one with values, and a remote one. */
export function stubServers(): StubServer[] {
  const base = { tenantSlug: "acme", revision: 1, args: [], env: [], headers: [], variables: [] };
  return [
    {
      ...base,
      publicId: "aaaaaaaaaa",
      slug: "clock",
      name: "Clock",
      transport: "stdio",
      command: "npx",
      args: ["-y", "@example/clock"],
      env: [{ name: "ZONE", kind: "fixed", value: "UTC" }],
    },
    {
      ...base,
      publicId: "bbbbbbbbbb",
      slug: "files",
      name: "Files",
      transport: "stdio",
      command: "npx",
      args: ["@example/files", "{ROOT}"],
      env: [member("API_KEY"), member("EXTRA", { required: false })],
      variables: [member("ROOT", { secret: false })],
    },
    {
      ...base,
      publicId: "cccccccccc",
      slug: "search",
      name: "Search",
      transport: "http",
      url: "https://mcp.example.com/mcp",
      headers: [
        { name: "Authorization", kind: "fixed", value: "Bearer {TOKEN}" },
        { name: "X-Region", kind: "fixed", value: "eu" },
      ],
      variables: [member("TOKEN")],
    },
  ];
}

export async function makeMcpFixture(
  t: TestContext,
  intercept: (
    request: IncomingMessage,
    url: URL,
    body: string,
  ) => { status: number; data: unknown } | undefined = () => undefined,
): Promise<McpFixture> {
  const home = await temporaryFolder(t);
  const project = await temporaryFolder(t);
  const servers = stubServers();
  const reports: McpFixture["reports"] = [];
  const apiUrl = await startServer(t, async (request, response, url) => {
    const body = await readText(request);
    const own = intercept(request, url, body);
    if (own !== undefined) return answer(response, own.status, own.data);
    if (request.method !== "GET") {
      reports.push({ method: request.method!, url: url.pathname + url.search, body });
      return answer(response, 200, { success: true, data: null });
    }
    const ref = url.searchParams.get("ref");
    const found = servers.filter(
      (one) => ref === null || [one.publicId, one.slug, `${one.tenantSlug}/${one.slug}`].includes(ref),
    );
    if (url.pathname !== "/api/mcp-servers" || found.length === 0)
      return answer(response, 404, {
        success: false,
        error: `MCP server "${ref}" not found, or you don't have access to it.`,
        code: "not_found",
        kind: "mcpServer",
        requestId: "r",
      });
    return answer(response, 200, { success: true, data: found, nextCursor: null });
  });
  const env: NodeJS.ProcessEnv = { SVC_API_URL: apiUrl };
  const options = () => ({ home, cwd: project, env });
  return {
    home,
    project,
    servers,
    env,
    reports,
    run: (...argv) => svc([...argv, "-o", "json"], options()),
    say: (...argv) => svc(argv, options()),
    async put(path, content) {
      const file = join(home, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    read: (path) => readFile(join(home, path), "utf8"),
  };
}

/** The user's file of each tool that has one. */
export const globalFiles: Readonly<Record<Exclude<McpTarget, "copilot">, string>> = {
  claude: ".claude.json",
  cursor: ".cursor/mcp.json",
  windsurf: ".codeium/windsurf/mcp_config.json",
  cline: ".cline/data/settings/cline_mcp_settings.json",
  codex: ".codex/config.toml",
  opencode: ".config/opencode/opencode.json",
};

export interface Placed {
  platform: string;
  path: string;
  key: string;
  scope: string;
}

/** The document of `svc mcp install`. */
export interface Installed {
  installed: Placed[];
  skipped: { platform: string; reason: string }[];
  failed: { platform: string; path: string; error: string }[];
  warnings: string[];
  via?: string;
}

export const entriesOf = (text: string) =>
  (JSON.parse(text) as { mcpServers: Record<string, unknown> }).mcpServers;
