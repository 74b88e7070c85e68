/** Calls that must be rejected: with the code and a message, and without storing anything, even temporarily. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import net from "node:net";
import { afterEach } from "node:test";
import type { FailureCode } from "../../contract/errors.ts";
import type { CallOptions, TestService, TestUser } from "./service.ts";

/** A summary of the stored data: documents that calls could add to, and files. */
async function stored(service: TestService): Promise<string> {
  await service.settled();
  const { raw } = service.app.storage.database;
  const hash = createHash("sha256");
  for (const name of [
    "skills",
    "versions",
    "manifests",
    "uploads",
    "tenants",
    "tokens",
    "memberships",
    "audit_events",
  ]) {
    for (const row of await raw.collection(name).find().sort({ _id: 1 }).toArray())
      hash.update(JSON.stringify({ ...row, lastUsedAt: undefined }));
  }
  const root = service.app.config.gitRoot;
  hash.update(existsSync(root) ? readdirSync(root, { recursive: true }).map(String).sort().join() : "");
  return hash.digest("hex");
}

/** Asserts that the call fails by this code, and the stored data is unchanged. */
export async function refuses(
  service: TestService,
  code: FailureCode,
  method: string,
  target: string,
  options: CallOptions = {},
  what = "",
): Promise<void> {
  const before = await stored(service);
  const answer = await service.call(method, target, options);
  const shown = `${what} ${method} ${target.slice(0, 100)}: ${JSON.stringify(answer.body).slice(0, 300)}`;
  assert.equal(answer.code, code, shown);
  assert.equal(await stored(service), before, `stored something: ${shown}`);
}

/** Sends raw bytes and returns the received ones when the connection ends. */
export function send(service: TestService, lines: string[], body: Buffer[] = []): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const socket = net.connect(Number(port), hostname);
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("close", () => resolve(text));
    socket.on("error", (error) => (text === "" ? reject(error) : resolve(text)));
    socket.setTimeout(60_000, () => socket.destroy());
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    for (const chunk of body) socket.write(chunk);
  });
}

/** Calls by a user, for the tests of a file; a test fails if the service has logged an error. */
export function refusalsTo(caller: () => { service: TestService; user: TestUser }, logged: string[]) {
  afterEach(() => {
    const failed = logged.filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(failed.splice(0), [], "nothing here is a failure of ours");
  });
  return {
    refuses(code: FailureCode, method: string, target: string, options: CallOptions = {}, what = "") {
      const { service, user } = caller();
      return refuses(service, code, method, target, { token: user.token, ...options }, what);
    },
    send: (lines: string[], chunks: Buffer[] = []) => send(caller().service, lines, chunks),
    auth: () => `Authorization: Bearer ${caller().user.token}`,
  };
}
