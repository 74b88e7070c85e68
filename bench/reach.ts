/**
 * The index of an organization with 100 public skills for other clients, against one `findOne` of a skill, in
 * alternating turns of one run.
 *
 * `npm run bench -- reach`
 */
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { openDatabase } from "../storage/database.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { median, percentile, reportRows, row, timeOf } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp } from "./http/client.ts";

const options = readOptions("reach", {});

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench");
  const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
  try {
    const client = await signUp(server);
    const tenant = await client.send<{ id: string }>("POST", "/api/tenants", {
      name: "Reach",
      slug: "reach",
    });
    const ids: string[] = [];
    for (let n = 0; n < options.skills; n++) {
      const content = `---\nname: skill-${n}\ndescription: Does the work of number ${n}.\n---\n\nText ${n}.\n`;
      const made = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
        tenantId: tenant.id,
        name: `Skill ${n}`,
        content,
        visibility: "public",
      });
      ids.push(made.skill.id);
    }
    const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
    const database = await openDatabase(engine.uri, "svc");
    const skills = database.collection<{ _id: string }>("skills");
    const address = `${server.url}/reach/.well-known/agent-skills/index.json`;
    const read = async (headers: Record<string, string> = {}) => {
      const response = await fetch(address, { headers });
      const text = await response.text();
      return { status: response.status, text, etag: response.headers.get("etag") ?? "" };
    };
    const coldMs = await timeOf(async () => {
      const { text } = await read();
      const found = (JSON.parse(text) as { skills: object[] }).skills.length;
      if (found !== options.skills) throw new Error(`the index has ${found} skills`);
    });
    const { etag } = await read();
    const times = { find: [] as number[], whole: [] as number[], unchanged: [] as number[] };
    for (let n = -options.warmUp; n < options.turns; n++) {
      const find = await timeOf(() => skills.findOne({ _id: ids[(n + ids.length * 1000) % ids.length]! }));
      const whole = await timeOf(() => read());
      const unchanged = await timeOf(() => read({ "if-none-match": etag }));
      if (n < 0) continue;
      times.find.push(find);
      times.whole.push(whole);
      times.unchanged.push(unchanged);
    }
    await database.close();
    await engine.stop();
    const base = percentile(times.find, 0.95);
    const compare = (name: "whole" | "unchanged", title: string, bound: { most?: number }) => {
      const p95 = percentile(times[name], 0.95);
      const note = `p95 ${p95.toFixed(2)} ms, median ${median(times[name]).toFixed(2)}; findOne p95 ${base.toFixed(2)}, median ${median(times.find).toFixed(2)}`;
      return row(title, p95 / base, "x", bound, note);
    };
    reportRows([
      compare("whole", `index of ${options.skills} skills, p95 / findOne`, { most: 3 }),
      compare("unchanged", `index of ${options.skills} skills, 304, p95 / findOne`, { most: 3 }),
      row(`index of ${options.skills} skills, first request`, coldMs, "ms", {}, "their zips are made for it"),
    ]);
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
}

await main();
