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

function whoamiRows(folder: string, caller: Client): Row[] {
  const env = plainEnv({ HOME: folder, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
  const empty: number[] = [];
  const whoami: number[] = [];
  for (let turn = -2; turn < turns; turn++) {
    const pair = [
      timed(process.execPath, ["-e", "0"], { env }),
      timed(process.execPath, [client, "whoami", "-o", "json"], { env }),
    ] as const;
    if (turn < 0) continue;
    empty.push(pair[0]);
    whoami.push(pair[1]);
  }
  const ratio = median(whoami) / median(empty);
  const note =
    `${Math.round(median(whoami))} against ${Math.round(median(empty))} ms; ` +
    `p90 ${Math.round(percentile(whoami, 0.9))} ms`;
  return [row("svc whoami -o json / an empty script", ratio, "x", { most: 1.5 }, note)];
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
  const rows = [
    ...whoamiRows(folder, caller),
    ...installRows(scratch("install"), caller, organization, Math.ceil(turns / 2)),
    ...restoreRows(scratch("restore"), caller, organization, Math.ceil(turns / 4)),
  ];
  printRows(rows);
  if (rows.some((one) => !one.ok)) process.exitCode = 1;
} finally {
  await server.stop();
  removeFolder(folder);
}
