import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { programArgs } from "../support/root.ts";
import { type Handler, answer, startServer, svc, temporaryFolder } from "./harness.ts";

const token = `lsk_${"cd".repeat(32)}`;
const user = {
  id: "u",
  username: "ann",
  name: "Ann",
  email: "a@example.com",
  memberships: [],
  pendingInvitations: [],
};

async function whoami(t: Parameters<typeof temporaryFolder>[0], handler: Handler) {
  const home = await temporaryFolder(t);
  const waits: number[] = [];
  let requests = 0;
  const apiUrl = await startServer(t, (request, response, url) => {
    requests++;
    return handler(request, response, url);
  });
  const ran = await svc(["whoami", "-o", "json"], {
    home,
    waits,
    env: { SVC_API_URL: apiUrl, SVC_TOKEN: token },
  });
  return { ran, waits, requests, apiUrl };
}

const refusal = (code: string, error = "Because.") => ({ success: false, error, code, requestId: "r1" });

describe("a response of the service", () => {
  it("is the document on stdout, requested with the token and the client's name", async (t) => {
    const { ran } = await whoami(t, (request, response) => {
      assert.equal(request.headers.authorization, `Bearer ${token}`);
      assert.equal(request.headers["x-svc-client"], "cli");
      assert.equal(request.headers["user-agent"], "svc/0.20.0 (linux)");
      answer(response, 200, { success: true, data: user });
    });
    const { id: _id, ...identity } = user;
    assert.deepEqual([ran.code, ran.data, ran.stderr], [0, identity, ""]);
  });

  for (const [status, code, cli] of [
    [400, "invalid_request", "E_API"],
    [401, "unauthenticated", "E_NOT_AUTHENTICATED"],
    [403, "forbidden", "E_FORBIDDEN"],
    [404, "not_found", "E_NOT_FOUND"],
    [409, "already_exists", "E_ALREADY_EXISTS"],
    [409, "ambiguous", "E_AMBIGUOUS"],
    [422, "version_not_greater", "E_API"],
    [422, "package_invalid", "E_PACK_FAILED"],
    [422, "upload_mismatch", "E_UPLOAD_FAILED"],
    [500, "internal", "E_API"],
    [422, "a_code_of_later", "E_API"],
    [409, "a_code_of_later", "E_ALREADY_EXISTS"],
  ] as const)
    it(`with ${status} ${code} is ${cli}`, async (t) => {
      const details = { candidates: [{ publicId: "x" }] };
      const { ran, requests } = await whoami(t, (_request, response) =>
        answer(response, status, { ...refusal(code), details }),
      );
      assert.deepEqual([ran.code, ran.stdout, ran.error.code, requests], [1, "", cli, 1]);
      assert.deepEqual(ran.error.details, {
        ...details,
        httpStatus: status,
        serverMessage: "Because.",
        requestId: "r1",
      });
    });

  for (const [status, cli] of [
    [200, "E_NETWORK"],
    [401, "E_NOT_AUTHENTICATED"],
    [404, "E_NETWORK"],
    [500, "E_API"],
  ] as const)
    it(`that is a page of ${status} is ${cli}`, async (t) => {
      const { ran } = await whoami(t, (_request, response) => {
        response.writeHead(status, { "content-type": "text/html" });
        response.end("<html>hello</html>");
      });
      assert.equal(ran.error.code, cli);
      assert.equal(ran.error.details?.["httpStatus"], status);
      assert.doesNotMatch(ran.error.message, /<html>/);
    });

  it("explains how to sign in if the user is not, and why a token was rejected", async (t) => {
    const home = await temporaryFolder(t);
    const apiUrl = await startServer(t, (_request, response) =>
      answer(response, 401, refusal("unauthenticated", "Send a session cookie or an API token.")),
    );
    const way = "Run svc login, or set SVC_TOKEN.\n  E_NOT_AUTHENTICATED\n";

    const anonymous = await svc(["whoami"], { home, env: { SVC_API_URL: apiUrl } });
    const refused = await svc(["whoami"], { home, env: { SVC_API_URL: apiUrl, SVC_TOKEN: token } });

    assert.equal(anonymous.stderr, `error You are not logged in. ${way}`);
    assert.equal(refused.stderr, `error Send a session cookie or an API token. ${way}`);
  });

  it("is requested again after 429 and 503, as late as the response requires", async (t) => {
    let count = 0;
    const { ran, waits } = await whoami(t, (_request, response) => {
      count++;
      if (count === 1) answer(response, 429, refusal("rate_limited"), { "retry-after": "2" });
      else if (count === 2) answer(response, 503, refusal("unavailable"));
      else answer(response, 200, { success: true, data: user });
    });
    assert.equal(ran.code, 0);
    assert.equal(waits[0], 2000);
    assert.ok(waits[1]! >= 300 && waits[1]! <= 900, String(waits[1]));
  });

  it("is not awaited if that would take long", async (t) => {
    const { ran, waits, requests } = await whoami(t, (_request, response) =>
      answer(response, 429, refusal("rate_limited", "Too many."), { "retry-after": "120" }),
    );
    assert.deepEqual([ran.error.code, waits, requests], ["E_API", [], 1]);
    assert.equal(ran.error.message, "Too many. Try again in 120 s.");
  });

  it("is not requested more than four times", async (t) => {
    const { ran, requests } = await whoami(t, (_request, response) =>
      answer(response, 503, refusal("unavailable")),
    );
    assert.deepEqual([ran.error.code, ran.error.details?.["httpStatus"], requests], ["E_API", 503, 4]);
  });

  it("that is truncated is E_NETWORK", async (t) => {
    const { ran } = await whoami(t, (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      response.write('{"success":true,');
      setTimeout(() => response.destroy(), 10);
    });
    assert.equal(ran.error.code, "E_NETWORK");
  });
});

describe("a redirect", () => {
  it("is followed within the service and never out of it", async (t) => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await startServer(t, (request, response) => {
      seen.push(request.headers.authorization);
      answer(response, 200, { success: true, data: user });
    });
    const within = await whoami(t, (request, response) => {
      if (request.url === "/api/user/profile") {
        response.writeHead(307, { location: "/moved" });
        response.end();
      } else answer(response, 200, { success: true, data: user });
    });
    assert.equal(within.ran.code, 0);

    const out = await whoami(t, (_request, response) => {
      response.writeHead(302, { location: `${elsewhere}/x` });
      response.end();
    });
    assert.equal(out.ran.error.code, "E_NETWORK");
    assert.match(out.ran.error.message, /redirects to http:\/\/127/);
    assert.deepEqual(seen, []);
  });

  it("is given up if it forms a cycle", async (t) => {
    const { ran } = await whoami(t, (_request, response) => {
      response.writeHead(302, { location: "/api/user/profile" });
      response.end();
    });
    assert.equal(ran.error.code, "E_NETWORK");
  });
});

describe("an address", () => {
  for (const [url, code] of [
    ["http://127.0.0.1:1", "E_NETWORK"],
    ["ftp://example.com", "E_INVALID_ARGUMENT"],
    ["htps://user:secret@example.com", "E_INVALID_ARGUMENT"],
    ["user:secret@example.com", "E_INVALID_ARGUMENT"],
    ["nonsense", "E_INVALID_ARGUMENT"],
    ["http://user:secret@127.0.0.1:1", "E_INVALID_ARGUMENT"],
  ] as const)
    it(`of ${url} is ${code}`, async (t) => {
      const home = await temporaryFolder(t);
      const { error, code: exit } = await svc(["whoami", "-o", "json"], { home, env: { SVC_API_URL: url } });
      assert.deepEqual([exit, error.code], [1, code]);
      assert.doesNotMatch(error.message, /secret/);
    });

  it("may have a path", async (t) => {
    const home = await temporaryFolder(t);
    const paths: string[] = [];
    const apiUrl = await startServer(t, (_request, response, url) => {
      paths.push(url.pathname);
      answer(response, 200, { success: true, data: user });
    });
    await svc(["whoami"], { home, env: { SVC_API_URL: `${apiUrl}/skills/` } });
    assert.deepEqual(paths, ["/skills/api/user/profile"]);
  });
});

describe("a login in the browser", () => {
  const code = {
    device_code: "d",
    user_code: "ABCD-EFGH",
    verification_uri: "http://x/device",
    verification_uri_complete: "http://x/device?user_code=ABCD-EFGH",
    expires_in: 600,
    interval: 5,
  };

  async function login(
    t: Parameters<typeof temporaryFolder>[0],
    polls: [number, unknown][],
    start: object = code,
  ) {
    const home = await temporaryFolder(t);
    const waits: number[] = [];
    const bodies: string[] = [];
    const apiUrl = await startServer(t, async (request, response, url) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      if (url.pathname === "/api/user/profile") return answer(response, 200, { success: true, data: user });
      bodies.push(`${request.headers["content-type"]} ${body}`);
      if (url.pathname.endsWith("/code")) return answer(response, 200, start);
      return answer(response, ...polls.shift()!);
    });
    const ran = await svc(["login", "-o", "json"], { home, waits, env: { SVC_API_URL: apiUrl } });
    return { ran, waits, bodies, home, apiUrl };
  }

  it("prints its two lines, polls at the given interval, and stores the token", async (t) => {
    const { ran, waits, bodies, home, apiUrl } = await login(t, [
      [400, { error: "authorization_pending" }],
      [400, { error: "slow_down" }],
      [400, { error: "authorization_pending" }],
      [200, { access_token: token, token_type: "Bearer" }],
    ]);

    assert.equal(ran.code, 0);
    assert.deepEqual(
      ran.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
      [
        {
          status: "pending",
          verificationUrl: code.verification_uri_complete,
          userCode: "ABCD-EFGH",
          expiresIn: 600,
        },
        { status: "authenticated", user: { username: "ann", name: "Ann", email: "a@example.com" } },
      ],
    );
    assert.deepEqual(waits, [5000, 5000, 10_000, 10_000]);
    assert.match(bodies[0]!, /^application\/x-www-form-urlencoded client_id=svc-cli&hostname=/);
    assert.match(
      bodies[1]!,
      /grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=d/,
    );
    assert.equal((await svc(["whoami"], { home })).code, 0, apiUrl);
  });

  for (const [error, expected] of [
    ["access_denied", "E_AUTH_DENIED"],
    ["expired_token", "E_AUTH_EXPIRED"],
    ["invalid_grant", "E_AUTH_EXPIRED"],
  ] as const)
    it(`that ends with ${error} is ${expected}`, async (t) => {
      const { ran } = await login(t, [[400, { error, error_description: "x" }]]);
      assert.deepEqual([ran.code, ran.error.code, ran.stdout.split("\n").length], [1, expected, 2]);
    });

  it("rejects an address that is not a web address", async (t) => {
    const { ran } = await login(t, [], { ...code, verification_uri_complete: "file:///etc/passwd" });
    assert.equal(ran.error.code, "E_API");
  });

  it("does not store a token that the service rejects", async (t) => {
    const home = await temporaryFolder(t);
    const apiUrl = await startServer(t, (_request, response) =>
      answer(response, 401, refusal("unauthenticated")),
    );
    const env = { SVC_API_URL: apiUrl };
    assert.equal(
      (await svc(["login", "--token", token, "-o", "json"], { home, env })).error.code,
      "E_NOT_AUTHENTICATED",
    );
    const malformed = await svc(["login", "--token", "lsk_short", "-o", "json"], { home, env });
    assert.deepEqual(
      [malformed.error.code, malformed.error.details?.["flag"]],
      ["E_INVALID_ARGUMENT", "--token"],
    );
    assert.equal(
      (await svc(["login", "--oidc-token", "x", "-o", "json"], { home, env })).error.details?.["flag"],
      "--team",
    );
  });
});

describe("a proxy", () => {
  it("named by the environment is used for every address but this machine's", async (t) => {
    const home = await temporaryFolder(t);
    const asked: string[] = [];
    const proxy = await startServer(t, (request, response) => {
      asked.push(request.url!);
      answer(response, 200, { success: true, data: user });
    });
    const whoamiBy = async (apiUrl: string, env: Record<string, string>) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [...programArgs("cli/main.ts"), "whoami", "-o", "json"],
        { env: { PATH: process.env["PATH"], HOME: home, SVC_API_URL: apiUrl, ...env } },
      );
      return (JSON.parse(stdout) as { username: string }).username;
    };

    const allowed = { HTTP_PROXY: proxy, SVC_ALLOW_HTTP: "1" };
    assert.equal(await whoamiBy("http://registry.invalid", allowed), "ann");
    assert.deepEqual(asked, ["http://registry.invalid/api/user/profile"]);
    // Both lead to the server itself; a proxied request would contain the complete URL.
    assert.equal(await whoamiBy(proxy, { HTTP_PROXY: "http://127.0.0.1:1" }), "ann");
    assert.equal(asked[1], "/api/user/profile");
    await assert.rejects(
      whoamiBy("http://registry.invalid", { ...allowed, NO_PROXY: "registry.invalid" }),
      /E_NETWORK/,
    );
  });
});

describe("plain HTTP to another machine", () => {
  /** A machine whose requests to other hosts arrive at a server of the test, by a proxy. */
  async function machine(t: Parameters<typeof temporaryFolder>[0]) {
    const home = await temporaryFolder(t);
    const asked: string[] = [];
    const proxy = await startServer(t, (request, response) => {
      asked.push(`${request.headers.authorization} ${request.url}`);
      answer(response, 200, { success: true, data: user });
    });
    // The library reads the proxy's variables from the process.
    process.env["HTTP_PROXY"] = proxy;
    t.after(() => delete process.env["HTTP_PROXY"]);
    const run = (argv: string[], env: NodeJS.ProcessEnv = {}) =>
      svc([...argv, "-o", "json"], { home, env: { HTTP_PROXY: proxy, ...env } });
    return { home, asked, run };
  }

  it("is refused before anything is sent, from the environment, a login or a profile", async (t) => {
    const { home, asked, run } = await machine(t);
    const env = { SVC_API_URL: "http://registry.invalid", SVC_TOKEN: token };
    const config = { token, apiUrl: "http://registry.invalid", installed: {}, preferences: {} };
    const attempts = [
      await run(["whoami"], env),
      await run(["login", "--token", token], { SVC_API_URL: "http://registry.invalid" }),
      await run(["share", "--list"], env),
    ];
    await mkdir(path.join(home, ".svc"), { recursive: true });
    await writeFile(
      path.join(home, ".svc", "config.json"),
      JSON.stringify({ version: 1, activeProfile: "default", profiles: { default: config } }),
    );
    attempts.push(await run(["whoami"]));

    for (const { error } of attempts)
      assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", "--allow-http"]);
    assert.deepEqual(asked, []);
  });

  it("is allowed for one service by svc login --allow-http", async (t) => {
    const { asked, run } = await machine(t);
    const [env, other] = [
      { SVC_API_URL: "http://registry.invalid" },
      { SVC_API_URL: "http://other.invalid", SVC_TOKEN: token },
    ];

    const login = await run(["login", "--token", token, "--allow-http"], env);
    const later = await run(["whoami"]);
    const elsewhere = await run(["whoami"], other);

    assert.deepEqual([login.code, later.code], [0, 0], login.stderr + later.stderr);
    assert.equal(elsewhere.error.details?.["flag"], "--allow-http");
    assert.equal(asked.length, 2);
    assert.ok(asked.every((request) => request.includes("http://registry.invalid/")));
  });
});
