/** The commands of an operator, as the guides have them. Those that need no queue have none. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commandsOf, type Command } from "../guides/markdown.ts";
import { emptyRedis, testDatabase } from "../support/engine.ts";
import { callApi } from "../support/http-client.ts";
import { freePorts } from "../support/proxies/program.ts";
import { root } from "../support/root.ts";
import {
  plainEnv,
  removeFolder,
  runServer,
  startServer,
  temporaryFolder,
  type Server,
} from "../support/server.ts";

const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;
const quiet = { LOG_LEVEL: "warn" };
const noRedis = "redis://127.0.0.1:1";

const folder = temporaryFolder("operator");

const database = await testDatabase();
/** Settings for an empty database of this name. */
const databaseOf = (suffix: string) => ({
  MONGODB_URL: database.url,
  MONGODB_DATABASE: `${database.name}_${suffix}`,
});
const redis = emptyRedis();
/** A Redis server, or none for the embedded queue. */
const queue: Record<string, string> = redis === undefined ? {} : { REDIS_URL: redis };

after(() => removeFolder(folder));

describe("an operator's command", () => {
  const dataDir = path.join(folder, "doctor");
  let server: Server;
  let env: Record<string, string>;

  before(async () => {
    const [port] = await freePorts(1);
    const keys = { SECRET_KEYS: keyOf("k1", 1) };
    // This machine may have no access to public hosts.
    env = {
      ...quiet,
      ...databaseOf("first"),
      ...queue,
      ...keys,
      PORT: String(port),
      OAUTH_CLIENT_DOCUMENTS: "false",
      MCP_CATALOG_URL: "none",
    };
    server = await startServer({ dataDir, env });
  });
  after(() => server?.stop());

  /** Exit code, and the lines without their padding. */
  async function run(changed: Record<string, string> = {}) {
    const { code, output } = await runServer({
      dataDir,
      env: { ...env, ...changed },
      args: ["doctor"],
      entry: "npm",
    });
    const lines = output.trim().split("\n");
    for (const line of lines) assert.match(line, /^(ok     |note   |problem)  [a-z ]{12}  \S/, output);
    return { code, lines: lines.map((line) => line.replaceAll(/ {2,}/g, " ")) };
  }
  const linesOf = (lines: readonly string[], state: string) => lines.filter((line) => line.startsWith(state));

  it("doctor reports a healthy service", async () => {
    const { code, lines } = await run();

    assert.equal(code, 0, lines.join("\n"));
    const isRedis = queue["REDIS_URL"] !== undefined;
    const expected = [
      /^ok database MongoDB \S+, a server, .+, write concern \S+/,
      isRedis ? /^ok queue Redis \S+, noeviction$/ : /^ok queue embedded$/,
      /^ok git git \d/,
      /^ok outbound Not checked: OAUTH_CLIENT_DOCUMENTS is false$/,
      new RegExp(`^ok address The service responds at ${server.url}$`),
      /^note mail Not configured: /,
      /^note github app Not configured: /,
      /^note catalog Not configured: /,
      /^note identity Not configured: /,
      isRedis ? /^ok clock Differs by \d+\.\d s from / : /^(ok|note) clock /,
      /^ok disk of data \d+ bytes free$/,
      /^ok disk of git \d+ bytes free$/,
      /^ok restore The database and the Git root belong together\.$/,
      /^ok keys Key k1: current, encrypts one stored secret\.$/,
    ];
    assert.equal(lines.length, expected.length, lines.join("\n"));
    for (const [index, line] of lines.entries()) assert.match(line, expected[index]!);
  });

  it("doctor reports engines that can't be opened, each in one sentence, and checks everything else", async () => {
    const withoutQueue = await run({ REDIS_URL: noRedis });
    const withoutDatabase = await run({ MONGODB_URL: "mongodb://127.0.0.1:1/" });

    assert.equal(withoutQueue.code, 1);
    assert.deepEqual(linesOf(withoutQueue.lines, "problem"), [
      "problem queue The job queue can't be opened: connect ECONNREFUSED 127.0.0.1:1. Check REDIS_URL.",
    ]);
    // Without Redis, the clock is compared only with an engine that reports its time.
    const okLines = linesOf(withoutQueue.lines, "ok").filter((line) => !line.startsWith("ok clock"));
    assert.equal(okLines.length, 8);
    assert.equal(withoutDatabase.code, 1);
    assert.deepEqual(linesOf(withoutDatabase.lines, "problem"), [
      "problem database The database can't be opened: connect ECONNREFUSED 127.0.0.1:1. Check MONGODB_URL.",
    ]);
    assert.equal(linesOf(withoutDatabase.lines, "ok").length, 6);
  });

  it("doctor reports keys with which the service would not start, and records nothing of them", async () => {
    for (const [SECRET_KEYS, problem] of [
      [
        keyOf("k1", 9),
        'keys The key "k1" of this process is not the one by which this service encrypts: set SECRET_KEYS',
      ],
      [
        keyOf("k2", 2),
        'keys The key "k1" is missing, which encrypts one stored secret, or which other processes use',
      ],
    ] as const) {
      const { code, lines } = await run({ SECRET_KEYS });

      assert.equal(code, 1);
      const problems = linesOf(lines, "problem");
      assert.equal(problems.length, 1, lines.join("\n"));
      assert.ok(problems[0]!.startsWith(`problem ${problem}`), problems[0]);
    }
    assert.equal((await run()).code, 0);
  });

  it("doctor reports an address that leads to another service, or to this one under another address", async () => {
    const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const alias = server.url.replace("127.0.0.1", "localhost");
    const [unused] = await freePorts(1);

    const aliased = await run({ BASE_URL: alias });
    const elsewhere = await run({ BASE_URL: otherUrl });
    const nowhere = await run({ BASE_URL: `http://127.0.0.1:${unused}` });

    other.close();
    assert.deepEqual(linesOf(aliased.lines, "problem"), [
      `problem address The service at ${alias} has the BASE_URL ${server.url}: set the same for all processes and commands.`,
    ]);
    assert.match(
      linesOf(elsewhere.lines, "problem").join(),
      /^problem address Another server responds at BASE_URL \S+: set BASE_URL to the address/,
    );
    assert.deepEqual([aliased.code, elsewhere.code, nowhere.code], [1, 1, 0]);
    assert.match(
      linesOf(nowhere.lines, "note").join(),
      /^note address Not checked: no service responds at BASE_URL/,
    );
  });

  it("forget-key forgets a lost key, without which the service then starts, and no other", async () => {
    await server.stop();
    const withOther = { ...env, SECRET_KEYS: keyOf("k2", 2) };
    const runWithOther = (...args: string[]) =>
      runServer({ dataDir, env: { ...withOther, REDIS_URL: noRedis }, args, entry: "npm" });
    const refused = await runServer({ dataDir, env: withOther, entry: "npm" });
    assert.equal(refused.code, 1);
    assert.match(refused.output, /^The key "k1" is missing, .* If the key is lost, run forget-key k1\.$/m);

    const unknown = await runWithOther("forget-key", "k9");
    const forgotten = await runWithOther("forget-key", "k1");

    assert.deepEqual(
      [unknown.code, unknown.output],
      [1, 'The service has no key "k9". npm start -- doctor lists its keys.\n'],
    );
    assert.deepEqual(
      [forgotten.code, forgotten.output],
      [0, "Forgot the key k1, which encrypts one stored secret.\n"],
    );
    server = await startServer({ dataDir, env: withOther });
  });
});

describe("the backup that the guide describes", () => {
  const dataDir = path.join(folder, "data");
  const backups = path.join(folder, "backups");
  const examples = [
    ["/var/backups", backups],
    ["$DATA_DIR", dataDir],
  ] as const;
  const withOwn = (text: string) =>
    examples.reduce((changed, [example, own]) => changed.replaceAll(example, own), text);
  const content: Record<string, unknown> = {};
  let login: { email: string; password: string };
  let original: Record<string, string>;
  let restored: Record<string, string>;
  let moved: Record<string, string>;
  const moves: Command[] = [];

  before(() => {
    mkdirSync(backups);
    original = databaseOf("original");
    restored = databaseOf("restored");
    moved = databaseOf("moved");
  });

  /** Executes a command of the guide without a queue, and returns what it wrote, with `N` for each number. */
  function execute({ line }: Command, engines: Record<string, string>): string {
    const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", withOwn(line)], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: plainEnv({
        ...quiet,
        ...engines,
        DATA_DIR: dataDir,
        REDIS_URL: noRedis,
        npm_config_loglevel: "silent",
      }),
    });
    assert.equal(status, 0, `${line}: ${stdout}${stderr}`);
    return numberless(stdout);
  }
  const numberless = (text: string) =>
    text.replaceAll(/\d{4}-[-\dT]+Z/g, "TIME").replaceAll(/[\d.]+ /g, "N ");

  async function readAll(url: string): Promise<Record<string, unknown>> {
    const { headers } = await callApi(url, "POST", "/api/auth/sign-in", { body: login });
    const cookie = headers.getSetCookie()[0]!.split(";")[0]!;
    const { data: skills } = await callApi<{ id: string; slug: string }[]>(url, "GET", "/api/skills", {
      cookie,
    });
    const read: Record<string, unknown> = {};
    for (const { id, slug } of skills)
      read[slug] = [
        (await callApi(url, "GET", `/api/skills/${id}/versions`, { cookie })).data,
        (await callApi<{ content: string }>(url, "GET", `/api/skills/${id}/content`, { cookie })).data
          .content,
      ];
    return read;
  }

  it("is made of a running service", async () => {
    const server = await startServer({ dataDir, env: { ...quiet, ...original, ...queue }, args: ["--demo"] });
    const [, email, password] = /sign in as (\S+) with the password (\S+)/.exec(server.output()) ?? [];
    login = { email: email!, password: password! };
    Object.assign(content, await readAll(server.url));
    assert.equal(Object.keys(content).length, 3);

    const commands = commandsOf("upgrade.md", "Back up");
    assert.equal(commands.length, 1);
    for (const command of commands)
      assert.equal(execute(command, original), numberless(withOwn(command.output)), command.line);

    await server.kill("SIGKILL");
  });

  it("is restored on an empty machine by the lines of the guide, without a queue", async () => {
    removeFolder(dataDir);

    const [command, ...rest] = commandsOf("upgrade.md", "Restore or move");
    assert.equal(execute(command!, restored), numberless(withOwn(command!.output)), command!.line);
    moves.push(...rest);

    const server = await startServer({ dataDir, env: { ...quiet, ...restored, ...queue } });
    assert.equal(server.setupLink, undefined);
    assert.deepEqual(await readAll(server.url), content);
    await server.stop();
  });

  it("is moved to another database server by the lines of the guide", async () => {
    assert.equal(moves.length, 4);
    for (const [index, command] of moves.entries())
      assert.equal(
        execute(command, index === 0 ? restored : moved),
        numberless(withOwn(command.output)),
        command.line,
      );

    const server = await startServer({ dataDir, env: { ...quiet, ...moved, ...queue } });
    assert.deepEqual(await readAll(server.url), content);
    await server.stop();
  });

  const run = (args: string[], engines = moved) =>
    runServer({ dataDir, env: { ...quiet, ...engines, REDIS_URL: noRedis }, args, entry: "npm" });

  it("has nothing to confirm afterwards", async () => {
    const { code, output } = await run(["confirm-restore", "again"]);

    assert.equal(code, 1);
    assert.equal(output, "The database and the Git root belong together: no confirmation is needed.\n");
  });

  it("is refused if it is incomplete, missing, or would go over something", async () => {
    const file = path.join(backups, "database.ndjson");
    const empty = databaseOf("part");
    const part = path.join(backups, "part.ndjson");
    writeFileSync(part, readFileSync(file, "utf8").split("\n").slice(0, -2).join("\n"));

    const incomplete = await run(["import", part], empty);
    const missing = await run(["import", path.join(backups, "absent.ndjson")], empty);
    const over = await run(["import", file]);
    const verified = await run(["verify"], empty);

    assert.deepEqual(
      [incomplete.code, incomplete.output],
      [1, "The export is incomplete: its end is missing. Use a complete copy, or make another export.\n"],
    );
    assert.equal(missing.code, 1);
    assert.match(missing.output, /^ENOENT: no such file or directory, \w+ '\S+absent\.ndjson'\n$/);
    assert.equal(over.code, 1);
    assert.match(over.output, /^The database is not empty: import into a new one, named by MONGODB_DATABASE/);
    assert.deepEqual([verified.code, verified.output], [0, "0 skills, 0 versions, 0 faults.\n"]);
  });
});
