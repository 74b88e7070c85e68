/** `svc login` with an address, with a token from the standard input, and where something stops it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";
import { programArgs } from "../support/root.ts";

const token = `lsk_${"cd".repeat(32)}`;
const user = {
  username: "ann",
  name: "Ann",
  email: "a@example.com",
  memberships: [],
  pendingInvitations: [],
};

/** A home, and a service that records the paths and logins of requests. */
async function setUp(t: TestContext) {
  const home = await temporaryFolder(t);
  const asked: string[] = [];
  const apiUrl = await startServer(t, (request, response, url) => {
    asked.push(`${url.pathname} ${request.headers.authorization}`);
    answer(response, 200, { success: true, data: user });
  });
  const stored = async () =>
    (
      JSON.parse(await readFile(join(home, ".svc", "config.json"), "utf8")) as {
        profiles: Record<string, { apiUrl?: string; token?: string }>;
      }
    ).profiles["default"];
  return { home, asked, apiUrl, stored };
}

describe("svc login <url>", () => {
  it("keeps the address in the profile, for later commands without SVC_API_URL", async (t) => {
    const { home, apiUrl, stored } = await setUp(t);

    const login = await svc(["login", `${apiUrl}/`, "--token", token, "-o", "json"], { home });
    const later = await svc(["whoami", "-o", "json"], { home });

    assert.deepEqual([login.code, later.code], [0, 0], login.stderr + later.stderr);
    assert.deepEqual([(await stored())?.apiUrl, (await stored())?.token], [apiUrl, token]);
  });

  it("precedes SVC_API_URL, which it warns about, and needs no scheme on this machine", async (t) => {
    const { home, apiUrl, asked } = await setUp(t);
    const env = { SVC_API_URL: "http://127.0.0.1:1" };

    const { code, stderr } = await svc(["login", apiUrl.replace("http://", ""), "--token", token], {
      home,
      env,
    });

    assert.equal(code, 0, stderr);
    assert.equal(asked.length, 1);
    assert.match(stderr, /SVC_API_URL is set: commands use http:\/\/127\.0\.0\.1:1, not http/);
  });

  for (const address of ["ftp://x", "https://u:secret@x", "https://", token, "not an address"])
    it(`refuses ${address.replace(token, "a token")} without a request, and prints no secret`, async (t) => {
      const { home } = await setUp(t);

      const { code, error, stderr } = await svc(["login", address, "--token", token, "-o", "json"], { home });

      assert.deepEqual([code, error.code, error.details?.["flag"]], [1, "E_INVALID_ARGUMENT", "<url>"]);
      assert.doesNotMatch(stderr, /secret|lsk_c/);
    });
});

describe("svc login with a token from the standard input", () => {
  const run = (home: string, argv: string[], input: string) =>
    new Promise<{ code: number | string; stderr: string }>((resolve) => {
      const env = { PATH: process.env["PATH"], HOME: home };
      const child = execFile(
        process.execPath,
        [...programArgs("cli/main.ts"), "login", ...argv, "-o", "json"],
        { env },
        (error, _stdout, stderr) => resolve({ code: error?.code ?? 0, stderr }),
      );
      child.stdin!.end(input);
    });

  it("reads it for --token - and for --token-stdin, and refuses an empty one", async (t) => {
    const { home, apiUrl, asked } = await setUp(t);

    const results = [
      await run(home, [apiUrl, "--token", "-"], `${token}\n`),
      await run(home, [apiUrl, "--token-stdin"], token),
      await run(home, [apiUrl, "--token-stdin"], " \n"),
    ];

    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0, 1],
      results.map(({ stderr }) => stderr).join(""),
    );
    assert.match(results[2]!.stderr, /"flag":"--token-stdin"/);
    assert.deepEqual(asked, Array(2).fill(`/api/user/profile Bearer ${token}`));
  });
});

describe("a login that can't succeed", () => {
  it("names the limit that stops it", async (t) => {
    const home = await temporaryFolder(t);
    const message = "You have 25 API tokens, which is the limit: revoke one first.";
    const code = {
      device_code: "d",
      user_code: "ABCD-EFGH",
      verification_uri: "http://x/device",
      expires_in: 600,
    };
    const apiUrl = await startServer(t, (_request, response, url) =>
      url.pathname.endsWith("/code")
        ? answer(response, 200, code)
        : answer(response, 400, { error: "limit_reached", error_description: message }),
    );

    const { error } = await svc(["login", apiUrl, "-o", "json"], { home });

    assert.deepEqual([error.code, error.message], ["E_API", `The login failed. ${message}`]);
  });

  it("fails before the first request where the home folder can't be written", async (t) => {
    const { home, apiUrl, asked } = await setUp(t);
    await writeFile(join(home, ".svc"), "a file");

    const { code, error } = await svc(["login", apiUrl, "--token", token, "-o", "json"], { home });

    assert.deepEqual([code, error.code, asked], [1, "E_INTERNAL", []]);
    assert.match(error.message, /\.svc cannot be written: it is not a folder/);
  });
});
