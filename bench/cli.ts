/**
 * Times of the client, as the package has it: a short command against an empty script, an install against another
 * installer from the same service, and a restore against the transfer of its bytes. The sides alternate in one run.
 *
 * `node --import tsx bench/cli.ts [--turns=20]`
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { plainEnv, removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { installRows } from "./cli/install.ts";
import { restoreRows } from "./cli/restore.ts";
import { client, timed } from "./cli/timed.ts";
import { type Row, median, percentile, printRows, row } from "./figures/figures.ts";
import { type Client, signUp } from "./http/client.ts";

const { values } = parseArgs({ options: { turns: { type: "string", default: "20" } } });
const turns = Number(values.turns);
const organization = "bench-org";

/** Short commands and an empty script in turns. */
async function shortRows(folder: string, caller: Client): Promise<Row[]> {
  const env = plainEnv({ HOME: folder, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
  const [empty, whoami, list, request]: number[][] = [[], [], [], []];
  for (let turn = -2; turn < turns; turn++) {
    const times = [
      timed(process.execPath, ["-e", "0"], { env }),
      timed(process.execPath, [client, "whoami", "-o", "json"], { env }),
      timed(process.execPath, [client, "mcp", "list", "-o", "json"], { env }),
    ] as const;
    const startedAt = performance.now();
    await caller.send("GET", "/api/mcp-servers?limit=100");
    if (turn < 0) continue;
    empty!.push(times[0]);
    whoami!.push(times[1]);
    list!.push(times[2]);
    request!.push(performance.now() - startedAt);
  }
  const base = median(empty!);
  const noteOf = (times: number[]) =>
    `${Math.round(median(times))} against ${Math.round(base)} ms; p90 ${Math.round(percentile(times, 0.9))} ms`;
  const withoutRequest = median(list!) - median(request!);
  return [
    row("svc whoami -o json / an empty script", median(whoami!) / base, "x", { most: 1.5 }, noteOf(whoami!)),
    row(
      "svc mcp list -o json, less its request / an empty script",
      withoutRequest / base,
      "x",
      { most: 1.6 },
      `${noteOf(list!)}; request ${median(request!).toFixed(1)} ms`,
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
  timed(process.execPath, [client, "mcp", "install", "server-1", "-t", "claude,codex", "-o", "json"], {
    env,
  });
}

const folder = temporaryFolder("bench-cli");
const server = await startServer({
  dataDir: join(folder, "data"),
  env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" },
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
  const rows = [
    ...(await shortRows(folder, caller)),
    ...installRows(scratch("install"), caller, organization, Math.ceil(turns / 2)),
    ...restoreRows(scratch("restore"), caller, organization, Math.ceil(turns / 4)),
  ];
  printRows(rows);
  if (rows.some((one) => !one.ok)) process.exitCode = 1;
} finally {
  await server.stop();
  removeFolder(folder);
}
