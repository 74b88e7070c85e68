import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { rolldown } from "rolldown";
import type { Config } from "../../cli/state/config.ts";
import { root } from "../support/root.ts";
import { answer, startServer, svc, temporaryFolder } from "./harness.ts";

const token = `lsk_${"ab".repeat(32)}`;
const user = {
  id: "u1",
  username: "ann",
  name: "Ann",
  email: "ann@example.com",
  memberships: [],
  pendingInvitations: [],
};

async function readConfig(home: string): Promise<Config> {
  return JSON.parse(await readFile(join(home, ".svc", "config.json"), "utf8")) as Config;
}

describe("the local state", () => {
  it("loses nothing when 20 processes change it concurrently", async (t) => {
    const home = await temporaryFolder(t);
    // Bundled as the client is: twenty compilers at once would take longer than the test.
    const bundle = await rolldown({
      input: join(root, "test/cli/state-worker.ts"),
      platform: "node",
      logLevel: "silent",
    });
    const folder = await temporaryFolder(t);
    await bundle.write({
      dir: folder,
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
    });
    await bundle.close();

    const ends = await Promise.all(
      Array.from({ length: 20 }, async (_, id) => {
        const child = spawn(process.execPath, [join(folder, "state-worker.mjs"), home, String(id), "5"], {
          stdio: ["ignore", "inherit", "inherit"],
        });
        const [code] = (await once(child, "exit")) as [number];
        return code;
      }),
    );

    assert.deepEqual(new Set(ends), new Set([0]));
    assert.equal(Object.keys((await readConfig(home)).profiles["default"]!.preferences).length, 100);
    assert.deepEqual(await readdir(join(home, ".svc")), ["config.json"]);
  });

  it("is readable by its owner only, even if it was not before", async (t) => {
    const home = await temporaryFolder(t);
    const apiUrl = await startServer(t, (_request, response) =>
      answer(response, 200, { success: true, data: user }),
    );
    const login = () => svc(["login", "--token", token], { home, env: { SVC_API_URL: apiUrl } });

    assert.equal((await login()).code, 0);
    assert.equal((await stat(join(home, ".svc"))).mode & 0o777, 0o700);
    assert.equal((await stat(join(home, ".svc", "config.json"))).mode & 0o777, 0o600);

    await chmod(join(home, ".svc", "config.json"), 0o644);
    assert.equal((await login()).code, 0);
    assert.equal((await stat(join(home, ".svc", "config.json"))).mode & 0o777, 0o600);
  });

  for (const [what, text] of [
    ["not JSON", '{ "version": 1, '],
    ["empty", ""],
    [
      "of another form",
      '{"version":1,"activeProfile":"default","profiles":{"default":{"installed":{"x":{}},"preferences":{}}}}',
    ],
  ] as const)
    it(`sets a config that is ${what} aside and reports it`, async (t) => {
      const home = await temporaryFolder(t);
      await mkdir(join(home, ".svc"));
      await writeFile(join(home, ".svc", "config.json"), text);

      const { code, stdout, stderr } = await svc(["list", "--installed"], { home });

      assert.equal(code, 0);
      assert.match(stdout, /Nothing is installed/);
      assert.match(stderr, /was damaged .* is kept as .*config\.json\.damaged-2026-01-02/);
      const [kept] = (await readdir(join(home, ".svc"))).filter((name) => name.includes("damaged"));
      assert.equal(await readFile(join(home, ".svc", kept!), "utf8"), text);
    });

  it("does not change a config of a newer version", async (t) => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, ".svc"));
    await writeFile(join(home, ".svc", "config.json"), '{"version":3}');

    const { code, error } = await svc(["list", "--installed", "-o", "json"], { home });

    assert.equal(code, 1);
    assert.equal(error.code, "E_INTERNAL");
    assert.equal(await readFile(join(home, ".svc", "config.json"), "utf8"), '{"version":3}');
  });

  it("keeps unknown keys", async (t) => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, ".svc"));
    const config = {
      version: 2,
      activeProfile: "default",
      later: { a: 1 },
      profiles: {
        default: {
          token,
          isBrowserLogin: true,
          apiUrl: "http://127.0.0.1:9",
          installed: {},
          preferences: { x: 1 },
          more: 2,
        },
      },
    };
    await writeFile(join(home, ".svc", "config.json"), JSON.stringify(config));

    const done = await svc(["logout", "-o", "json"], { home });
    const { warnings, ...payload } = JSON.parse(done.stdout) as { warnings: string[] };
    assert.deepEqual(payload, { loggedOut: true, revoked: false });
    assert.match(warnings.join(), /may still be valid on the service.*127\.0\.0\.1:9/);

    const { token: _token, isBrowserLogin: _login, ...rest } = config.profiles.default;
    assert.deepEqual(await readConfig(home), { ...config, profiles: { default: rest } });
  });

  it("names a missing or malformed profile", async (t) => {
    const home = await temporaryFolder(t);
    const missing = await svc(["whoami", "--profile", "work", "-o", "json"], { home });
    assert.deepEqual(
      [missing.error.code, missing.error.details],
      ["E_NOT_FOUND", { kind: "profile", ref: "work" }],
    );

    const malformed = await svc(["whoami", "-o", "json"], { home, env: { SVC_PROFILE: "Work!" } });
    assert.deepEqual(
      [malformed.error.code, malformed.error.details?.["flag"]],
      ["E_INVALID_ARGUMENT", "SVC_PROFILE"],
    );
  });
});

describe("the stored token", () => {
  it("is sent to its own service only, and SVC_TOKEN takes precedence", async (t) => {
    const home = await temporaryFolder(t);
    const seen: (string | undefined)[] = [];
    const apiUrl = await startServer(t, (request, response) => {
      seen.push(request.headers.authorization);
      answer(response, 200, { success: true, data: user });
    });
    await svc(["login", "--token", token], { home, env: { SVC_API_URL: apiUrl } });
    seen.length = 0;

    await svc(["whoami"], { home });
    await svc(["whoami"], { home, env: { SVC_TOKEN: "lsk_other" } });
    assert.deepEqual(seen, [`Bearer ${token}`, "Bearer lsk_other"]);

    const config = await readConfig(home);
    config.profiles["default"]!.apiUrl = "https://skills.example.com";
    await writeFile(join(home, ".svc", "config.json"), JSON.stringify(config));
    seen.length = 0;
    const elsewhere = await svc(["whoami"], { home, env: { SVC_API_URL: apiUrl } });
    assert.deepEqual(seen, [undefined]);
    assert.match(elsewhere.stderr, /Your login is for https:\/\/skills\.example\.com/);
  });
});
