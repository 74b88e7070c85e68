/** The units for systemd, which its own check accepts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { secretNames } from "../../src/secret-files.ts";
import { findProgram, whyMissing } from "../support/proxies/program.ts";
import { root } from "../support/root.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";

const unit = readFileSync(path.join(root, "deploy/systemd/svc@.service"), "utf8");

describe("the unit of a process", { skip: whyMissing("systemd-analyze") }, () => {
  const folder = temporaryFolder("units");
  after(() => removeFolder(folder));

  function verify(text: string): string {
    const file = path.join(folder, "svc@api.service");
    writeFileSync(file, text);
    const { stdout, stderr } = spawnSync(findProgram("systemd-analyze")!, ["verify", file], {
      encoding: "utf8",
    });
    return stdout + stderr;
  }

  it("is accepted by systemd, which reports a faulty one", () => {
    assert.doesNotMatch(verify(unit), /svc@api\.service/);
    assert.match(
      verify(unit.replace("TimeoutStopSec=60", "TimeoutStopSec=soon\nDrainSec=5")),
      /time value, ignoring: soon\n.*'DrainSec'/,
    );
  });

  it("hands secrets over as files, by variables that the service has", () => {
    const files = Array.from(unit.matchAll(/(\w+)_FILE=%d\/([\w-]+)/g), ([, name, file]) => ({ name, file }));
    assert.ok(files.length > 0);
    for (const { name, file } of files) {
      assert.ok((secretNames as readonly string[]).includes(name!), name);
      assert.match(unit, new RegExp(`^LoadCredential=${file}:`, "m"));
    }
  });
});
