// A git server in a process of its own: `git http-backend` behind HTTP on loopback. It applies the troubles that its
// parent requests; started by `git-host.ts`. Plain JavaScript, since forking a small process takes less time.
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @import { IncomingMessage, ServerResponse } from "node:http"
 * @import { FromChild, ToChild, Trouble } from "./git-host.ts"
 */

const root = process.argv[2] ?? "";
/** Started without `git`, which would not hand a signal on: where a body ends early, it reads without end. */
const httpBackend = path.join(
  execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(),
  "git-http-backend",
);
/** @type {Set<import("node:child_process").ChildProcess>} */
const backends = new Set();
/** @type {Trouble[]} */
const troubles = [];
/** @type {Map<string, string>} */
const credentials = new Map();
/** @type {Set<string>} */
const gates = new Set();
/** @type {Map<number, () => void>} */
const held = new Map();
let sequence = 0;

/** @param {FromChild} message */
const tell = (message) => process.send?.(message);

/**
 * @param {IncomingMessage} request
 * @returns {Trouble["on"]}
 */
function stepOf(request) {
  const url = request.url ?? "";
  if (url.endsWith("service=git-receive-pack")) return "push-refs";
  if (url.endsWith("service=git-upload-pack")) return "fetch-refs";
  return url.endsWith("/git-receive-pack") ? "push" : "fetch";
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function serve(request, response) {
  const step = stepOf(request);
  const repository = /^\/([^/]+)\.git\//.exec(request.url ?? "")?.[1] ?? "";
  tell({ kind: "asked", step, authorization: request.headers.authorization ?? null });
  const secret = credentials.get(repository);
  const expected = `Basic ${Buffer.from(`x-access-token:${secret}`).toString("base64")}`;
  if (secret !== undefined && request.headers.authorization !== expected) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("who are you?");
    return;
  }
  const at = troubles.findIndex((trouble) => trouble.on === step);
  const trouble = at === -1 ? undefined : troubles[at];
  if (trouble !== undefined && trouble.times !== undefined && --trouble.times <= 0) troubles.splice(at, 1);
  if (trouble?.answer !== undefined) {
    const { status, headers = {}, body = "" } = trouble.answer;
    request.resume();
    response.writeHead(status, headers).end(body);
    return;
  }
  if (trouble?.silent === true) return;
  if (trouble?.delayMs !== undefined) await sleep(trouble.delayMs);
  if (step === "push" && gates.delete(repository)) {
    const id = sequence++;
    await new Promise((resolve) => {
      held.set(id, resolve);
      tell({ kind: "held", id });
    });
  }
  backend(request, response, trouble);
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {Trouble | undefined} trouble
 */
function backend(request, response, trouble) {
  // The client has left while the request was held.
  if (response.destroyed) return;
  const url = new URL(request.url ?? "/", "http://localhost");
  const child = spawn(httpBackend, {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: "x-access-token",
      REMOTE_ADDR: "127.0.0.1",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      ...(request.headers["content-length"] === undefined
        ? {}
        : { CONTENT_LENGTH: request.headers["content-length"] }),
      ...(request.headers["content-encoding"] === undefined
        ? {}
        : { HTTP_CONTENT_ENCODING: request.headers["content-encoding"] }),
      ...(request.headers["git-protocol"] === undefined
        ? {}
        : { GIT_PROTOCOL: String(request.headers["git-protocol"]) }),
    },
  });
  backends.add(child);
  child.once("close", () => backends.delete(child));
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let sent = 0;
  /** @param {Buffer} data */
  const pass = (data) => {
    const most = trouble?.cutAfterBytes;
    if (most !== undefined && sent + data.length > most) {
      response.write(data.subarray(0, most - sent), () => response.destroy());
      child.kill("SIGKILL");
      return;
    }
    sent += data.length;
    response.write(data);
  };
  child.stdout.on("data", (/** @type {Buffer} */ data) => {
    if (head === undefined) return pass(data);
    head = Buffer.concat([head, data]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    const lines = head.toString("latin1", 0, end).split("\r\n");
    let status = 200;
    for (const line of lines) {
      const colon = line.indexOf(":");
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    const rest = head.subarray(end + 4);
    head = undefined;
    if (trouble?.loseAnswer === true) {
      // The host has done its work before the response, which is lost.
      child.once("close", () => response.destroy());
      child.stdout.removeAllListeners("data").resume();
      return;
    }
    if (rest.length > 0) pass(rest);
  });
  child.once("close", () => response.end());
  response.once("close", () => child.kill("SIGKILL"));
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});

process.on("message", (/** @type {ToChild} */ message) => {
  if (message.kind === "trouble") troubles.push(message.trouble);
  else if (message.kind === "calm") {
    troubles.length = 0;
    gates.clear();
  } else if (message.kind === "secret") credentials.set(message.repository, message.secret);
  else if (message.kind === "gate") gates.add(message.repository);
  else {
    held.get(message.id)?.();
    held.delete(message.id);
  }
  tell({ kind: "done" });
});
process.on("disconnect", () => {
  for (const child of backends) child.kill("SIGKILL");
  process.exit(0);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  tell({ kind: "listening", port: typeof address === "object" && address !== null ? address.port : 0 });
});
