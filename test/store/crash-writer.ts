/**
 * A publisher that will be killed: publishes versions of one skill as fast as it can, in the same order as the service,
 * with a folder of exclusively linked files in place of MongoDB. Prints `ack <version> <oid>` for what a user would
 * have been told.
 */
import { mkdir, readFile, readdir, writeFile, link, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  openSkillStore,
  type CommitDraft,
  type StoreOptions,
  type TreeFile,
} from "../../repos/store/index.ts";

export interface CrashRow {
  oid: string;
  digest: string;
}

const [options, rows, name, seed] = process.argv.slice(2);
if (options === undefined || rows === undefined || name === undefined)
  throw new Error("options, rows and name are needed");

const repo = { tenantId: "5f0000000000000000000001", skillId: "65a1b2c3d4e5f60718293a4b" };
const store = openSkillStore(JSON.parse(options) as StoreOptions);
let random = Number(seed);

function below(limit: number): number {
  random = (random * 1103515245 + 12345) % 2 ** 31;
  return Math.floor((random / 2 ** 31) * limit);
}

function someFiles(): TreeFile[] {
  const files: TreeFile[] = [
    { path: "SKILL.md", mode: "100644", data: Buffer.from(`# ${name} ${below(2 ** 30)}\n`) },
  ];
  for (let i = below(4); i > 0; i--) {
    const data = Buffer.alloc(below(10) === 0 ? 300_000 : below(4000), String(below(2 ** 30)));
    files.push({ path: `part-${i}/file-${below(3)}.txt`, mode: below(2) === 0 ? "100755" : "100644", data });
  }
  return files;
}

async function head(): Promise<{ version: number; row: CrashRow | undefined }> {
  const version = Math.max(0, ...(await readdir(rows!)).filter((file) => /^\d+$/.test(file)).map(Number));
  const row =
    version === 0
      ? undefined
      : (JSON.parse(await readFile(join(rows!, String(version)), "utf8")) as CrashRow);
  return { version, row };
}

/** The unique index of the version rows: a link either creates the name or fails. */
async function insert(version: number, row: CrashRow): Promise<boolean> {
  const temporary = join(rows!, `${name}-${version}.tmp`);
  await writeFile(temporary, JSON.stringify(row));
  try {
    await link(temporary, join(rows!, String(version)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(temporary);
  }
}

await mkdir(rows, { recursive: true });
for (;;) {
  let { version, row } = await head();
  const meta = (): CommitDraft => ({
    parent: row?.oid,
    author: { name: "ada", email: "u-1@users.noreply.svc.test" },
    at: new Date(1_700_000_000_000 + version * 1000),
    message: `Version ${version + 1} by ${name}`,
    trailers: { "Svc-Version": String(version + 1) },
  });
  let written = await store.writeCommit(repo, { ...meta(), source: { kind: "files", files: someFiles() } });
  while (!(await insert(version + 1, { oid: written.oid, digest: written.digest }))) {
    ({ version, row } = await head());
    written = await store.recommit(repo, written, meta());
  }
  process.stdout.write(`ack ${version + 1} ${written.oid}\n`);
  await store.advanceRefs(repo, async () => {
    const oid = (await head()).row?.oid ?? null;
    return { main: oid, head: oid };
  });
}
