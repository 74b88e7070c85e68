/**
 * Times of the client, as the package has it: a short command against an empty script, an install against another
 * installer from the same service, a restore against the transfer of its bytes, and publishes and installs of many
 * skills. The sides alternate in one run. The other installer, which is downloaded, is left out at the smallest size.
 *
 * `npm run bench -- cli [--turns=20] [--published=402] [--installed=32] [--only=short,install,restore,bulk]`
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { plainEnv, removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { bulkRows } from "./cli/bulk.ts";
import { installRows } from "./cli/install.ts";
import { restoreRows } from "./cli/restore.ts";
import { client, timed } from "./cli/timed.ts";
import { type Row, median, percentile, reportRows, row } from "./figures/figures.ts";
import { isSmallest, readOptions } from "./figures/options.ts";
import { type Client, signUp } from "./http/client.ts";

const options = readOptions("cli", { only: "short,install,restore,bulk" });
const { turns } = options;
const isAsked = (part: string) => options.only.split(",").includes(part);
const organization = "bench-org";

/** The request of `svc mcp list` by the library of Node.js alone. */
const oneRequest = `require("node:http").get(process.env.SVC_API_URL + "/api/mcp-servers?limit=100",
  { headers: { authorization: "Bearer " + process.env.SVC_TOKEN } },
  (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (piece) => (text += piece));
    response.on("end", () => { process.exitCode = JSON.parse(text).data.length > 0 ? 0 : 1; });
  });`;

/** Short commands, an empty script and one with a request only, in turns. */
async function shortRows(folder: string, caller: Client): Promise<Row[]> {
  const env = plainEnv({ HOME: folder, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
  const run = (...args: string[]) => timed(process.execPath, args, { env });
  const [empty, whoami, list, request]: number[][] = [[], [], [], []];
  for (let turn = -2; turn < turns; turn++) {
    const times = [
      await run("-e", "0"),
      await run(client, "whoami", "-o", "json"),
      await run(client, "mcp", "list", "-o", "json"),
      await run("-e", oneRequest),
    ] as const;
    if (turn < 0) continue;
    for (const [at, all] of [empty!, whoami!, list!, request!].entries()) all.push(times[at]!);
  }
  const base = median(empty!);
  const requestMs = median(request!) - base;
  const maxMs = 1.6 * base + requestMs;
  const noteOf = (times: number[]) =>
    `${Math.round(median(times))} ms, an empty script ${Math.round(base)} ms; p90 ${Math.round(percentile(times, 0.9))} ms`;
  return [
    row("svc whoami -o json / an empty script", median(whoami!) / base, "x", { most: 1.5 }, noteOf(whoami!)),
    row(
      "svc mcp list -o json / (1.6 empty scripts and a request)",
      median(list!) / maxMs,
      "x",
      { most: 1 },
      `${noteOf(list!)}; request ${requestMs.toFixed(1)} ms`,
    ),
  ];
}

/** Servers as an organization has them, with an installed one. */
async function registerServers(caller: Client, home: string): Promise<void> {
  for (let i = 0; i < 20; i++)
    await caller.send("POST", `/api/tenants/${organization}/mcp-servers`, {
      name: `Server ${i}`,
      transport: "stdio",
      command: "npx",
      args: ["-y", `@example/server-${i}`],
    });
  const env = plainEnv({ HOME: home, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
  await timed(process.execPath, [client, "mcp", "install", "server-1", "-t", "claude,codex", "-o", "json"], {
    env,
  });
}

const folder = temporaryFolder("bench-cli");
const server = await startServer({
  dataDir: join(folder, "data"),
  env: { RATE_LIMITS: "false" },
});
try {
  const caller = await signUp(server);
  await caller.send("POST", "/api/tenants", { name: "Bench", slug: organization });
  const scratch = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };
  await registerServers(caller, folder);
  const rows: Row[] = [];
  if (isAsked("short")) rows.push(...(await shortRows(folder, caller)));
  if (isAsked("install") && !isSmallest)
    rows.push(...(await installRows(scratch("install"), caller, organization, Math.ceil(turns / 2))));
  if (isAsked("restore"))
    rows.push(...(await restoreRows(scratch("restore"), caller, organization, options)));
  if (isAsked("bulk")) rows.push(...(await bulkRows(scratch("bulk"), server, caller, organization, options)));
  reportRows(rows);
} finally {
  await server.stop();
  removeFolder(folder);
}
