// A worker with a job in a process of its own, for children.test.ts to kill: prints that process's id, and waits.
import { execFileSync } from "node:child_process";
import { readConfig } from "../../src/config.ts";
import { openLog } from "../../src/log.ts";
import { openApp } from "../../src/open.ts";
import { openQueue } from "../../src/queue/index.ts";
import { runInChild } from "../../workers/children.ts";

const { dataDir, mongodbUrl, database } = JSON.parse(process.argv[2] ?? "{}") as Record<string, string>;
const log = openLog("silent");
const queue = await openQueue({ dataDir: `${dataDir}/queue` }, log);
const config = {
  ...readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" }),
  mongodbDatabase: database ?? "svc",
};
const { app } = await openApp({ config, log, mongodbUrl: mongodbUrl ?? "", queue });
const limits = { maxOldSpaceMb: 256, timeoutMs: 60_000 };
// The data folder is empty, so the check finds no repository of any skill.
await runInChild(app, "maintenance.check-repos", {}, limits).catch(() => undefined);
const pids = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" });
const [line = ""] = pids.split("\n").filter((row) => row.includes("job-child"));
process.stdout.write(`${Number.parseInt(line, 10)}\n`);
setInterval(() => undefined, 1000);
