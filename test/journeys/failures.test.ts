/**
 * What goes wrong, with the built `svc` against the built service: every code of the closed set, each by a real run
 * whose error object keeps the contract, with nothing on stdout and nothing left half done. Between the two stands a
 * gateway that can answer in the service's place, as a broken network or a hostile server would.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer, request as openRequest } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type CliCode, cliCodes } from "../../contract/errors.ts";
import { type Cli, type CliFailure, openCli } from "../support/cli.ts";
import { snapshot } from "../support/file-tree.ts";
import { type Account, callApi, newAccount, newOrganization } from "../support/http-client.ts";
import {
  type Server,
  assertNothingRuns,
  plainEnv,
  removeFolder,
  root,
  startServer,
  temporaryFolder,
} from "../support/server.ts";

/** Answers in the service's place; false lets the service answer. */
type Fault = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

let dataDir: string;
let work: string;
let server: Server;
let ada: Account;
let acme: string;
let gateway: { url: string; fault: Fault; seen: string[]; close: () => Promise<void> };
const homes: string[] = [];
const reached = new Map<CliCode, string>();

before(async () => {
  dataDir = temporaryFolder("failures");
  work = realpathSync(temporaryFolder("work"));
  gateway = await openGateway(() => server.url);
  server = await startServer({ dataDir });
  ada = await newAccount(server.url, "ada", server.setupLink);
  acme = await newOrganization(server.url, ada, "acme");
  writeFileSync(path.join(work, "review.md"), "# Review\n");
  mkdirSync(path.join(work, "kit"));
  writeFileSync(path.join(work, "kit", "SKILL.md"), "---\nname: kit\ndescription: A kit\n---\n\n# Kit\n");
  writeFileSync(path.join(work, "kit", "data.bin"), Buffer.alloc(300_000, 7));
  const svc = open().cli;
  await svc.json(["publish", "review.md"]);
  await svc.json(["publish", "kit"]);
});

after(async () => {
  await gateway.close();
  await server.stop();
  await assertNothingRuns(dataDir);
  for (const folder of [dataDir, work, ...homes]) removeFolder(folder);
});

async function openGateway(target: () => string): Promise<typeof gateway> {
  const made: typeof gateway = { url: "", fault: () => false, seen: [], close: async () => {} };
  const listener = createServer((request, response) => {
    const url = new URL(request.url!, target());
    made.seen.push(`${request.method} ${url.pathname}`);
    if (made.fault(request, response, url)) return;
    const { "accept-encoding": _zipped, ...headers } = request.headers;
    const onward = openRequest(url, { method: request.method, headers }, (answer) => {
      const isJson = answer.headers["content-type"]?.includes("json") === true;
      if (!isJson) {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
        return;
      }
      // Addresses that the service hands out lead through here too.
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const { "content-length": _length, ...kept } = answer.headers;
        response.writeHead(answer.statusCode!, kept);
        response.end(Buffer.concat(chunks).toString("utf8").replaceAll(target(), made.url));
      });
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
  made.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  made.close = async () => {
    listener.closeAllConnections();
    await new Promise((closed) => listener.close(closed));
  };
  return made;
}

/** A home of its own, behind the gateway; signed in as `ada` unless told otherwise. */
function open(env: Record<string, string> = { SVC_TOKEN: ada.token }) {
  const home = realpathSync(temporaryFolder("failing"));
  homes.push(home);
  gateway.fault = () => false;
  gateway.seen.length = 0;
  const cli: Cli = openCli({ home, apiUrl: () => gateway.url, cwd: work });
  const withEnv: Cli = {
    ...cli,
    run: (args, given) => cli.run(args, { ...given, env: { ...env, ...given?.env } }),
    json: (args, given) => cli.json(args, { ...given, env: { ...env, ...given?.env } }),
    failure: (args, given) => cli.failure(args, { ...given, env: { ...env, ...given?.env } }),
    start: (args, given) => cli.start(args, { ...given, env: { ...env, ...given?.env } }),
  };
  return { home, cli: withEnv };
}

/** Runs to the failure that is expected, for programs and for people alike. */
async function fails(
  svc: Cli,
  args: readonly string[],
  code: CliCode,
  details: Record<string, unknown> = {},
): Promise<CliFailure> {
  const error = await svc.failure(args);
  assert.equal(error.code, code, JSON.stringify(error));
  for (const [key, value] of Object.entries(details)) assert.deepEqual(error.details?.[key], value, key);
  assert.match(error.message, /^\S.*[.!?]$/s, error.message);
  assert.doesNotMatch(error.message, /\bat \S+:\d+|undefined|\[object/, error.message);
  const shown = await svc.run(args);
  assert.deepEqual([shown.code, shown.stdout], [1, ""], shown.stderr);
  assert.ok(shown.stderr.startsWith("error ") && shown.stderr.endsWith(`  ${code}\n`), shown.stderr);
  reached.set(code, args.join(" "));
  return error;
}

const install = (ref: string) => ["install", ref, "-t", "claude", "-g"];
const reply = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
};

describe("what a command line gets wrong", () => {
  it("is told before anything is asked of the service", async () => {
    const { cli } = open();
    for (const [args, flag] of [
      [["whoami", "--wat"], "--wat"],
      [["list", "--tag"], "--tag"],
      [["list", "--tag", "a", "--tag", "b"], "--tag"],
      [["list", "--public", "--installed"], "--installed"],
      [["install", "x", "-t", "vim", "-g"], "--target"],
      [["install", "x@not-a-version", "-t", "claude", "-g"], "<ref>"],
      [["push", "review.md", "--skill", "x", "--version", "1.2"], "--version"],
      [["profile", "create", "Not/A Name"], "<name>"],
      [["login", "--token", "hunter2"], "--token"],
      [["login", "--oidc-token", "x"], "--team"],
      [["login", "--team", "acme"], "--team"],
      [["versions", "review", "--limit", "0"], "--limit"],
      [["publish", "empty.md"], "<path>"],
      [["publish", "binary.md"], "<path>"],
      [["publish", "loop.md"], "<path>"],
    ] as const) {
      writeFileSync(path.join(work, "empty.md"), "");
      writeFileSync(path.join(work, "binary.md"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]));
      if (!existsSync(path.join(work, "pipe.md"))) spawnSync("mkfifo", [path.join(work, "pipe.md")]);
      spawnSync("ln", ["-sfn", "loop.md", path.join(work, "loop.md")]);
      await fails(cli, args, "E_INVALID_ARGUMENT", { flag });
    }
    await fails(cli, ["publish", "pipe.md"], "E_INVALID_ARGUMENT", { kind: "path", ref: "pipe.md" });
    for (const [args, flag] of [
      [["install"], "<ref>"],
      [["install", "review"], "--target"],
      [["install", "review", "-t", "claude"], "--global"],
      [["uninstall"], "<slug>"],
      [["publish"], "<path>"],
    ] as const) {
      const error = await cli.failure(args);
      assert.deepEqual([error.code, error.details], ["E_INTERACTION_REQUIRED", { flag }], args.join(" "));
    }
    reached.set("E_INTERACTION_REQUIRED", "install");
    assert.deepEqual(gateway.seen, []);
  });
});

describe("what is not there, there already, or not for everybody", () => {
  it("is named with its kind", async () => {
    const { cli } = open();
    for (const [args, kind, ref] of [
      [install("no-such-skill"), "skill", "no-such-skill"],
      [["uninstall", "review"], "installedSkill", "review"],
      [["publish", "missing.md"], "path", "missing.md"],
      [["folders", "--team", "nobody"], "team", "nobody"],
      [["move", "review", "no/where"], "folder", "no/where"],
      [["whoami", "--profile", "gone"], "profile", "gone"],
    ] as const)
      await fails(cli, args, "E_NOT_FOUND", { kind, ref });
    await fails(cli, ["publish", "review.md", "--create"], "E_ALREADY_EXISTS");
    await cli.json(["profile", "create", "twice"]);
    await fails(cli, ["profile", "create", "twice"], "E_ALREADY_EXISTS", { kind: "profile" });
    await fails(cli, ["push", "review.md", "-s", "review", "--version", "0.0.1"], "E_API", {
      httpStatus: 422,
    });
  });

  it("is told to somebody without a login, or without the right", async () => {
    const { cli: nobody } = open({});
    await fails(nobody, ["whoami"], "E_NOT_AUTHENTICATED", { httpStatus: 401 });
    await fails(nobody, ["list"], "E_NOT_AUTHENTICATED");
    const readOnly = await callApi<{ token: string }>(server.url, "POST", "/api/user/tokens", {
      cookie: ada.cookie,
      body: { name: "reader", scopes: { skill: ["read"] } },
    });
    assert.equal(readOnly.status, 201, readOnly.error);
    const { cli: reader } = open({ SVC_TOKEN: readOnly.data.token });
    await fails(reader, ["push", "review.md", "-s", "review", "--major"], "E_FORBIDDEN", { httpStatus: 403 });
  });

  it("asks which one is meant", async () => {
    const second = await newOrganization(server.url, ada, "second");
    const { cli } = open();
    await cli.json(["publish", "review.md", "--team", second]);
    const error = await fails(cli, install("review"), "E_AMBIGUOUS");
    assert.equal((error.details!["candidates"] as unknown[]).length, 2);
    await fails(cli, ["move", "review", "/"], "E_AMBIGUOUS");
    const asked = await cli.failure(["publish", "review.md"]);
    assert.deepEqual([asked.code, asked.details], ["E_INTERACTION_REQUIRED", { flag: "--team" }]);
  });

  it("is a foreign file at the destination: it stays", async () => {
    const { cli, home } = open();
    const foreign = path.join(home, ".claude", "skills", "kit", "SKILL.md");
    mkdirSync(path.dirname(foreign), { recursive: true });
    writeFileSync(foreign, "mine\n");
    for (const args of [install("kit"), [...install("kit"), "--force"]]) {
      const error = await fails(cli, args, "E_NO_TARGETS");
      assert.deepEqual(
        (error.details!["skipped"] as { platform: string }[]).map(({ platform }) => platform),
        ["claude"],
      );
    }
    assert.equal(readFileSync(foreign, "utf8"), "mine\n");
    assert.deepEqual(await cli.json(["list", "--installed"]), []);
  });

  it("is a version that a frozen pull would leave", async () => {
    const { cli } = open();
    await cli.json(install("acme/review"));
    writeFileSync(path.join(work, "review.md"), "# Review twice\n");
    await cli.json(["push", "review.md", "-s", "acme/review"]);
    await fails(cli, ["pull", "--frozen"], "E_VERSION_CHANGED", {
      skill: "review",
      from: "1.0.0",
      to: "1.0.1",
    });
  });

  it("is a folder that is no package", async () => {
    mkdirSync(path.join(work, "bare"), { recursive: true });
    writeFileSync(path.join(work, "bare", "README.md"), "x");
    const { cli } = open();
    await fails(cli, ["publish", "bare"], "E_PACK_FAILED", { kind: "content", rule: "root_file_missing" });
    await fails(cli, ["push", "bare", "-s", "kit"], "E_PACK_FAILED", { kind: "content" });
  });
});

describe("a service that does not answer as it should", () => {
  const outcomes: [string, Fault, CliCode, Record<string, unknown>][] = [
    ["drops the connection", (_request, response) => Boolean(response.destroy()), "E_NETWORK", {}],
    [
      "is a page",
      (_request, response) => reply(response, 200, "<html>Welcome</html>", { "content-type": "text/html" }),
      "E_NETWORK",
      { httpStatus: 200 },
    ],
    [
      "is a page of 500",
      (_request, response) => reply(response, 500, "<html>"),
      "E_API",
      { httpStatus: 500 },
    ],
    [
      "is too busy, for long",
      (_request, response) => reply(response, 429, { error: "Slowly." }, { "retry-after": "3600" }),
      "E_API",
      { httpStatus: 429 },
    ],
    [
      "moves elsewhere",
      (_request, response) => reply(response, 302, "", { location: "https://elsewhere.example.com/" }),
      "E_NETWORK",
      { httpStatus: 302 },
    ],
    [
      "announces more than it sends",
      (_request, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write("{");
        setTimeout(() => response.destroy(), 20);
        return true;
      },
      "E_NETWORK",
      {},
    ],
    [
      "says nonsense with a 409",
      (_request, response) => reply(response, 409, "[]"),
      "E_ALREADY_EXISTS",
      { httpStatus: 409 },
    ],
  ];
  for (const [what, fault, code, details] of outcomes)
    it(`is ${code} when it ${what}`, async () => {
      const { cli, home } = open();
      gateway.fault = fault;
      await fails(cli, ["whoami"], code, details);
      assert.deepEqual(readdirSync(home), [], "nothing is kept of it");
    });

  it("is E_NETWORK when nothing listens, or the name is none", async () => {
    const { cli } = open();
    for (const apiUrl of ["http://127.0.0.1:1", "http://nowhere.invalid"]) {
      const error = await cli.failure(["whoami"], { env: { SVC_API_URL: apiUrl } });
      assert.equal(error.code, "E_NETWORK");
    }
    const error = await cli.failure(["whoami"], { env: { SVC_API_URL: "ftp://x" } });
    assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", "SVC_API_URL"]);
  });

  for (const [what, spoil] of [
    [
      "cut",
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "application/zip", "content-length": "300000" });
        response.write(Buffer.alloc(1000));
        setTimeout(() => response.destroy(), 20);
        return true;
      },
    ],
    [
      "of other bytes",
      (response: ServerResponse) => reply(response, 200, "PK nothing", { "content-type": "application/zip" }),
    ],
    ["a page", (response: ServerResponse) => reply(response, 200, "<html>", { "content-type": "text/html" })],
  ] as const)
    it(`installs nothing of a download that is ${what}`, async () => {
      const { cli, home } = open();
      gateway.fault = (_request, response, url) => url.pathname.endsWith("/package") && spoil(response);
      await fails(cli, install("kit"), "E_NETWORK");
      assertUntouched(home);
      gateway.fault = () => false;
      await cli.json(install("kit"));
    });

  it("installs nothing whose digest is another", async () => {
    const { cli, home } = open();
    gateway.fault = (_request, response, url) =>
      url.pathname.endsWith("/content") &&
      reply(response, 200, {
        success: true,
        data: { content: "# Something else\n", hash: "0".repeat(64), version: 1, semver: "1.0.0" },
      });
    await fails(cli, install("acme/review"), "E_NETWORK", { kind: "content" });
    assertUntouched(home);
  });

  it("is E_UPLOAD_FAILED when an upload does not arrive", async () => {
    const { cli, home } = open();
    writeFileSync(path.join(work, "kit", "more.txt"), "more");
    gateway.fault = (request, response) => {
      if (request.method !== "PUT") return false;
      response.destroy();
      return true;
    };
    await fails(cli, ["push", "kit", "-s", "kit"], "E_UPLOAD_FAILED");
    assert.deepEqual(readdirSync(path.join(home, ".svc", "tmp")), []);
  });

  for (const [answer, code] of [
    ["access_denied", "E_AUTH_DENIED"],
    ["expired_token", "E_AUTH_EXPIRED"],
    ["invalid_grant", "E_AUTH_EXPIRED"],
  ] as const)
    it(`is ${code} when a login ends with ${answer}`, async () => {
      const { cli, home } = open({});
      gateway.fault = (_request, response, url) => {
        if (url.pathname === "/api/auth/device/code")
          return reply(response, 200, {
            device_code: "d",
            user_code: "BCDF-GHJK",
            verification_uri: `${gateway.url}/device`,
            expires_in: 600,
            interval: 1,
          });
        return reply(response, 400, { error: answer });
      };
      const login = cli.start(["login", "-o", "json"]);
      assert.equal((await login.line(0))["status"], "pending");
      const { code: exit, stdout, stderr } = await login.ended;
      assert.deepEqual([exit, stdout.split("\n").length], [1, 2]);
      assert.equal((JSON.parse(stderr) as { error: { code: string } }).error.code, code);
      reached.set(code, "login");
      assert.ok(!existsSync(path.join(home, ".svc", "config.json")));
    });

  it("offers no exchange of identity tokens, and says so", async () => {
    const { cli, home } = open({});
    const error = await fails(cli, ["login", "--oidc-token", "ey", "--team", "acme"], "E_API", {
      httpStatus: 404,
    });
    assert.match(error.message, /no exchange/);
    gateway.fault = (_request, response) => reply(response, 404, "<html>");
    await fails(cli, ["login", "--oidc-token", "ey", "--team", "acme"], "E_API", { httpStatus: 404 });
    assert.deepEqual(readdirSync(home), []);
  });
});

function assertUntouched(home: string): void {
  assert.ok(!existsSync(path.join(home, ".claude")));
  assert.deepEqual(readdirSync(path.join(home, ".svc", "tmp")), []);
  const config = path.join(home, ".svc", "config.json");
  if (existsSync(config))
    assert.deepEqual(
      (JSON.parse(readFileSync(config, "utf8")) as { profiles: { default: { installed: object } } }).profiles
        .default.installed,
      {},
    );
}

describe("a disk that takes no more", () => {
  /** `svc` under a limit of the shell's, in blocks of 512 bytes or 1 KiB. */
  const limited = (home: string, blocks: number, ...args: string[]) =>
    spawnSync(
      "sh",
      [
        "-c",
        `ulimit -f ${blocks}; exec "$0" "$@"`,
        process.execPath,
        path.join(root, "bin", "svc"),
        ...args,
        "-o",
        "json",
      ],
      {
        cwd: work,
        env: plainEnv({ HOME: home, SVC_API_URL: server.url, SVC_TOKEN: ada.token }),
        encoding: "utf8",
      },
    );

  it("leaves what was there, and is enough again once there is room", async () => {
    const { cli, home } = open();
    await cli.json(["profile", "create", "before"]);
    const held = snapshot(home);

    const { status, stdout, stderr } = limited(home, 32, ...install("kit"));

    assert.deepEqual([status, stdout], [1, ""], stderr);
    const { error } = JSON.parse(stderr) as { error: CliFailure };
    assert.equal(error.code, "E_INTERNAL");
    assert.match(error.message, /may not be that large/);
    reached.set("E_INTERNAL", "install");
    rmSync(path.join(home, ".svc", "tmp"), { recursive: true, force: true });
    rmSync(path.join(home, ".svc", "cache"), { recursive: true, force: true });
    assert.deepEqual(snapshot(home), held);
    await cli.json(install("kit"));
  });

  const mountable = whyNoMount();
  it("is told as full, and as read-only", mountable === undefined ? {} : { skip: mountable }, async () => {
    const { cli, home } = open();
    mount(home, "size=256k");
    try {
      await cli.json(["profile", "create", "before"]);
      const held = readFileSync(path.join(home, ".svc", "config.json"), "utf8");
      const full = await fails(cli, install("kit"), "E_INTERNAL");
      assert.match(full.message, /disk is full/i);
      assert.equal(readFileSync(path.join(home, ".svc", "config.json"), "utf8"), held);
      assert.ok(!existsSync(path.join(home, ".claude", "skills", "kit")));
      // Not even room for the config: it stays as it is.
      writeFileSync(path.join(home, "filler"), "");
      spawnSync("dd", ["if=/dev/zero", `of=${path.join(home, "filler")}`, "bs=4k"]);
      const stuck = await fails(cli, ["profile", "create", "after"], "E_INTERNAL");
      assert.match(stuck.message, /disk is full/i);
      assert.equal(readFileSync(path.join(home, ".svc", "config.json"), "utf8"), held);
      rmSync(path.join(home, "filler"));
      await cli.json(["profile", "create", "after"]);

      assert.equal(spawnSync("mount", ["-o", "remount,ro", home]).status, 0);
      for (const args of [["profile", "create", "later"], install("acme/review"), ["logout"]]) {
        const error = await cli.failure(args);
        assert.equal(error.code, "E_INTERNAL", args.join(" "));
        assert.match(error.message, /read-only/, args.join(" "));
      }
      assert.equal(((await cli.json(["profile", "list"])) as unknown[]).length, 3);
      await cli.json(["whoami"]);
    } finally {
      spawnSync("umount", [home]);
    }
  });
});

function mount(folder: string, options: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status === 0;
}

/** Why no small disk can be made here. The limit of the shell is tried everywhere. */
function whyNoMount(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root to mount a small disk";
  const folder = temporaryFolder("mount");
  const isPossible = mount(folder, "size=64k");
  if (isPossible) spawnSync("umount", [folder]);
  removeFolder(folder);
  return isPossible ? undefined : "needs the right to mount a small disk";
}

describe("a damaged config", () => {
  it("is kept aside, told to people, and never lost", async () => {
    const { cli, home } = open();
    mkdirSync(path.join(home, ".svc"));
    writeFileSync(path.join(home, ".svc", "config.json"), '{"version":1,"profi');
    const ran = await cli.run(["profile", "list"]);
    assert.equal(ran.code, 0);
    assert.match(ran.stderr, /^warning .* was damaged \(it is not JSON\) and is kept as .*damaged-/);
    const [kept] = readdirSync(path.join(home, ".svc")).filter((name) => name.includes("damaged"));
    assert.equal(readFileSync(path.join(home, ".svc", kept!), "utf8"), '{"version":1,"profi');
    await cli.json(["profile", "create", "work"]);
    assert.equal((await cli.run(["profile", "list"])).stderr, "");
  });
});

describe("the token of SVC_TOKEN", () => {
  it("is kept nowhere, whatever is done with it", async () => {
    const { cli, home } = open();
    await cli.json(["whoami"]);
    await cli.json(install("acme/review"));
    await cli.json(["pull"]);
    await cli.json(["profile", "create", "work"]);
    await cli.json(["login", "--token", ada.token], { env: { SVC_TOKEN: `lsk_${"0".repeat(64)}` } });
    await cli.json(["logout"]);
    const files = snapshot(home);
    assert.ok(!JSON.stringify(files).includes(ada.token));
    for (const name of readdirSync(path.join(home, ".svc"), { recursive: true, encoding: "utf8" })) {
      const file = path.join(home, ".svc", name);
      if (name.endsWith(".json")) assert.doesNotMatch(readFileSync(file, "utf8"), /lsk_/, name);
    }
  });
});

describe("the closed set of codes", () => {
  it("has been reached in full by the runs above", () => {
    assert.ok(acme);
    assert.deepEqual(
      cliCodes.filter((code) => !reached.has(code)),
      [],
    );
  });
});
