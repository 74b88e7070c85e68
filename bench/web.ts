/**
 * The dashboard in a real browser, from the built service: the bytes of the first load, times on a slow machine with a
 * slow connection, moves between pages, long lists, typing and comparing, Interaction to Next Paint, and memory.
 *
 * `npm run bench -- web [--rounds=5] [--only=load,moves,lists,typing,compare,interactions,memory,large]`
 */
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { openDatabase } from "../storage/database.ts";
import { openBrowser, openMeasuredBrowser } from "../test/support/browser.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { reportRows, type Row } from "./figures/figures.ts";
import { isSmallest, readOptions } from "./figures/options.ts";
import { signUp } from "./http/client.ts";
import { compareRows } from "./web/compare.ts";
import { interactionRows } from "./web/interactions.ts";
import { largeRows } from "./web/large.ts";
import { listRows } from "./web/lists.ts";
import { loadRows } from "./web/load.ts";
import { memoryRows } from "./web/memory.ts";
import { moveRows } from "./web/moves.ts";
import { seedOrganization } from "./web/seed.ts";
import { signIn, type Bench } from "./web/session.ts";
import { typingRows } from "./web/typing.ts";

const scenarios = {
  load: loadRows,
  moves: moveRows,
  lists: listRows,
  compare: compareRows,
  typing: typingRows,
  interactions: interactionRows,
  memory: memoryRows,
  large: largeRows,
};
const options = readOptions("web", { only: Object.keys(scenarios).join() });

const dataDir = temporaryFolder("bench-web");
const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
const rows: Row[] = [];
try {
  const owner = await signUp(server, "owner");
  const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
  const database = await openDatabase(engine.uri, "svc");
  const org = await seedOrganization(database, owner, options.percent);
  const browser = await (isSmallest ? openBrowser() : openMeasuredBrowser());
  const bench: Bench = {
    browser,
    database,
    owner,
    org,
    cookie: await signIn(server.url, "owner"),
    sizes: options,
  };
  for (const [name, run] of Object.entries(scenarios)) {
    if (!options.only.split(",").includes(name)) continue;
    const some = await run(bench);
    for (const one of some) console.error(`${one.name}: ${one.value.toFixed(2)} ${one.unit} (${one.note})`);
    rows.push(...some);
  }
  await browser.close();
  await database.close();
  await engine.stop();
} catch (error) {
  // Before the clean-up, which fails while the engine runs.
  console.error(error);
  throw error;
} finally {
  await server.stop();
  removeFolder(dataDir);
}
reportRows(rows);
