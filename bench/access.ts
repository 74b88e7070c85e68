/**
 * Time of the access decision: reads beneath restricted folders, and lists of an organization with 10,000 folders and
 * 100,000 skills, each against the same without restrictions, in alternating turns of one run.
 *
 * `npm run bench -- access [--skills=100000] [--only=read,list,folders]`
 */
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { newId, openDatabase, type Database } from "../storage/database.ts";
import type { MembershipDoc } from "../storage/memberships/memberships.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { seedTree, type SeededTree } from "./access/seed.ts";
import { median, percentile, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";
import { rate, rateRatio } from "./http/rates.ts";

const scenarios = ["read", "list", "folders"] as const;
const options = readOptions("access", { only: scenarios.join() });
const isAsked = (scenario: (typeof scenarios)[number]) => options.only.split(",").includes(scenario);

interface Org {
  id: string;
  slug: string;
  tree: SeededTree;
}

async function makeOrg(
  database: Database,
  owner: Client,
  member: Client,
  slug: string,
  hiddenFirst: boolean,
): Promise<Org> {
  const { id } = await owner.send<{ id: string }>("POST", "/api/tenants", { name: slug, slug });
  await database.collection<MembershipDoc>("memberships").insertOne({
    _id: newId(),
    tenantId: id,
    tenantSlug: slug,
    tenantName: slug,
    userId: member.userId,
    username: "member",
    nameKeys: ["member"],
    role: "member",
    teamIds: [],
    revision: 0,
    active: true,
    createdAt: new Date(),
  });
  const tree = await seedTree(database, { id, userId: member.userId }, options.skills, hiddenFirst);
  return { id, slug, tree };
}

/** A skill's own page of facts, beneath a restriction that grants the caller, against one at the root. */
async function readRows(owner: Client, member: Client, org: Org): Promise<Row[]> {
  const authorization = `Bearer ${member.token}`;
  const at = (folder: string | undefined) =>
    owner.send<{ skill: { id: string } }>("POST", "/api/skills", {
      tenantId: org.id,
      name: `Read ${folder ?? "root"}`,
      content: "A line.\n".repeat(50),
      folder,
    });
  const folders = await member.send<{ id: string; path: string; parentId: string | null }[]>(
    "GET",
    `/api/tenants/${org.id}/folders`,
  );
  const deep = folders.find((folder) => org.tree.granted.includes(folder.parentId ?? ""))!;
  const [governed, free] = [await at(deep.path), await at(undefined)];
  await new Promise((resolve) => setTimeout(resolve, options.idleMs));
  const rows: Row[] = [];
  for (const [name, path] of [
    ["a skill", ""],
    ["its content", "/content?version=1"],
  ] as const) {
    const url = (id: string) => `${member.base}/api/skills/${id}${path}`;
    const { ratio, note } = await rateRatio(
      () => rate(url(governed.skill.id), { authorization }, 200, options),
      () => rate(url(free.skill.id), { authorization }, 200, options),
      options.blocks,
    );
    const title = `reading ${name} beneath a restriction, time / without one`;
    rows.push(row(title, 1 / ratio, "x", { most: 1.25 }, note));
  }
  return rows;
}

const timeOf = async (work: () => Promise<unknown>) => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

async function listRow(owner: Client, member: Client, org: Org, name: string): Promise<Row> {
  const path = `/api/skills?tenant_id=${org.id}&limit=50`;
  const times = { owner: [] as number[], member: [] as number[] };
  const page = await member.send<unknown[]>("GET", path);
  if (page.length !== 50) throw new Error(`the member sees ${page.length} skills`);
  for (let turn = 0; turn < options.turns; turn++) {
    times.owner.push(await timeOf(() => owner.send("GET", path)));
    times.member.push(await timeOf(() => member.send("GET", path)));
  }
  const p95 = (who: "owner" | "member") => percentile(times[who].slice(20), 0.95);
  return row(
    `list 50 of ${options.skills} skills with 200 grants, ${name}: p95 / owner's`,
    p95("member") / p95("owner"),
    "x",
    { most: 3 },
    `member ${median(times.member).toFixed(1)} (p95 ${p95("member").toFixed(1)}) ms, owner ` +
      `${median(times.owner).toFixed(1)} (p95 ${p95("owner").toFixed(1)}) ms`,
  );
}

/** The whole tree, and a change to it, in the organization of 10,000 folders. */
async function folderRows(owner: Client, member: Client, org: Org): Promise<Row[]> {
  const path = `/api/tenants/${org.id}/folders`;
  const [list, create, restrict] = [[] as number[], [] as number[], [] as number[]];
  for (let turn = 0; turn < options.changes; turn++) {
    list.push(await timeOf(() => member.send("GET", path)));
    let id = "";
    create.push(
      await timeOf(async () => {
        const made = await owner.send<{ folder: { id: string } }>("POST", path, { path: `new-${turn}` });
        id = made.folder.id;
      }),
    );
    const access = { restricted: true, grants: [] };
    restrict.push(await timeOf(() => owner.send("PUT", `/api/folders/${id}/access`, access)));
  }
  const show = (name: string, times: number[]) =>
    row(name, median(times), "ms", {}, `p95 ${percentile(times, 0.95).toFixed(1)} ms`);
  return [
    show("list 10,100 folders as a member", list),
    show("create a folder among 10,100", create),
    show("restrict a folder among 10,100", restrict),
  ];
}

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench-access");
  const rows: Row[] = [];
  const add = (some: Row[]) => {
    for (const one of some) console.error(`${one.name}: ${one.value.toFixed(2)} ${one.unit} (${one.note})`);
    rows.push(...some);
  };
  const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
  try {
    const owner = await signUp(server, "owner");
    const member = await signUp(server, "member");
    const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
    const database = await openDatabase(engine.uri, "svc");
    const spread = await makeOrg(database, owner, member, `spread-${newId().slice(-6)}`, false);
    if (isAsked("read")) add(await readRows(owner, member, spread));
    if (isAsked("list")) {
      add([await listRow(owner, member, spread, "spread evenly")]);
      const buried = await makeOrg(database, owner, member, `buried-${newId().slice(-6)}`, true);
      add([await listRow(owner, member, buried, "with the newest out of sight")]);
    }
    if (isAsked("folders")) add(await folderRows(owner, member, spread));
    await database.close();
    await engine.stop();
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
  reportRows(rows);
}

await main();
