/**
 * Time of a short command: `svc whoami -o json` against a local service, as the package has it, against an empty
 * script, in alternating turns of one run.
 *
 * `node --import tsx bench/cli.ts [--turns=30]`
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../test/support/root.ts";
import { plainEnv, removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { median, percentile, printRows, row } from "./figures/figures.ts";
import { signUp } from "./http/client.ts";

const { values } = parseArgs({ options: { turns: { type: "string", default: "30" } } });

function timed(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - startedAt;
}

const folder = temporaryFolder("bench-cli");
const server = await startServer({ dataDir: join(folder, "data"), env: { LOG_LEVEL: "warn" } });
try {
  const { token } = await signUp(server);
  const env = plainEnv({ HOME: folder, SVC_API_URL: server.url, SVC_TOKEN: token });
  const empty: number[] = [];
  const whoami: number[] = [];
  const main = join(root, "dist", "cli", "main.cjs");
  for (let turn = -2; turn < Number(values.turns); turn++) {
    const pair = [timed(["-e", "0"], env), timed([main, "whoami", "-o", "json"], env)] as const;
    if (turn < 0) continue;
    empty.push(pair[0]);
    whoami.push(pair[1]);
  }
  const ratio = median(whoami) / median(empty);
  const note = `${Math.round(median(whoami))} against ${Math.round(median(empty))} ms; p90 ${Math.round(percentile(whoami, 0.9))} ms`;
  const rows = [row("svc whoami -o json / an empty script", ratio, "x", { most: 1.6 }, note)];
  printRows(rows);
  if (rows.some((one) => !one.ok)) process.exitCode = 1;
} finally {
  await server.stop();
  removeFolder(folder);
}
