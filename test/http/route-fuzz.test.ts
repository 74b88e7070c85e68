/**
 * Hostile requests to every declared route. `SVC_RUNS` is their number, `SVC_FUZZ_SEED` the seed; the statuses
 * and the memory are printed with `SVC_FUZZ_REPORT=1`.
 */
import assert from "node:assert/strict";
import { Agent, request, type IncomingMessage } from "node:http";
import { after, describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { z } from "zod";
import { serviceRoutes } from "../../src/api.ts";
import { declaredAnswers } from "../support/declared.ts";
import { newFolder } from "../support/organization.ts";
import { openRandom } from "../support/random.ts";
import { runCount } from "../support/run-count.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { hostileRequest, type HostileRequest, type Targets } from "./hostile-requests.ts";

const requests = runCount(500, 100_000);
const firstSeed = Number(process.env["SVC_FUZZ_SEED"] ?? 0);
const atOnce = 4;
/** Accounts and organizations are deleted and signed out during the test. */
const renewEvery = 2500;
const maxDurationMs = 120_000;
const measuredTimes = 20;
const mebibyte = 1024 * 1024;

const failures: string[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

/** Garbage collection on request: the memory in use is measured without garbage. */
const collectGarbage = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

const logged = Object.assign([] as string[], {
  push: (line: string) =>
    line.includes('"level":"error"') && !line.includes('"status":503')
      ? failures.unshift(line.slice(0, 2000))
      : 0,
});
const { service } = await setUpService({ logged });
const routes = serviceRoutes(service.app, service.health);

after(() => agent.destroy());

async function newTargets(admin: { token: string; cookie: string }): Promise<Targets> {
  const { owner, org } = await newOrganization(service);
  const other = await service.newUser();
  const folder = (await newFolder(service, org, owner, "Fuzzed")).id;
  const body = { tenantId: org.slug, name: "Fuzzed", content: "# Fuzzed\n", visibility: "public" };
  const made = await service.call<{ skill: { id: string; slug: string; publicId: string } }>(
    "POST",
    "/api/skills",
    {
      token: owner.token,
      body,
    },
  );
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { skill } = made.data;
  return {
    ids: {
      tenant: [org.id, org.slug],
      skill: [skill.id, skill.publicId, `${org.slug}~${skill.slug}`, `${skill.slug}.git`],
      org: [org.slug],
      folder: [folder],
      publicId: [skill.publicId],
      userId: [owner.id, other.id],
      token: ["x"],
      id: [org.id, skill.id, folder],
      file: ["admin.js"],
      path: ["SKILL.md", "a/b/c"],
      upload: ["x"],
      queue: ["mail", "sync"],
    },
    tokens: [owner.token, owner.token, other.token, admin.token],
    cookies: [owner.cookie, other.cookie, admin.cookie],
  };
}

interface Answered {
  status: number;
  ms: number;
}

/**
 * Sends one request and reads the response, up to a size: a stream of events has no end. Rejects if nothing is
 * received.
 */
function send(hostile: HostileRequest): Promise<Answered & { response: IncomingMessage; text: string }> {
  const { hostname, port } = new URL(service.url);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = hostile;
    const length = body ? { "content-length": String(body.length) } : {};
    const call = request(
      { hostname, port, method, path, agent, headers: { ...headers, ...length } },
      (response) => {
        const pieces: Buffer[] = [];
        const done = () =>
          resolve({
            response,
            status: response.statusCode ?? 0,
            ms: performance.now() - started,
            text: decoded(response, Buffer.concat(pieces)),
          });
        response.on("data", (piece: Buffer) => {
          pieces.push(piece);
          if (String(response.headers["content-type"]).startsWith("text/event-stream")) response.destroy();
        });
        response.once("end", done).once("close", done).once("error", done);
      },
    );
    call.setTimeout(maxDurationMs, () => call.destroy(new Error(`nothing came within ${maxDurationMs} ms`)));
    call.once("error", reject);
    call.end(body);
  });
}

/** A request may ask for a compressed response. One that was cut is left as it is. */
function decoded({ headers }: IncomingMessage, bytes: Buffer): string {
  const decompress = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[
    headers["content-encoding"] ?? ""
  ];
  try {
    return (decompress?.(bytes) ?? bytes).toString();
  } catch {
    return bytes.toString();
  }
}

const shown = ({ method, path, headers, body }: HostileRequest) =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 500)} ${body?.toString("latin1").slice(0, 300) ?? ""}`;

describe("hostile requests", () => {
  it(
    `get ${requests} responses, without a failure of the service, in constant memory`,
    { timeout: 7_200_000 },
    async () => {
      const admin = await service.newUser();
      await service.app.storage.database.raw
        .collection<{ _id: string; isAdministrator: boolean }>("users")
        .updateOne({ _id: admin.id }, { $set: { isAdministrator: true } });
      const check = declaredAnswers(routes);
      const problems: string[] = [];
      const addProblem = (problem: string) => {
        problems.push(problem);
        if (process.env["SVC_FUZZ_REPORT"]) process.stderr.write(`${problem}\n`);
      };
      const statuses = new Map<number, number>();
      const memory: number[] = [];
      let targets = await newTargets(admin);
      let next = firstSeed;
      let [slowestMs, slowest] = [0, ""];

      const sendOne = async (seed: number) => {
        const hostile = hostileRequest(openRandom(seed), routes, targets);
        try {
          const { response, status, ms, text } = await send(hostile);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (ms > slowestMs) [slowestMs, slowest] = [ms, `${seed}: ${shown(hostile)}`];
          if (status === 500)
            addProblem(`seed ${seed}: ${status} ${text.slice(0, 300)} for ${shown(hostile)}`);
          if (status === 503 && process.env["SVC_FUZZ_REPORT"])
            process.stderr.write(`${text.slice(0, 200)} for ${shown(hostile).slice(0, 200)}\n`);
          const isJson = String(response.headers["content-type"]).includes("json");
          // Device approval responds in the form of RFC 8628.
          const isOurs = hostile.path.startsWith("/api/") && !hostile.path.startsWith("/api/auth/device/");
          if (status >= 400 && isJson && isOurs && hostile.method !== "HEAD")
            check({
              method: hostile.method,
              path: "/api/",
              status,
              headers: new Headers({ "x-request-id": String(response.headers["x-request-id"]) }),
              body: JSON.parse(text),
            });
        } catch (error) {
          const { code, message } = error as NodeJS.ErrnoException;
          // The body is still being sent when the response has arrived and the connection is closed.
          if (code !== "ECONNRESET" && code !== "EPIPE")
            addProblem(`seed ${seed}: ${message.slice(0, 500)} for ${shown(hostile)}`);
          statuses.set(0, (statuses.get(0) ?? 0) + 1);
        }
      };
      const stretch = Math.min(renewEvery, Math.max(1, Math.ceil(requests / measuredTimes)));
      for (let end = firstSeed; end < firstSeed + requests;) {
        end = Math.min(end + stretch, firstSeed + requests);
        await Promise.all(
          Array.from({ length: atOnce }, async () => {
            while (next < end) await sendOne(next++);
          }),
        );
        await service.settled();
        collectGarbage();
        const { heapUsed, external, rss } = process.memoryUsage();
        memory.push(Math.round((heapUsed + external) / mebibyte));
        if (process.env["SVC_FUZZ_REPORT"])
          process.stderr.write(
            `${end} requests, ${memory.at(-1)} MiB in use, ${Math.round(rss / mebibyte)} MiB resident, ${problems.length} problems\n`,
          );
        if ((end - firstSeed) % renewEvery < stretch) targets = await newTargets(admin);
      }
      if (process.env["SVC_FUZZ_REPORT"])
        process.stderr.write(
          `${JSON.stringify({ statuses: [...statuses].sort(([a], [b]) => a - b), memory, slowestMs, slowest })}\n`,
        );

      assert.deepEqual(problems.slice(0, 10), []);
      assert.deepEqual(failures.slice(0, 5), [], "nothing is logged as a failure");
      assert.equal((await service.raw("GET", "/healthz")).status, 200);
      // Few requests are right enough to create anything: which ones changes with each new route.
      const rare = requests >= 5000 ? [201, 413] : [];
      for (const status of [200, ...rare, 400, 401, 403, 404, 405, 415])
        assert.ok(
          (statuses.get(status) ?? 0) > 0,
          `no ${status} was reached: ${JSON.stringify([...statuses])}`,
        );
      assert.ok((statuses.get(0) ?? 0) < requests / 50, "most requests are answered");
      // By then, caches and compiled code have reached their size.
      const growth = memory.at(-1)! - memory[Math.floor(memory.length / 4)]!;
      assert.ok(growth < 40, `the memory in use grew by ${growth} MiB: ${memory.join(", ")}`);
    },
  );

  it("are rejected quickly by every schema, whatever the length of their texts", () => {
    const texts = ["a", "1", "-", " ", "/", ".", "@", "a.", "\n"].map((unit) => `${unit.repeat(200_000)}!`);
    for (const { path, method, body, query, params } of routes)
      for (const schema of [body, query, params]) {
        if (!schema) continue;
        const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
        for (const text of texts) {
          const value = Object.fromEntries(Object.keys(properties).map((name) => [name, text]));
          const lists = Object.fromEntries(Object.keys(properties).map((name) => [name, [text]]));
          const started = process.cpuUsage();
          schema.safeParse(value);
          schema.safeParse(lists);
          const { user } = process.cpuUsage(started);
          assert.ok(
            user < 500_000,
            `${method} ${path}: ${user / 1000} ms for ${JSON.stringify(text.slice(0, 3))}…`,
          );
        }
      }
  });
});
