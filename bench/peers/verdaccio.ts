/** Verdaccio, an npm registry: packages of one file are published to it and read from it over its HTTP API. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { plainEnv } from "../../test/support/server.ts";
import { until } from "../../test/support/until.ts";
import { installPeers, nodeForPeers } from "./install.ts";

export interface Verdaccio {
  url: string;
  /** Publishes a version with one file, and returns the address of its tarball. */
  publish(name: string, version: string, content: Buffer): Promise<string>;
  close(): void;
}

/**
 * Without an uplink: nothing is requested from another registry. With signed tokens, since its default ones contain the
 * password, whose check takes most of the time of a publish.
 */
const config = `storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
security:
  api:
    legacy: false
    jwt:
      sign:
        expiresIn: 7d
packages:
  '**':
    access: $all
    publish: $authenticated
log: { type: stdout, format: json, level: fatal }
`;

export async function startVerdaccio(folder: string): Promise<Verdaccio> {
  const program = join(installPeers(), "node_modules", "verdaccio", "bin", "verdaccio");
  mkdirSync(folder);
  writeFileSync(join(folder, "config.yaml"), config);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(nodeForPeers(), [program, "-c", "config.yaml", "-l", `127.0.0.1:${port}`], {
    cwd: folder,
    env: plainEnv({ HOME: folder, NODE_ENV: "production" }),
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const isUp = () =>
    fetch(`${url}/-/ping`).then(
      (response) => response.ok,
      () => false,
    );
  await until("Verdaccio", isUp, { timeoutMs: 60_000, intervalMs: 100 });
  const token = await addUser(url);
  return {
    url,
    publish: (name, version, content) => publish({ url, token }, name, version, content),
    close: () => void child.kill("SIGKILL"),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function addUser(url: string): Promise<string> {
  const response = await fetch(`${url}/-/user/org.couchdb.user:bench`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "bench", password: "a long enough password" }),
  });
  return ((await response.json()) as { token: string }).token;
}

/** The request of `npm publish`. */
async function publish(
  { url, token }: { url: string; token: string },
  name: string,
  version: string,
  content: Buffer,
): Promise<string> {
  const packageJson = { name, version, description: "A package of one file" };
  const tarball = gzipSync(
    Buffer.concat([
      tarEntry("package/package.json", Buffer.from(JSON.stringify(packageJson))),
      tarEntry("package/SKILL.md", content),
      Buffer.alloc(1024),
    ]),
  );
  const file = `${name}-${version}.tgz`;
  const dist = {
    tarball: `${url}/${name}/-/${file}`,
    shasum: createHash("sha1").update(tarball).digest("hex"),
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
  };
  const response = await fetch(`${url}/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({
      _id: name,
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...packageJson, _id: `${name}@${version}`, dist } },
      _attachments: {
        [file]: {
          content_type: "application/octet-stream",
          data: tarball.toString("base64"),
          length: tarball.length,
        },
      },
    }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`Verdaccio refused ${name}@${version}: ${text}`);
  return dist.tarball;
}

/** A file in the ustar format of POSIX: a header of 512 bytes, then the content in blocks of 512. */
function tarEntry(path: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, "0");
  header.write(path, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${octal(checksum, 7)}\0`, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
