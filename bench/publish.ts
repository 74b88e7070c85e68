/**
 * CPU time per publish of the service and its engines, with the work in the background. CPU time depends on the machine
 * but hardly on its load; `--before` names a built checkout to compare with, in alternating blocks of one run.
 *
 * `npm run bench -- publish [--before=<a built checkout>] [--blocks=3] [--count=300]`
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mapLimit } from "../contract/concurrency/map-limit.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../test/support/server.ts";
import { median, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";
import { newTenant, randomText, smallBytes } from "./peers/sides.ts";
import { cpuTimeDuring } from "./publish/cpu-time.ts";

/** `backgroundMs`: until search terms, refs and tags of the last publish are written. */
const { blocks, count, warmUp, idleMs, backgroundMs, before } = readOptions("publish", { before: "" });
const versionedSkills = 16;
/** Half of the 38 ms that a version took before its round trips and its work in the background were combined. */
const maxMs = 19;

interface Side {
  server: Server;
  create(): Promise<string>;
  append(): Promise<unknown>;
}

async function openSide(dataDir: string, checkout: string | undefined): Promise<Side> {
  mkdirSync(dataDir);
  const env = { LOG_LEVEL: "warn", RATE_LIMITS: "false" };
  const server = await startServer({ dataDir, env, checkout });
  const client: Client = await signUp(server);
  const tenantId = await newTenant(client, "writes");
  let created = 0;
  const create = async () => {
    const body = { tenantId, name: `Write ${++created}`, content: randomText(smallBytes) };
    return (await client.send<{ skill: { id: string } }>("POST", "/api/skills", body)).skill.id;
  };
  const skills: string[] = [];
  for (let index = 0; index < versionedSkills; index++) skills.push(await create());
  let appended = 0;
  const append = () =>
    client.send("POST", `/api/skills/${skills[++appended % versionedSkills]}/versions`, {
      content: randomText(smallBytes),
    });
  const repeat = (times: number, work: () => Promise<unknown>) =>
    mapLimit(Array.from({ length: times }), 16, work);
  await repeat(warmUp, create);
  await repeat(warmUp, append);
  await sleep(backgroundMs);
  return { server, create, append };
}

interface PublishCpu {
  totalMs: number;
  note: string;
}

async function cpuOfPublish(
  { server }: Side,
  concurrency: number,
  publish: () => Promise<unknown>,
): Promise<PublishCpu> {
  const { serviceMs, enginesMs } = await cpuTimeDuring(server, { idleMs, backgroundMs }, () =>
    mapLimit(Array.from({ length: count }), concurrency, publish),
  );
  const note = `service ${(serviceMs / count).toFixed(1)}, engines ${(enginesMs / count).toFixed(1)}`;
  return { totalMs: (serviceMs + enginesMs) / count, note };
}

async function rowsOf(
  name: string,
  [side, earlier]: readonly Side[],
  concurrency: number,
  publishOf: (side: Side) => () => Promise<unknown>,
  bound: { most?: number },
): Promise<Row[]> {
  const own: PublishCpu[] = [];
  const ratios: number[] = [];
  for (let block = 0; block < blocks; block++) {
    const figure = await cpuOfPublish(side!, concurrency, publishOf(side!));
    own.push(figure);
    if (earlier)
      ratios.push(figure.totalMs / (await cpuOfPublish(earlier, concurrency, publishOf(earlier))).totalMs);
  }
  const middle = median(own.map((figure) => figure.totalMs));
  const { note } = own.find((figure) => figure.totalMs === middle)!;
  const rows = [row(`CPU per ${name}`, middle, "ms", bound, note)];
  if (earlier) rows.push(row(`CPU per ${name}, after / before`, median(ratios), "x", {}));
  return rows;
}

const folder = temporaryFolder("bench-publish");
const sides: Side[] = [];
const rows: Row[] = [];
try {
  sides.push(await openSide(join(folder, "after"), undefined));
  if (before !== "") sides.push(await openSide(join(folder, "before"), before));
  for (const concurrency of [1, 16]) {
    const atOnce = `${concurrency} at once`;
    rows.push(
      ...(await rowsOf(`new version, ${atOnce}`, sides, concurrency, (side) => side.append, {
        most: maxMs,
      })),
      ...(await rowsOf(`new skill, ${atOnce}`, sides, concurrency, (side) => side.create, {})),
    );
  }
} finally {
  for (const { server } of sides) await server.stop();
  removeFolder(folder);
}
reportRows(rows);
