/**
 * The reach of a skill with many installs against one `findOne` of a skill, in alternating turns of one run.
 *
 * `npm run bench -- installed-reach`
 */
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { openDatabase } from "../storage/database.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { median, percentile, reportRows, row, timeOf } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp } from "./http/client.ts";

const options = readOptions("installed-reach", {});
const pins = ["latest", "^1.0.0", "~1.0.0", ">=1", "1.0.0", "2.0.0", undefined];
const tools = ["claude", "cursor", "codex"];
const installsPerMember = 4;

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench");
  const server = await startServer({
    dataDir,
    env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" },
  });
  try {
    const client = await signUp(server);
    const tenant = await client.send<{ id: string }>("POST", "/api/tenants", {
      name: "Bench",
      slug: "bench",
    });
    const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
      tenantId: tenant.id,
      name: "Installed",
      content: "Text.\n",
    });
    const engine = await startEmbeddedMongo({
      dataDir: `${dataDir}/mongodb`,
      log: openLog("silent"),
    });
    const database = await openDatabase(engine.uri, "svc");
    await database.collection<{ _id: string }>("installs").insertMany(
      Array.from({ length: options.installs }, (_, n) => ({
        _id: n.toString(16).padStart(24, "0"),
        tenantId: tenant.id,
        skillId: skill.id,
        userId: Math.floor(n / installsPerMember)
          .toString(16)
          .padStart(24, "0"),
        machine: `machine-${n}`,
        platform: tools[n % tools.length],
        scope: n % 5 === 0 ? "project" : "global",
        version: 1,
        semver: "1.0.0",
        range: pins[n % pins.length],
        installedAt: new Date(),
        updatedAt: new Date(),
      })),
    );
    const skills = database.collection<{ _id: string }>("skills");
    const read = async () => {
      const { all } = await client.send<{ all: { machines: number } }>(
        "GET",
        `/api/skills/${skill.id}/reach`,
      );
      if (all.machines !== options.installs) throw new Error(`the reach counts ${all.machines} machines`);
    };
    const firstMs = await timeOf(read);
    const times = { find: [] as number[], reach: [] as number[] };
    for (let n = -options.warmUp; n < options.turns; n++) {
      const find = await timeOf(() => skills.findOne({ _id: skill.id }));
      const reach = await timeOf(read);
      if (n < 0) continue;
      times.find.push(find);
      times.reach.push(reach);
    }
    await database.close();
    await engine.stop();
    const [base, p95] = [percentile(times.find, 0.95), percentile(times.reach, 0.95)];
    const note =
      `p95 ${p95.toFixed(2)} ms, median ${median(times.reach).toFixed(2)}; ` +
      `findOne p95 ${base.toFixed(2)}, median ${median(times.find).toFixed(2)}`;
    reportRows([
      row(
        `reach of a skill with ${options.installs} installs, p95 / findOne`,
        p95 / base,
        "x",
        { most: 10 },
        note,
      ),
      row("first reach, which reads the installs", firstMs, "ms", {}, "once in a minute in each process"),
    ]);
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
}

await main();
