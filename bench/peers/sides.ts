/** The sides that are compared: the service, a bare koa server on the service's database engine, and Verdaccio. */
import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startServer, type Server } from "../../test/support/server.ts";
import { makeZip } from "../../test/support/zip.ts";
import { signUp, type Client } from "../http/client.ts";
import { startVerdaccio, type Verdaccio } from "./verdaccio.ts";

export const smallBytes = 8 * 1024;
export const largeBytes = 5 * 1024 * 1024;

export interface Sides {
  server: Server;
  client: Client;
  /** Address of the bare koa server. */
  bare: string;
  /** Started when a scenario first asks for it. */
  startVerdaccio(): Promise<Verdaccio>;
  rounds: number;
  close(): Promise<void>;
}

export async function openSides(folder: string, rounds: number): Promise<Sides> {
  const dataDir = join(folder, "data");
  mkdirSync(dataDir);
  const server = await startServer({
    dataDir,
    env: { LOG_LEVEL: "warn", RATE_LIMITS: "false", SYNC_PRIVATE_NETWORK: "true" },
  });
  const client = await signUp(server);
  const bare = await startBare(dataDir);
  let verdaccio: Promise<Verdaccio> | undefined;
  return {
    server,
    client,
    bare: bare.url,
    startVerdaccio: () => (verdaccio ??= startVerdaccio(join(folder, "verdaccio"))),
    rounds,
    async close() {
      bare.close();
      await verdaccio?.then((peer) => peer.close());
      await server.stop();
    },
  };
}

async function startBare(dataDir: string): Promise<{ url: string; close(): void }> {
  const file = new URL("../http/bare-server.ts", import.meta.url).pathname;
  const child = fork(file, [dataDir, String(smallBytes)], { execArgv: ["--import", "tsx"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("message", (message) => resolve(message as number));
    child.once("exit", (code) => reject(new Error(`the bare server ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}`, close: () => child.disconnect() };
}

export async function newTenant(client: Client, slug: string): Promise<string> {
  return (await client.send<{ id: string }>("POST", "/api/tenants", { name: slug, slug })).id;
}

/** Text that compression can reduce by a quarter only. */
export const randomText = (bytes: number) => randomBytes(bytes).toString("base64").slice(0, bytes);

/** Publishes a package of a short SKILL.md and a file of random bytes, and returns the id of its skill. */
export async function publishPackage(
  client: Client,
  tenantId: string,
  name: string,
  bytes: number,
): Promise<string> {
  const zip = makeZip([
    { name: "SKILL.md", data: `---\nname: ${name}\ndescription: A package.\n---\n\nA package.\n` },
    { name: "data.bin", data: randomBytes(bytes), stored: true },
  ]);
  const upload = await client.send<{ uploadId: string; url: string }>("POST", "/api/uploads", {
    size: zip.length,
    sha256: createHash("sha256").update(zip).digest("hex"),
  });
  const { status } = await fetch(upload.url, {
    method: "PUT",
    headers: { authorization: `Bearer ${client.token}` },
    body: new Uint8Array(zip),
  });
  if (status !== 200 && status !== 201) throw new Error(`the upload of ${name} was answered with ${status}`);
  const published = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId,
    uploadId: upload.uploadId,
    visibility: "public",
  });
  return published.skill.id;
}
