/**
 * Failures of the built `svc` against the built service: every code of the closed set, each by a real run whose error
 * object has the specified form, with nothing on stdout and no partial result.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { describe, it } from "node:test";
import { type CliCode, cliCodes } from "../../contract/errors.ts";
import type { CliFailure } from "../support/cli.ts";
import { fails, install, openFaultyService, reached } from "../support/faulty-service.ts";
import { snapshot } from "../support/file-tree.ts";
import { type Fault, reply } from "../support/gateway.ts";
import { callApi, newOrganization } from "../support/http-client.ts";
import { root } from "../support/root.ts";
import { plainEnv } from "../support/server.ts";
import { closedAfter } from "../support/set-up.ts";

const fixture = await closedAfter(openFaultyService());

describe("an invalid command line", () => {
  it("is reported before any request to the service", async () => {
    const { cli } = fixture.open();
    for (const [args, flag] of [
      [["whoami", "--wat"], "--wat"],
      [["list", "--tag"], "--tag"],
      [["list", "--tag", "a", "--tag", "b"], "--tag"],
      [["list", "--public", "--installed"], "--installed"],
      [["install", "x", "-t", "vim", "-g"], "--target"],
      [["install", "x@1.x.2", "-t", "claude", "-g"], "<ref>"],
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
      writeFileSync(path.join(fixture.work, "empty.md"), "");
      writeFileSync(path.join(fixture.work, "binary.md"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]));
      if (!existsSync(path.join(fixture.work, "pipe.md")))
        spawnSync("mkfifo", [path.join(fixture.work, "pipe.md")]);
      spawnSync("ln", ["-sfn", "loop.md", path.join(fixture.work, "loop.md")]);
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
    assert.deepEqual(fixture.gateway.seen, []);
  });
});

describe("a missing, existing or forbidden object", () => {
  it("is named with its kind", async () => {
    const { cli } = fixture.open();
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

  it("is reported to a user without a login or permission", async () => {
    const { cli: anonymous } = fixture.open({});
    await fails(anonymous, ["whoami"], "E_NOT_AUTHENTICATED", { httpStatus: 401 });
    await fails(anonymous, ["list"], "E_NOT_AUTHENTICATED");
    const readOnly = await callApi<{ token: string }>(fixture.server.url, "POST", "/api/user/tokens", {
      cookie: fixture.ada.cookie,
      body: { name: "reader", scopes: { skill: ["read"] } },
    });
    assert.equal(readOnly.status, 201, readOnly.error);
    const { cli: reader } = fixture.open({ SVC_TOKEN: readOnly.data.token });
    await fails(reader, ["push", "review.md", "-s", "review", "--major"], "E_FORBIDDEN", { httpStatus: 403 });
  });

  it("causes a question if it is ambiguous", async () => {
    const second = await newOrganization(fixture.server.url, fixture.ada, "second");
    const { cli } = fixture.open();
    await cli.json(["publish", "review.md", "--team", second]);
    const error = await fails(cli, install("review"), "E_AMBIGUOUS");
    assert.equal((error.details!["candidates"] as unknown[]).length, 2);
    await fails(cli, ["move", "review", "/"], "E_AMBIGUOUS");
    const asked = await cli.failure(["publish", "review.md"]);
    assert.deepEqual([asked.code, asked.details], ["E_INTERACTION_REQUIRED", { flag: "--team" }]);
  });

  it("is kept if it is a foreign file at the destination", async () => {
    const { cli, home } = fixture.open();
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

  it("is reported by a frozen pull if its version would change", async () => {
    const { cli } = fixture.open();
    await cli.json(install("acme/review"));
    writeFileSync(path.join(fixture.work, "review.md"), "# Review twice\n");
    await cli.json(["push", "review.md", "-s", "acme/review"]);
    await fails(cli, ["pull", "--frozen"], "E_VERSION_CHANGED", {
      skill: "review",
      from: "1.0.0",
      to: "1.0.1",
    });
  });

  it("is reported if it is a folder without a package", async () => {
    mkdirSync(path.join(fixture.work, "bare"), { recursive: true });
    writeFileSync(path.join(fixture.work, "bare", "README.md"), "x");
    const { cli } = fixture.open();
    await fails(cli, ["publish", "bare"], "E_PACK_FAILED", { kind: "content", rule: "root_file_missing" });
    await fails(cli, ["push", "bare", "-s", "kit"], "E_PACK_FAILED", { kind: "content" });
  });
});

describe("a service with faulty responses", () => {
  const outcomes: [string, Fault, CliCode, Record<string, unknown>][] = [
    ["drops the connection", (_request, response) => Boolean(response.destroy()), "E_NETWORK", {}],
    [
      "responds with a page",
      (_request, response) => reply(response, 200, "<html>Welcome</html>", { "content-type": "text/html" }),
      "E_NETWORK",
      { httpStatus: 200 },
    ],
    [
      "responds with a page and 500",
      (_request, response) => reply(response, 500, "<html>"),
      "E_API",
      { httpStatus: 500 },
    ],
    [
      "is busy for a long time",
      (_request, response) => reply(response, 429, { error: "Slowly." }, { "retry-after": "3600" }),
      "E_API",
      { httpStatus: 429 },
    ],
    [
      "redirects to another address",
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
      "sends an invalid body with 409",
      (_request, response) => reply(response, 409, "[]"),
      "E_ALREADY_EXISTS",
      { httpStatus: 409 },
    ],
  ];
  for (const [what, fault, code, details] of outcomes)
    it(`is ${code} when it ${what}`, async () => {
      const { cli, home } = fixture.open();
      fixture.gateway.fault = fault;
      await fails(cli, ["whoami"], code, details);
      assert.deepEqual(readdirSync(home), [], "nothing is kept of it");
    });

  it("is E_NETWORK if nothing listens, or the host name is unknown", async () => {
    const { cli } = fixture.open();
    for (const apiUrl of ["http://127.0.0.1:1", "http://nowhere.invalid"]) {
      const error = await cli.failure(["whoami"], { env: { SVC_API_URL: apiUrl, SVC_ALLOW_HTTP: "1" } });
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
      "different from the announced bytes",
      (response: ServerResponse) => reply(response, 200, "PK nothing", { "content-type": "application/zip" }),
    ],
    ["a page", (response: ServerResponse) => reply(response, 200, "<html>", { "content-type": "text/html" })],
  ] as const)
    it(`installs nothing from a download that is ${what}`, async () => {
      const { cli, home } = fixture.open();
      fixture.gateway.fault = (_request, response, url) =>
        url.pathname.endsWith("/package") && spoil(response);
      await fails(cli, install("kit"), "E_NETWORK");
      assertUntouched(home);
      fixture.gateway.fault = () => false;
      await cli.json(install("kit"));
    });

  it("installs nothing with a wrong digest", async () => {
    const { cli, home } = fixture.open();
    fixture.gateway.fault = (_request, response, url) =>
      url.pathname.endsWith("/content") &&
      reply(response, 200, {
        success: true,
        data: { content: "# Something else\n", hash: "0".repeat(64), version: 1, semver: "1.0.0" },
      });
    await fails(cli, install("acme/review"), "E_NETWORK", { kind: "content" });
    assertUntouched(home);
  });

  it("is E_UPLOAD_FAILED if an upload does not complete", async () => {
    const { cli, home } = fixture.open();
    writeFileSync(path.join(fixture.work, "kit", "more.txt"), "more");
    fixture.gateway.fault = (request, response) => {
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
    it(`is ${code} if a login ends with ${answer}`, async () => {
      const { cli, home } = fixture.open({});
      fixture.gateway.fault = (_request, response, url) => {
        if (url.pathname === "/api/auth/device/code")
          return reply(response, 200, {
            device_code: "d",
            user_code: "BCDF-GHJK",
            verification_uri: `${fixture.gateway.url}/device`,
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

  it("reports a service without an exchange of identity tokens", async () => {
    const { cli, home } = fixture.open({});
    fixture.gateway.fault = (_request, response) => reply(response, 404, "<html>");
    const args = ["login", "--oidc-token", "e30.e30.x", "--team", "acme"];
    const error = await fails(cli, args, "E_API", { httpStatus: 404 });
    assert.match(error.message, /no exchange/);
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

describe("a full disk", () => {
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
        cwd: fixture.work,
        env: plainEnv({ HOME: home, SVC_API_URL: fixture.server.url, SVC_TOKEN: fixture.ada.token }),
        encoding: "utf8",
      },
    );

  it("leaves existing files unchanged, and the command succeeds once there is room", async () => {
    const { cli, home } = fixture.open();
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
});

describe("the closed set of codes", () => {
  it("is completely covered by the runs above", () => {
    assert.deepEqual(
      cliCodes.filter((code) => !reached.has(code)),
      [],
    );
  });
});
