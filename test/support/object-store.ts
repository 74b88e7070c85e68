/**
 * A real S3-compatible server for tests: Ceph's radosgw with one monitor and one storage daemon, whose data is in
 * memory (Debian's ceph-mon, ceph-osd and radosgw). It starts in about 15 seconds, once for all files of a process.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { openSignedRequests } from "../../repos/object-store/signed-requests.ts";
import type { ObjectStoreOptions } from "../../repos/object-store/types.ts";

const run = promisify(execFile);

/** Undefined, or why there is no object store to test against. In CI that is a failure. */
export function whyNoObjectStore(): string | undefined {
  try {
    for (const program of ["ceph-mon", "ceph-osd", "radosgw"])
      execFileSync(program, ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    const reason = "install ceph-mon, ceph-osd and radosgw to run these tests";
    if (process.env["CI"]) throw new Error(`No object store in CI: ${reason}`);
    return reason;
  }
}

export const objectStoreKeys = { accessKeyId: "AKIATESTTEST", secretAccessKey: "secretsecretsecret" };

let started: Promise<string> | undefined;
let buckets = 0;

/** Options of a new bucket on the server. */
export async function newBucket(): Promise<ObjectStoreOptions> {
  started ??= startServer();
  const endpoint = await started;
  const bucket = `test-${process.pid}-${++buckets}`;
  const options: ObjectStoreOptions = {
    location: { endpoint, region: "us-east-1", bucket, prefix: "svc/", isPathStyle: true },
    credentials: { kind: "keys", ...objectStoreKeys },
  };
  const requests = openSignedRequests(options);
  await requests.send({ method: "PUT" });
  requests.close();
  return options;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function startServer(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "svc-ceph-"));
  const children: ChildProcess[] = [];
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of ["mon", "osd", "rgw", "run", "log"]) mkdirSync(path.join(folder, name));
  const [port, v2, v1] = (await freePorts(3)) as [number, number, number];
  const [cluster, disk] = [randomUUID(), randomUUID()];
  const conf = path.join(folder, "ceph.conf");
  writeFileSync(conf, configuration(folder, { port, v2, v1, cluster }));

  const start = (program: string, args: string[]) => {
    const log = openSync(path.join(folder, "log", `${program}.out`), "w");
    const child = spawn(program, ["-c", conf, ...args, "-f"], { stdio: ["ignore", log, log] });
    child.unref();
    children.push(child);
  };
  const ceph = async (...args: string[]) =>
    (await run("ceph", ["-c", conf, "--connect-timeout", "5", ...args], { timeout: 20_000 })).stdout;
  const wait = async (what: string, isReady: () => Promise<boolean>) => {
    for (
      const end = Date.now() + 60_000;
      Date.now() < end;
      await new Promise((done) => setTimeout(done, 200))
    ) {
      if (await isReady().catch(() => false)) return;
    }
    const logs = children.map((child) => child.spawnargs[0]).map((name) => tailOf(folder, name!));
    throw new Error(`${what} of the object store did not start:\n${logs.join("\n")}`);
  };

  const map = path.join(folder, "monmap");
  await run(
    "monmaptool",
    "--clobber --create --fsid"
      .split(" ")
      .concat(cluster, "--addv", "a", `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`, map),
  );
  await run("ceph-mon", ["-c", conf, "--mkfs", "-i", "a", "--monmap", map]);
  start("ceph-mon", ["-i", "a"]);
  await wait("the monitor", async () => (await ceph("-s")) !== "");
  await ceph("osd", "new", disk, "0");
  await run("ceph-osd", ["-c", conf, "-i", "0", "--mkfs", "--osd-uuid", disk]);
  start("ceph-osd", ["-i", "0"]);
  await wait("the storage daemon", async () => / 1 up/.test(await ceph("osd", "stat")));
  start("radosgw", ["-n", "client.admin"]);
  const endpoint = `http://127.0.0.1:${port}`;
  await wait("the gateway", async () => (await fetch(endpoint)).status > 0);
  const { accessKeyId, secretAccessKey } = objectStoreKeys;
  const user = [
    "--uid=t",
    "--display-name=t",
    `--access-key=${accessKeyId}`,
    `--secret-key=${secretAccessKey}`,
  ];
  await run("radosgw-admin", ["-c", conf, "user", "create", ...user], { timeout: 60_000 });
  return endpoint;
}

const tailOf = (folder: string, program: string) =>
  `${program}: ${readFileSync(path.join(folder, "log", `${program}.out`), "utf8").slice(-2000)}`;

/** Without authentication inside the cluster, `ms mon client mode` must be `crc`, or the gateway hangs. */
function configuration(
  folder: string,
  { port, v2, v1, cluster }: { port: number; v2: number; v1: number; cluster: string },
): string {
  return `[global]
fsid = ${cluster}
mon host = [v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms bind ipv6 = false
public network = 127.0.0.0/8
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon cluster log file = ${folder}/log/cluster.log
mon data avail warn = 1
mon data avail crit = 1
run dir = ${folder}/run
admin socket = ${folder}/run/$cluster-$name.asok
pid file = ${folder}/run/$name.pid
log file = ${folder}/log/$name.log
[mon.a]
mon data = ${folder}/mon
[osd.0]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 1073741824
osd memory target = 939524096
[client]
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw data = ${folder}/rgw
rgw dns name = 127.0.0.1
rgw enable usage log = false
`;
}
