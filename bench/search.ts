/**
 * Search: whether it finds the right skill, over queries that were written and judged by hand for skills of all common
 * subjects (`search/`), and how long it takes among many skills.
 *
 * Half of the queries (`tune`) are for choosing weights and related words; the figures are those of the other half.
 *
 * `npm run bench -- search [--list=<number of the worst queries to print>] [--skills=20000] [--many=200000]`
 */
import { mapLimit } from "../contract/concurrency/map-limit.ts";
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { openDatabase, type Database } from "../storage/database.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { until } from "../test/support/until.ts";
import { percentile, reportRows, row, type Row } from "./figures/figures.ts";
import { isSmallest, readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";
import { seedSkills, words } from "./http/seed.ts";
import { judge, type Judged } from "./search/judge.ts";
import { readCorpus, readQueries } from "./search/set.ts";

const options = readOptions("search", {});
const concurrency = 4;

async function relevanceRows(client: Client, database: Database): Promise<Row[]> {
  const tenant = await client.send<{ id: string }>("POST", "/api/tenants", {
    name: "Corpus",
    slug: "corpus",
  });
  const corpus = readCorpus();
  await mapLimit(corpus, concurrency, ({ slug, content }) =>
    client.send("POST", "/api/skills", {
      tenantId: tenant.id,
      name: slug,
      content,
      visibility: "public",
    }),
  );
  const entries = database.collection<{ _id: string; isWhole: boolean }>("search_entries");
  await until("the index", async () => (await entries.countDocuments({ isWhole: true })) === corpus.length);
  const queries = readQueries().slice(0, options.queries);
  const judged = await mapLimit(queries, concurrency, async (query) => {
    const address = `/api/search?scope=public&limit=10&query=${encodeURIComponent(query.text)}`;
    const response = await fetch(client.base + address, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    const body = (await response.json()) as { data: { skill: { slug: string } }[]; confidence: string };
    return judge(
      query,
      body.data.map(({ skill }) => skill.slug),
      body.confidence,
    );
  });
  printKinds(judged);
  const worst = judged.filter(({ answer }) => answer).sort((a, b) => a.gain - b.gain);
  for (const { query, found, gain } of worst.slice(0, options.list))
    console.log(`${gain.toFixed(2)}  ${query.text}  ->  ${found.slice(0, 4).join(", ")}`);
  const measured = judged.filter(({ query }) => query.set === "test" || isSmallest);
  const answered = measured.filter(({ answer }) => answer);
  const unanswerable = measured.filter(({ answer }) => !answer);
  const share = (of: readonly Judged[], is: (one: Judged) => boolean) =>
    of.filter(is).length / (isSmallest ? Math.max(1, of.length) : of.length);
  const meanGain = answered.reduce((sum, { gain }) => sum + gain, 0) / answered.length;
  return [
    row(
      "the right skill among the first three",
      share(answered, ({ isFound }) => isFound),
      "",
      { least: 0.9 },
    ),
    row("nDCG at 10", meanGain, "", { least: 0.8 }),
    row(
      "no hit, although there is an answer",
      share(answered, ({ found }) => found.length === 0),
      "",
      { most: 0.01 },
    ),
    row(
      "no answer, but confidence",
      share(unanswerable, ({ isConfident }) => isConfident),
      "",
      { most: 0.1 },
    ),
    row(
      "an answer, but no confidence",
      share(answered, ({ isConfident }) => !isConfident),
      "",
      {},
    ),
  ];
}

function printKinds(judged: readonly Judged[]): void {
  if (isSmallest) return;
  for (const set of ["tune", "test"])
    for (const kind of new Set(judged.map(({ query }) => query.kind))) {
      const some = judged.filter(({ query }) => query.set === set && query.kind === kind);
      const found = some.filter(({ isFound }) => isFound).length / some.length;
      const gain = some.reduce((sum, one) => sum + one.gain, 0) / some.length;
      console.log(
        `${set} ${kind.padEnd(9)} ${some.length} queries, first three ${found.toFixed(3)}, nDCG ${gain.toFixed(3)}`,
      );
    }
}

/** Times of single reads and of searches of five words, alternating, some at a time. */
async function speedOf(client: Client, database: Database, ids: readonly string[]) {
  const skills = database.collection<{ _id: string }>("skills");
  const timeOf = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const times = { find: [] as number[], search: [] as number[] };
  const rounds = Array.from({ length: options.searches }, (_, n) => n);
  await mapLimit(rounds, concurrency, async (n) => {
    const query = Array.from({ length: 5 }, (_, i) => words[(n * 31 + i * 397) % words.length]).join("%20");
    times.find.push(await timeOf(() => skills.findOne({ _id: ids[(n * 7919) % ids.length]! })));
    times.search.push(await timeOf(() => client.send("GET", `/api/search?limit=20&query=${query}`)));
  });
  return { find: percentile(times.find, 0.95), search: percentile(times.search, 0.95) };
}

async function speedRows(client: Client, database: Database): Promise<Row[]> {
  const tenant = await client.send<{ id: string }>("POST", "/api/tenants", { name: "Many", slug: "many" });
  const ids = await seedSkills(database, tenant, options.skills);
  const usual = await speedOf(client, database, ids);
  const more = await seedSkills(database, tenant, options.many - options.skills, () => ({}), options.skills);
  const many = await speedOf(client, database, [...ids, ...more]);
  const note = (one: typeof usual) => `p95 ${one.search.toFixed(1)} ms, findOne ${one.find.toFixed(2)} ms`;
  return [
    row(
      `five words among ${options.skills} skills, p95 / findOne`,
      usual.search / usual.find,
      "x",
      { most: 4 },
      note(usual),
    ),
    row(
      `among ${options.many} skills / among ${options.skills}, p95`,
      many.search / usual.search,
      "x",
      { most: 2.5 },
      note(many),
    ),
  ];
}

const dataDir = temporaryFolder("search");
const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
const database = await openDatabase(engine.uri, "svc");
try {
  const client = await signUp(server);
  reportRows([...(await relevanceRows(client, database)), ...(await speedRows(client, database))]);
} finally {
  await database.close();
  await engine.stop();
  await server.stop();
  removeFolder(dataDir);
}
