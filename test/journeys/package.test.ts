/** The client as it is distributed: packed, installed with npm, run by its name. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, constants, readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "../support/root.ts";
import { plainEnv, removeFolder, temporaryFolder } from "../support/server.ts";

const execute = promisify(execFile);

describe("the packed client", () => {
  const folder = temporaryFolder("package");
  const prefix = path.join(folder, "prefix");
  const installed = path.join(prefix, "lib", "node_modules", "svc");
  const home = path.join(folder, "home");

  before(async () => {
    const { stdout } = await execute(process.execPath, [path.join(root, "scripts", "pack-cli.mjs"), folder]);
    await execute("npm", ["install", "--global", "--offline", "--prefix", prefix, stdout.trim()], {
      env: plainEnv({ HOME: home }),
    });
  });
  after(() => removeFolder(folder));

  const svc = (...args: string[]) =>
    execute(path.join(prefix, "bin", "svc"), args, { env: plainEnv({ HOME: home }), cwd: folder });

  it("runs by its name, with nothing but Node", async () => {
    const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    assert.equal((await svc("--version")).stdout, `${version}\n`);
    assert.deepEqual(JSON.parse((await svc("profile", "list", "-o", "json")).stdout), [
      {
        name: "default",
        active: true,
        activeViaOverride: false,
        isDefault: true,
        authenticated: false,
        skillCount: 0,
      },
    ]);
    assert.deepEqual(await readdir(path.join(prefix, "lib", "node_modules")), ["svc"]);
  });

  it("contains the bundle, its licences and a manual, and no source, test or secret", async () => {
    const names = await readdir(installed);
    assert.deepEqual(names.toSorted(), [
      "LICENSE",
      "README.md",
      "THIRD-PARTY-NOTICES",
      "lib",
      "package.json",
    ]);
    const files = await readdir(path.join(installed, "lib"));
    assert.deepEqual(
      files.filter((name) => !name.endsWith(".cjs")),
      [],
    );
    await access(path.join(installed, "lib", "main.cjs"), constants.X_OK);
    const notices = await readFile(path.join(installed, "THIRD-PARTY-NOTICES"), "utf8");
    for (const name of ["citty", "@clack/prompts", "semver", "yauzl", "proper-lockfile"])
      assert.match(notices, new RegExp(`^${name} \\d`, "m"));
    for (const file of files)
      assert.doesNotMatch(
        await readFile(path.join(installed, "lib", file), "utf8"),
        new RegExp(`${root}|sourceMappingURL`),
        file,
      );
  });

  it("has a README whose links lead to its own headings or to the web", async () => {
    const readme = await readFile(path.join(installed, "README.md"), "utf8");
    const anchors = Array.from(
      readme.matchAll(/^#+ (.+)$/gm),
      ([, heading]) =>
        `#${heading!
          .toLowerCase()
          .replaceAll(/[^a-z0-9 _-]/g, "")
          .replaceAll(" ", "-")}`,
    );
    const links = Array.from(readme.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link!);

    assert.ok(links.length >= 2, `${links.length} links`);
    assert.deepEqual(
      links.filter((link) => !link.startsWith("https://") && !anchors.includes(link)),
      [],
    );
    assert.match(readme, /\*targets\*/);
  });

  it("is a package without npm warnings", async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
  });
});
