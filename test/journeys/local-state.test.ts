/** The local state on full disks, when it is damaged, and what it must never contain. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { fails, install, openFaultyService } from "../support/faulty-service.ts";
import { snapshot } from "../support/file-tree.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { closedAfter } from "../support/set-up.ts";

const fixture = await closedAfter(openFaultyService());

describe("a small disk", () => {
  const mountable = whyNoMount();
  it(
    "is reported as full, and as read-only",
    mountable === undefined ? {} : { skip: mountable },
    async () => {
      const { cli, home } = fixture.open();
      mount(home, "size=256k");
      try {
        await cli.json(["profile", "create", "before"]);
        const held = readFileSync(path.join(home, ".svc", "config.json"), "utf8");
        const full = await fails(cli, install("kit"), "E_INTERNAL");
        assert.match(full.message, /disk is full/i);
        assert.equal(readFileSync(path.join(home, ".svc", "config.json"), "utf8"), held);
        assert.ok(!existsSync(path.join(home, ".claude", "skills", "kit")));
        // There is no room for the config either: it stays unchanged.
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
    },
  );
});

function mount(folder: string, options: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status === 0;
}

/** Reason why no small disk can be mounted on this machine. The limit of the shell is tested everywhere. */
function whyNoMount(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root to mount a small disk";
  const folder = temporaryFolder("mount");
  const isPossible = mount(folder, "size=64k");
  if (isPossible) spawnSync("umount", [folder]);
  removeFolder(folder);
  return isPossible ? undefined : "needs the right to mount a small disk";
}

describe("a damaged config", () => {
  it("is set aside, reported to people, and never lost", async () => {
    const { cli, home } = fixture.open();
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
  it("is stored nowhere by any command", async () => {
    const { cli, home } = fixture.open();
    await cli.json(["whoami"]);
    await cli.json(install("acme/review"));
    await cli.json(["pull"]);
    await cli.json(["profile", "create", "work"]);
    await cli.json(["login", "--token", fixture.ada.token], { env: { SVC_TOKEN: `lsk_${"0".repeat(64)}` } });
    await cli.json(["logout", "--keep-token"]);
    const files = snapshot(home);
    assert.ok(!JSON.stringify(files).includes(fixture.ada.token));
    for (const name of readdirSync(path.join(home, ".svc"), { recursive: true, encoding: "utf8" })) {
      const file = path.join(home, ".svc", name);
      if (name.endsWith(".json")) assert.doesNotMatch(readFileSync(file, "utf8"), /lsk_/, name);
    }
  });
});
