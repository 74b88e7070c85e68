/**
 * `git clone` of a marketplace of 500 skills against a clone of a plain repository with the same content, in
 * alternating turns of one run.
 *
 * `npm run bench -- marketplaces`
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { plainEnv, removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { median, reportRows, row, timeOf } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp } from "./http/client.ts";

const options = readOptions("marketplaces", {});
const run = promisify(execFile);
const env = plainEnv({ GIT_TERMINAL_PROMPT: "0" });

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench");
  const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
  try {
    const client = await signUp(server);
    const tenant = await client.send<{ id: string }>("POST", "/api/tenants", {
      name: "Reach",
      slug: "reach",
    });
    const publish = (n: number, text: string) =>
      client.send("POST", "/api/skills", {
        tenantId: tenant.id,
        name: `Skill ${n}`,
        content: `---\ndescription: Does the work of number ${n}.\n---\n\n${text} ${n}.\n`,
        visibility: "public",
      });
    for (let n = 0; n < options.skills; n++) await publish(n, "Text");

    let clones = 0;
    const clone = async (address: string, ...flags: string[]) => {
      const into = path.join(dataDir, `clone-${clones++}`);
      const ms = await timeOf(() => run("git", ["clone", "-q", ...flags, address, into], { env }));
      return { into, ms };
    };
    const address = `${server.url}/reach.git`;
    const first = await clone(address);
    const plain = await clone(address, "--bare");
    const times = {
      marketplace: [] as number[],
      plain: [] as number[],
      change: [] as number[],
      unchanged: [] as number[],
    };
    for (let n = 0; n < options.turns; n++) {
      const turns = [
        ["marketplace", address],
        ["plain", `file://${plain.into}`],
      ] as const;
      for (const [kind, from] of turns) {
        const { into, ms } = await clone(from);
        times[kind].push(ms);
        removeFolder(into);
      }
      const pull = () => run("git", ["-C", first.into, "pull", "-q", "--ff-only"], { env });
      times.unchanged.push(await timeOf(pull));
      await publish(n % options.skills, `Turn ${n}`);
      times.change.push(await timeOf(pull));
    }
    const [made, same] = [median(times.marketplace), median(times.plain)];
    reportRows([
      row(
        `clone of ${options.skills} skills / plain git clone`,
        made / same,
        "x",
        { most: 2 },
        `${made.toFixed(0)} ms, plain ${same.toFixed(0)} ms`,
      ),
      row(`first clone of ${options.skills} skills`, first.ms, "ms", {}, "the repository is made for it"),
      row("pull without a change", median(times.unchanged), "ms", {}),
      row("pull after a publish", median(times.change), "ms", {}),
    ]);
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
}

await main();
