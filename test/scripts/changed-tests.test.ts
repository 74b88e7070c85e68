import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { affectedTests, hiddenUses } from "../../scripts/select-tests.mjs";
import { root } from "../support/root.ts";
import { type Checkout, makeCheckout } from "./checkout.ts";

describe("the tests that a change can affect", () => {
  const tests = fs
    .readdirSync(path.join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      fs.readdirSync(path.join(root, "test", name)).map((file) => `test/${name}/${file}`),
    )
    .filter((file) => file.endsWith(".test.ts"));
  const affected = (...changed: string[]) => affectedTests(tests, changed);
  const some = (changed: string, expected: string[], others: string[]) => {
    const found = affected(changed);
    for (const file of expected) assert.ok(found.includes(file), `${changed}: ${file} is missing`);
    for (const file of others) assert.ok(!found.includes(file), `${changed}: ${file} is not affected`);
  };

  it("import the changed file, at any distance", () => {
    some("repos/archive/read-zip.ts", ["test/archive/read-zip.test.ts"], ["test/cli/argv.test.ts"]);
    some("storage/database.ts", ["test/auth/sign-in.test.ts"], ["test/archive/read-zip.test.ts"]);
    some("test/scripts/checkout.ts", ["test/scripts/start.test.ts"], ["test/cli/argv.test.ts"]);
  });

  it("start it as a program, or run what is built from it", () => {
    some(
      "cli/commands/publish/lint.ts",
      ["test/journeys/publish-install.test.ts"],
      ["test/auth/sign-in.test.ts"],
    );
    some(
      "test/support/host/git-host-child.mjs",
      ["test/mirror/known-host.test.ts"],
      ["test/cli/argv.test.ts"],
    );
    some("server.ts", ["test/journeys/start.test.ts"], ["test/auth/sign-in.test.ts"]);
    some("workers/job-child.ts", ["test/jobs/children.test.ts"], ["test/auth/sign-in.test.ts"]);
  });

  it("read it", () => {
    some("docs/reference/api.md", ["test/http/openapi.test.ts"], ["test/auth/sign-in.test.ts"]);
    some("test/cli/golden/diff.json", ["test/cli/contract.test.ts"], ["test/cli/argv.test.ts"]);
    some("samples/release-notes.md", ["test/journeys/start.test.ts"], ["test/auth/sign-in.test.ts"]);
    some("web/src/main.tsx", ["test/web/admin.test.ts"], ["test/auth/sign-in.test.ts"]);
  });

  it("are all of them where dependencies or the runner change", () => {
    for (const file of ["package.json", "package-lock.json", "tsconfig.json", "scripts/run-files.mjs"])
      assert.deepEqual(affected(file), tests, file);
  });

  it("are those of the whole at any change, and none at none", () => {
    assert.deepEqual(
      affected(["a", "new-file.txt"].join("-")),
      tests.filter((file) => file.startsWith("test/house/")),
    );
    assert.deepEqual(affected(), []);
  });

  it("are found in the checkout, also after a look at a socket", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "svc-socket-"));
    const server = net.createServer().listen(path.join(folder, "socket"));
    await once(server, "listening");
    fs.lstatSync(path.join(folder, "socket"));
    const again = new URL("../../scripts/sources.mjs?again", import.meta.url);

    const sources = (await import(again.href)) as { root: string };

    server.close();
    fs.rmSync(folder, { recursive: true });
    assert.equal(sources.root, root);
  });

  it("are found with uses of files that there are", () => {
    for (const file of [...Object.keys(hiddenUses), ...Object.values(hiddenUses).flat()])
      assert.ok(fs.existsSync(path.join(root, file)), file);
  });
});

describe("npm test -- --changed", () => {
  let checkout: Checkout;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: checkout.dir });
  const run = () =>
    checkout.run([process.execPath, "--enable-source-maps", "scripts/test.mjs", "--changed"]).ended;

  before(() => {
    checkout = makeCheckout();
    const test = (of: string) => `
import { it } from "node:test";
import "./${of}.ts";
it("${of}", () => {});
`;
    for (const name of ["one", "two"]) {
      checkout.write(`test/area/${name}.ts`, "");
      checkout.write(`test/area/${name}.test.ts`, test(name));
    }
    checkout.write(".gitignore", "node_modules\ndist\n");
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-q", "-m", "first");
  });
  after(() => checkout.remove());

  it("runs nothing without a change", async () => {
    const { code, output } = await run();

    assert.equal(code, 0, output);
    assert.match(output, /No test file is affected/);
  });

  it("runs what the commits of a branch and the work tree affect", async () => {
    git("switch", "-q", "-c", "branch");
    checkout.write("test/area/one.ts", "export {};");
    git("commit", "-q", "-a", "-m", "second");
    const committed = await run();
    checkout.write("test/area/three.test.ts", 'import { it } from "node:test";\nit("three", () => {});\n');
    const both = await run();

    assert.match(committed.output, /\n# tests 1\n/, committed.output);
    assert.match(both.output, /\n# tests 2\n/, both.output);
    assert.match(both.output, /✔ one/);
    assert.match(both.output, /✔ three/);
  });
});
