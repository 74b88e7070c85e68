/**
 * From a publish by the API to the commit on the remote, with the built service, its embedded engines, its workers and
 * a git host of its own on loopback. Milliseconds, since that is how long a user waits; the host's share is in them.
 *
 * `npm run bench -- sync [--publishes=20] [--cold=3]`
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startGitHost, type HostedRepo } from "../test/support/host/git-host.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { until } from "../test/support/until.ts";
import { median, percentile, reportRows, row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";

const options = readOptions("sync", {});
const lookEveryMs = 10;
const patienceMs = 60_000;

/** As the host's own folder says: asking by a program would take time from what is measured. */
function tipOf({ directory }: HostedRepo): string | undefined {
  const ref = join(directory, "refs", "heads", "main");
  return existsSync(ref) ? readFileSync(ref, "utf8") : undefined;
}

function untilPushed(remote: HostedRepo, isPushed: (tip: string | undefined) => boolean): Promise<true> {
  return until("the commit", () => isPushed(tipOf(remote)), {
    timeoutMs: patienceMs,
    intervalMs: lookEveryMs,
  });
}

/** Milliseconds from the request's beginning until the branch has moved. */
async function publishOnce(client: Client, tenantId: string, remote: HostedRepo, n: number): Promise<number> {
  const before = tipOf(remote);
  const startedAt = performance.now();
  await client.send("POST", "/api/skills", { tenantId, name: `Skill ${n}`, content: `# Skill ${n}\n` });
  await untilPushed(remote, (tip) => tip !== before);
  return performance.now() - startedAt;
}

const folder = temporaryFolder("bench-sync");
const host = await startGitHost();
const server = await startServer({
  dataDir: join(folder, "data"),
  env: { LOG_LEVEL: "warn", SYNC_PRIVATE_NETWORK: "true" },
});
try {
  const client = await signUp(server);
  const { id } = await client.send<{ id: string }>("POST", "/api/tenants", { name: "Sync", slug: "sync" });
  const remote = await host.newRepository();
  await client.send("POST", "/api/tenants/sync/repo-sync", {
    host: "local",
    url: remote.remote.url,
    branch: "main",
  });
  await untilPushed(remote, (tip) => tip !== undefined);

  const warm: number[] = [];
  for (let n = 0; n < options.publishes; n++) {
    // Work after a sync (its state, the next schedule) must not count towards the next one.
    await sleep(options.idleMs);
    warm.push(await publishOnce(client, id, remote, n));
  }
  const cold: number[] = [];
  for (let n = 0; n < options.cold; n++) {
    // As after some idle minutes, the process of the sync has to be started. It has time to record its state first.
    await sleep(3000);
    for (const { pid, command } of server.engines())
      if (command.includes("job-child")) process.kill(pid, "SIGKILL");
    await sleep(1000);
    cold.push(await publishOnce(client, id, remote, 1000 + n));
  }
  const ms = (value: number) => `${Math.round(value)} ms`;
  const rows = [
    row(
      "publish to commit on the remote, median",
      median(warm),
      "ms",
      { most: 2000 },
      `p90 ${ms(percentile(warm, 0.9))}`,
    ),
    ...(cold.length === 0
      ? []
      : [
          row(
            "the same after some quiet: with a process to start, median",
            median(cold),
            "ms",
            { most: 2000 },
            `worst ${ms(Math.max(...cold))}`,
          ),
        ]),
  ];
  reportRows(rows);
} finally {
  await server.stop();
  await host.close();
  removeFolder(folder);
}
