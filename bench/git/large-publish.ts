/**
 * Publishes a spooled zip and downloads it again in a process of its own; prints by how much its memory rose and for
 * how long its event loop stood still at most.
 */
import { openSkillStore } from "../../repos/store/index.ts";

const [root, zip] = process.argv.slice(2);
if (root === undefined || zip === undefined) throw new Error("a root and a zip are needed");
const repo = { tenantId: "5f0000000000000000000001", skillId: "65a1b2c3d4e5f60718293a4b" };
const store = openSkillStore({ root, committerHost: "bench.test" });

const rest = process.memoryUsage.rss();
let peak = rest;
let stall = 0;
let last = performance.now();
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
  stall = Math.max(stall, performance.now() - last - 5);
  last = performance.now();
}, 5);

const start = performance.now();
const written = await store.writeCommit(repo, {
  source: { kind: "zip", path: zip },
  author: { name: "bench", email: "u-1@users.noreply.bench.test" },
  at: new Date(1_700_000_000_000),
  message: "Large",
  trailers: {},
});
const publishMs = performance.now() - start;
const zipped = await store.openZip(repo, written.oid, written.digest);
let bytes = 0;
for await (const piece of zipped.stream) bytes += (piece as Buffer).length;
if (bytes !== zipped.size) throw new Error("the zip came back short");
clearInterval(timer);
await store.close();
console.log(JSON.stringify({ riseMb: (peak - rest) / 2 ** 20, stallMs: stall, publishMs }));
