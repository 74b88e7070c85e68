import assert from "node:assert/strict";
import fs from "node:fs";
import { after, describe, it } from "node:test";
import { makeCheckout } from "./checkout.ts";

const test = (body: string) => `
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import { it } from "node:test";
it("does", async () => { ${body} });
`;

describe("npm test", () => {
  const run = (...filters: string[]) =>
    checkout.run([process.execPath, "--enable-source-maps", "scripts/test.mjs", ...filters]).ended;

  const checkout = makeCheckout();
  checkout.write("test/good/one.test.ts", test('fs.mkdtempSync(os.tmpdir() + "/left-behind-");'));
  checkout.write("test/good/two.test.ts", test("console.log('in ' + os.tmpdir());"));
  checkout.write("test/good/part.ts", "throw new Error('no test file');");
  checkout.write("test/bad/wrong.test.ts", test("assert.equal(1, 2);"));
  checkout.write("test/bad/broken.test.ts", "this is no TypeScript");
  checkout.write(
    "test/bad/late.test.ts",
    test(
      "setTimeout(() => { throw new Error('thrown late'); }); await new Promise((done) => setTimeout(done, 99));",
    ),
  );

  after(() => checkout.remove());

  it("runs the files of the areas that are named, and ends with their totals", async () => {
    const { code, output } = await run("good");

    assert.equal(code, 0, output);
    assert.match(output, /\n# tests 2\n# suites 2\n# pass 2\n# fail 0\n[^✔✖]*$/);
  });

  it("runs one file, on an engine and in a folder that is gone afterwards", async () => {
    checkout.write(
      "test/good/place.test.ts",
      test('console.log("AT " + os.tmpdir()); assert.match(process.env.SVC_TEST_MONGODB_URL, /^mongodb:/);'),
    );

    const { code, output } = await run("good/place");

    const folder = /AT (\S+)/.exec(output)?.[1] ?? "";
    assert.equal(code, 0, output);
    assert.match(folder, /svc-test-/);
    assert.equal(fs.existsSync(folder), false);
  });

  it("fails where a test fails, and where a file does not even load", async () => {
    const { code, output } = await run("good/two", "bad");

    assert.equal(code, 1);
    assert.match(output, /\n# pass 1\n# fail 3\n/);
    assert.match(output, /✖ does \(.*\n +\[?Error.*: thrown late/);
  });

  it("keeps apart what files of one process set up, and names the file of a failure", async () => {
    const file = (name: string, end: string) => `
import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import { seen } from "./seen.ts";
before(() => seen.push("${name}"));
beforeEach(() => seen.push("each ${name}"));
after(() => { seen.length = 0; });
it("knows its own hooks", () => { assert.deepEqual(seen, ["${name}", "each ${name}"]); });
it("${end}", () => assert.equal("${end}", "passes"));
console.log("PID " + process.pid);
`;
    checkout.write("test/shared/seen.ts", "export const seen: string[] = [];");
    checkout.write("test/shared/first.test.ts", file("first", "passes"));
    checkout.write("test/shared/second.test.ts", file("second", "breaks"));
    checkout.write("test/shared/third.test.ts", "nor is this");

    const { code, output } = await run("shared");

    assert.equal(code, 1);
    assert.match(output, /\n# tests 5\n# suites 3\n# pass 3\n# fail 2\n/);
    assert.match(output, /\n✖ test\/shared\/third\.test\.ts/);
    assert.match(output, /\ntest at test\/shared\/second\.test\.ts:\d+:\d+\n✖ breaks/);
    assert.equal(new Set(output.match(/PID \d+/g)).size, 1);
  });

  it("names the files that do not come to their end: that exit, loop or wait for ever", async () => {
    checkout.write("test/exits/first.test.ts", test("process.exit(0);"));
    checkout.write("test/exits/second.test.ts", test(""));
    checkout.write("test/loops/first.test.ts", test("for (;;);"));
    checkout.write(
      "test/waits/first.test.ts",
      test("setInterval(() => {}, 1000).unref(); await new Promise(() => {});"),
    );
    checkout.write("test/waits/second.test.ts", test(""));
    const briefly = (area: string) =>
      checkout.run([process.execPath, "scripts/test.mjs", area], {
        env: { SVC_TEST_FILE_TIMEOUT_MS: "3000" },
      }).ended;

    const [exits, loops, waits] = [await briefly("exits"), await briefly("loops"), await briefly("waits")];

    assert.deepEqual([exits.code, loops.code, waits.code], [1, 1, 1]);
    assert.match(exits.output, /before:\n {2}test\/exits\/first\.test\.ts\n/);
    assert.match(loops.output, /before:\n {2}test\/loops\/first\.test\.ts\n/);
    assert.match(waits.output, /\n✖ test\/waits\/first\.test\.ts/);
    assert.match(waits.output, /\n# pass 1\n/);
  });

  it("names the areas there are where one is unknown", async () => {
    const { code, output } = await run("goood");

    assert.equal(code, 1);
    assert.match(output, /No tests for "goood"\. Areas: bad, [^.]*good/);
  });
});
