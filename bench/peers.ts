/**
 * The service against the programs that users would run instead: Verdaccio, and a koa server without checks
 * (`http/bare-server.ts`). All sides alternate in one run, so that a busy machine slows them alike.
 *
 * `npm run bench -- peers [--rounds=5] [--only=memory,overhead,content,package,publish,latency]`
 */
import { removeFolder, temporaryFolder } from "../test/support/server.ts";
import { reportRows, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { latencyRows, memoryRows } from "./peers/load.ts";
import { publishRows } from "./peers/publish.ts";
import { contentRows, overheadRows, packageRows } from "./peers/reads.ts";
import { openSides, type Sides } from "./peers/sides.ts";

const scenarios: Record<string, (sides: Sides) => Promise<Row[]>> = {
  memory: memoryRows,
  overhead: overheadRows,
  content: contentRows,
  package: packageRows,
  publish: publishRows,
  latency: latencyRows,
};
const options = readOptions("peers", { only: Object.keys(scenarios).join() });

console.log(`Node ${process.version}`);
const folder = temporaryFolder("bench-peers");
const sides = await openSides(folder, options.rounds);
const rows: Row[] = [];
try {
  for (const [name, measure] of Object.entries(scenarios)) {
    if (!options.only.split(",").includes(name)) continue;
    const measured = await measure(sides);
    for (const one of measured)
      console.error(`${one.name}: ${one.value.toFixed(2)} ${one.unit} (${one.note})`);
    rows.push(...measured);
  }
} finally {
  await sides.close();
  removeFolder(folder);
}
reportRows(rows);
