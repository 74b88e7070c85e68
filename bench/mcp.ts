/**
 * Tools of the MCP server against the REST calls of the same caller, in alternating calls of one run.
 *
 * `npm run bench -- mcp [--skills=200] [--calls=300]`
 */
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { median, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";

const { skills, calls, warmUp } = readOptions("mcp", {});

async function read(client: Client, method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(client.base + path, {
    method,
    headers: {
      authorization: `Bearer ${client.token}`,
      accept: "application/json, text/event-stream",
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"isError":true'))
    throw new Error(`${path}: ${text.slice(0, 300)}`);
  return text;
}

const message = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });

/** Ratio of the median times; its note has both times in milliseconds, and the lengths of the responses. */
async function compare(
  ours: () => Promise<string>,
  rest: () => Promise<string>,
  name: string,
  bound: { most?: number } = { most: 1.3 },
): Promise<Row> {
  const times = { ours: [] as number[], rest: [] as number[] };
  const sizes = { ours: 0, rest: 0 };
  for (let n = -warmUp; n < calls; n++) {
    for (const side of ["ours", "rest"] as const) {
      const started = performance.now();
      sizes[side] = (await { ours, rest }[side]()).length;
      if (n >= 0) times[side].push(performance.now() - started);
    }
  }
  const [a, b] = [median(times.ours), median(times.rest)];
  const note = `${a.toFixed(2)} ms against ${b.toFixed(2)} ms, ${sizes.ours} against ${sizes.rest} characters`;
  return row(name, a / b, "x", bound, note);
}

/** Publishes a skill with a text of about `length` characters, and returns the path that reads it. */
async function addText(client: Client, tenantId: string, length: number): Promise<string> {
  const text = "Look for errors that are not handled, and for names that say nothing.\n";
  const content = `# Long\n\n${text.repeat(length / text.length)}`;
  const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId,
    name: "Long",
    content,
  });
  return `/api/skills/${skill.id}/content?version=1`;
}

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench");
  const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
  try {
    const client = await signUp(server);
    const tenant = await client.send<{ id: string }>("POST", "/api/tenants", {
      name: "Agents",
      slug: "agents",
    });
    for (let n = 0; n < skills; n++)
      await client.send("POST", "/api/skills", {
        tenantId: tenant.id,
        name: `Review ${n}`,
        content: `# ${n}\n`,
      });
    const call = (method: string, params: object) => () =>
      read(client, "POST", "/mcp", message(method, params));
    const get = (path: string) => () => read(client, "GET", path);
    const sameSize = await addText(client, tenant.id, (await call("tools/list", {})()).length);
    const search = { name: "search_skills", arguments: { query: "review", mine: true, limit: 20 } };
    const rows = [
      await compare(call("tools/list", {}), get(sameSize), "tools/list / text of its size"),
      // For information: the shortest signed-in read, whose response is too small to be compressed.
      await compare(call("tools/list", {}), get("/api/user/profile"), "tools/list / profile", {}),
      await compare(call("tools/call", search), get("/api/skills?query=review"), "search_skills / list"),
    ];
    reportRows(rows);
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
}

await main();
