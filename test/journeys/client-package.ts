/** Packages of the client, programs that install them, and services that serve other ones. */
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { root } from "../support/root.ts";
import { plainEnv } from "../support/server.ts";

export const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  version: string;
};
/** A registry of npm that does not exist: nothing may be requested from it. */
const offline = { npm_config_registry: "http://127.0.0.1:9/" };

/** Runs a program to its end, with a home folder of its own. */
export async function runProgram(
  command: readonly [program: string, ...args: string[]],
  options: { home: string; input?: string; env?: Record<string, string> },
) {
  const [program, ...args] = command;
  const { home, input = "", env = {} } = options;
  mkdirSync(home, { recursive: true });
  const child = spawn(program, args, {
    env: plainEnv({ HOME: home, ...offline, ...env }),
    cwd: home,
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined).end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { home, stdout, stderr, code };
}

/** A service whose answers are those of another one, except for some paths. Returns its address. */
export async function startImitation(
  t: TestContext,
  origin: string,
  answers: Record<string, string | Buffer>,
): Promise<string> {
  const pass = async (address: string, response: ServerResponse) => {
    const original = await fetch(origin + address);
    response.writeHead(original.status, { "content-type": original.headers.get("content-type")! });
    response.end(Buffer.from(await original.arrayBuffer()));
  };
  const imitation = createServer((request, response) => {
    const answer = answers[request.url!];
    if (answer === undefined) pass(request.url!, response).catch(() => response.destroy());
    else response.end(answer);
  });
  await new Promise<void>((ready) => imitation.listen(0, "127.0.0.1", ready));
  t.after(() => void imitation.close());
  return `http://127.0.0.1:${(imitation.address() as AddressInfo).port}`;
}

/** One byte in the middle is another one. */
export function tampered(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1]! ^= 1;
  return copy;
}

/** Writes a package with another version into a folder, as a service of that version has it. Returns its path. */
export async function packVersion(bytes: Buffer, other: string, folder: string): Promise<string> {
  const execute = promisify(execFile);
  const unpacked = path.join(folder, `unpacked-${other}`);
  const file = path.join(folder, `svc-${other}.tgz`);
  mkdirSync(unpacked, { recursive: true });
  writeFileSync(file, bytes);
  await execute("tar", ["-xzf", file, "-C", unpacked]);
  const lib = path.join(unpacked, "package", "lib");
  const files = (await readdir(lib)).map((name) => path.join(lib, name));
  for (const changed of [path.join(unpacked, "package", "package.json"), ...files])
    writeFileSync(changed, readFileSync(changed, "utf8").replaceAll(version, other));
  await execute("tar", ["-czf", file, "-C", unpacked, "package"]);
  return file;
}
