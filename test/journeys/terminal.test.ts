/** The built `svc` at a terminal: what it draws, how it ends, and what it leaves. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync, mkdirSync, existsSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { Config } from "../../cli/state/config.ts";
import { canonicalContent } from "../../contract/checks/package-rules.ts";
import { programArgs } from "../support/root.ts";
import { plainEnv } from "../support/server.ts";
import { type openTerminal, ctrlC, needsTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";
import { identity, reply, screen, setUp } from "./terminal-client.ts";

const hideCursor = "\u001B[?25l";
const showCursor = "\u001B[?25h";

describe("a wait at a terminal", needsTerminal, () => {
  it("is shown after a moment, and then cleared", async (t) => {
    const { open } = await setUp(
      t,
      (_request, response) => void setTimeout(() => reply(response, identity), 1200),
    );

    const terminal = open(["whoami"]);
    await terminal.until(/Waiting for 127\.0\.0\.1/);
    assert.equal(await terminal.ended, 0);

    assert.ok(terminal.text().includes(hideCursor));
    assert.ok(terminal.text().lastIndexOf(showCursor) > terminal.text().lastIndexOf(hideCursor));
    assert.deepEqual(screen(terminal.text()), ["Ann (ann)", "a@example.com", ""]);
  });

  it("is not shown if it is short, under CI, at a dumb terminal or for programs", async (t) => {
    let delay = 20;
    const { open } = await setUp(
      t,
      (_request, response) => void setTimeout(() => reply(response, identity), delay),
    );
    const quiet = async (args: string[], env: Record<string, string> = {}) => {
      const terminal = open(args, env);
      assert.equal(await terminal.ended, 0);
      assert.ok(!terminal.text().includes(hideCursor), JSON.stringify([args, env, terminal.text()]));
      assert.doesNotMatch(terminal.text(), /Waiting/);
      return terminal.text();
    };

    await quiet(["whoami"]);
    delay = 700;
    const [plain] = await Promise.all([
      quiet(["whoami"], { TERM: "dumb", NO_COLOR: "1" }),
      quiet(["whoami"], { CI: "true" }),
      quiet(["whoami", "-o", "json"]),
    ]);
    // oxlint-disable-next-line no-control-regex -- control sequences are what this looks for
    assert.doesNotMatch(plain, /\u001B/);
  });
});

describe("Ctrl-C", needsTerminal, () => {
  for (const [name, send, code] of [
    ["typed", (terminal: ReturnType<typeof openTerminal>) => terminal.type(ctrlC), 130],
    [
      "as SIGTERM",
      (terminal: ReturnType<typeof openTerminal>) => process.kill(terminal.pid(), "SIGTERM"),
      143,
    ],
  ] as const)
    it(`${name} ends a wait with ${code} and restores the cursor`, async (t) => {
      const { open } = await setUp(t, () => {});

      const terminal = open(["whoami"]);
      await terminal.until(/Waiting for/);
      send(terminal);

      assert.equal(await terminal.ended, code);
      assert.ok(terminal.text().lastIndexOf(showCursor) > terminal.text().lastIndexOf(hideCursor));
      assert.doesNotMatch(screen(terminal.text()).join(""), /Waiting|Error|at /);
    });

  it("ends a question with 130 and restores the cursor", async (t) => {
    const { open, home } = await setUp(t, () => {});
    mkdirSync(path.join(home, ".svc"));
    const profiles = {
      default: { installed: {}, preferences: {} },
      work: { installed: {}, preferences: {} },
    };
    const config = JSON.stringify({ version: 1, activeProfile: "work", profiles });
    writeFileSync(path.join(home, ".svc", "config.json"), config);

    const typed = open(["profile", "delete", "work"]);
    await typed.until(/Delete profile work/);
    typed.type(ctrlC);
    assert.equal(await typed.ended, 130);
    const killed = open(["profile", "delete", "work"]);
    await killed.until(/Delete profile work/);
    process.kill(killed.pid(), "SIGTERM");
    assert.equal(await killed.ended, 143);

    for (const { text } of [typed, killed])
      assert.ok(text().lastIndexOf(showCursor) > text().lastIndexOf(hideCursor), JSON.stringify(text()));
    assert.equal(readFileSync(path.join(home, ".svc", "config.json"), "utf8"), config);
    const agreed = open(["profile", "delete", "work"]);
    await agreed.until(/Delete profile work/);
    agreed.type("y");
    assert.equal(await agreed.ended, 0);
    assert.doesNotMatch(readFileSync(path.join(home, ".svc", "config.json"), "utf8"), /work/);
  });

  it("ends a download and removes its partial files", async (t) => {
    const at = "2026-01-01T00:00:00.000Z";
    const file = { path: "SKILL.md", size: 40_000_000, sha256: "0".repeat(64), mode: "100644" as const };
    const hash = createHash("sha256")
      .update(canonicalContent([file]))
      .digest("hex");
    const version = {
      id: "v",
      skillId: "s",
      version: 1,
      semver: "1.0.0",
      message: "",
      format: "package",
      hash,
    };
    const skill = {
      id: "s",
      publicId: "aaaaaaaaaa",
      slug: "kit",
      name: "Kit",
      description: "d",
      type: "skill",
    };
    const { open, home } = await setUp(t, (_request, response, url) => {
      if (url.pathname.endsWith("/resolve"))
        return reply(response, {
          skill: {
            ...skill,
            visibility: "public",
            currentVersion: 1,
            currentSemver: "1.0.0",
            tenantId: "t",
            tenantSlug: "a",
          },
          version: { ...version, current: true, prerelease: false, createdAt: at },
          own: true,
        });
      if (url.pathname.endsWith("/manifest"))
        return reply(response, {
          name: "kit",
          version: 1,
          semver: "1.0.0",
          format: "package",
          files: [file],
          hash,
        });
      if (url.pathname.endsWith("/scan"))
        return reply(response, { state: "done", verdict: "clean", rules: [] });
      response.writeHead(200, { "content-type": "application/zip", "content-length": "40000000" });
      response.write(Buffer.alloc(100_000));
    });

    const terminal = open(["install", "kit", "-t", "claude", "-g"]);
    await terminal.until(/Downloading/);
    const tmp = path.join(home, ".svc", "tmp");
    await until("a file of the download", () => existsSync(tmp) && readdirSync(tmp).length > 0);
    terminal.type(ctrlC);

    assert.equal(await terminal.ended, 130);
    assert.deepEqual(readdirSync(tmp), []);
    assert.deepEqual(
      readdirSync(path.join(home, ".svc")).filter((name) => !["tmp", "cache"].includes(name)),
      [],
    );
    assert.ok(!existsSync(path.join(home, ".claude")));
  });
});

describe("the approval page of a login", needsTerminal, () => {
  it("is opened without a question only on the service's own site", async (t) => {
    let site = "";
    const { open, home, url } = await setUp(t, (_request, response, { pathname }) => {
      response.setHeader("content-type", "application/json");
      const verification_uri = `${site}/device`;
      response.end(
        JSON.stringify(
          pathname.endsWith("/code")
            ? { device_code: "d", user_code: "ABCD-EFGH", verification_uri, expires_in: 600, interval: 1 }
            : { error: "access_denied" },
        ),
      );
    });
    const [bin, opened] = [path.join(home, "bin"), path.join(home, "opened")];
    mkdirSync(bin);
    writeFileSync(path.join(bin, "xdg-open"), `#!/bin/sh\necho "$1" >> ${opened}\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env["PATH"]}`, SVC_TOKEN: "" };

    site = url;
    assert.equal(await open(["login"], env).ended, 1);
    site = "https://phish.example";
    const asked = open(["login"], env);
    await asked.until(/another site/);
    asked.type("n");
    assert.equal(await asked.ended, 1);

    assert.match(asked.text(), /phish\.example/);
    assert.equal(readFileSync(opened, "utf8"), `${url}/device\n`);
  });
});

describe("a signal while the lock is held", () => {
  it("waits for the change, and releases the lock", async (t) => {
    const { home } = await setUp(t, () => {});
    const child = spawn(process.execPath, [...programArgs("test/cli/interrupted-child.ts"), home], {
      stdio: ["ignore", "pipe", "inherit"],
      env: plainEnv({ HOME: home }),
    });
    t.after(() => child.kill("SIGKILL"));
    const ended = once(child, "close");
    const [said] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    assert.equal(said, "locked\n");
    assert.ok(existsSync(path.join(home, ".svc", "config.lock")));
    child.kill("SIGINT");

    assert.deepEqual(await ended, [130, null]);
    const config = JSON.parse(readFileSync(path.join(home, ".svc", "config.json"), "utf8")) as Config;
    assert.deepEqual(config.profiles["default"]!.preferences, { first: 1, second: 2 });
    assert.deepEqual(readdirSync(path.join(home, ".svc")).toSorted(), ["config.json", "tmp"]);
    assert.deepEqual(readdirSync(path.join(home, ".svc", "tmp")), []);
  });
});

describe("a table", needsTerminal, () => {
  it("fits a narrow terminal, and keeps names whole", async (t) => {
    const skill = {
      publicId: "aaaaaaaaaa",
      slug: "a-long-name",
      name: "Long",
      tenantId: "t",
      currentVersion: 1,
      tenantSlug: "an-organization",
      description: "A description that goes on and on and on and on",
      type: "skill",
      visibility: "private",
      currentSemver: "10.20.30",
    };
    const { open } = await setUp(t, (_request, response) => reply(response, [skill]));

    const terminal = open(["list"], { NO_COLOR: "1" }, 72);
    assert.equal(await terminal.ended, 0);

    const lines = screen(terminal.text()).filter((line) => line !== "");
    assert.equal(lines.length, 2);
    for (const line of lines) assert.ok(line.length < 72, line);
    assert.match(lines[1]!, /^an-organization\/a-long-name  .*private +A descr.*…$/);
  });
});
