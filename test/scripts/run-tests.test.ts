import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { alone, longRuns, planTests, seconds } from "../../scripts/test-plan.mjs";
import { root } from "../support/root.ts";
import { type Checkout, makeCheckout } from "./checkout.ts";

const test = (body: string) => `
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import { it } from "node:test";
it("does", async () => { ${body} });
`;

describe("npm test", () => {
  let checkout: Checkout;
  const run = (...filters: string[]) =>
    checkout.run([process.execPath, "scripts/test.mjs", ...filters]).ended;

  before(() => {
    checkout = makeCheckout();
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
  });
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

  it("names the files that do not come to their end: whose process exits, waits or loops for ever", async () => {
    checkout.write("test/gone/first.test.ts", test(""));
    checkout.write("test/gone/second.test.ts", test("process.exit(0);"));
    checkout.write(
      "test/queue/waits.test.ts",
      test("setInterval(() => {}, 1000); await new Promise(() => {});"),
    );
    checkout.write("test/engines/loops.test.ts", test("for (;;);"));

    const { code, output } = await checkout.run(
      [process.execPath, "scripts/test.mjs", "gone", "queue", "engines"],
      { env: { SVC_TEST_FILE_TIMEOUT_MS: "3000" } },
    ).ended;

    assert.equal(code, 1);
    assert.match(output, /test\/queue\/waits\.test\.ts did not end within 3 s and was stopped/);
    assert.match(output, /test\/engines\/loops\.test\.ts did not end within 3 s and was stopped/);
    assert.deepEqual(/before:\n((?: {2}.+\n)+)/.exec(output)?.[1]?.trim().split(/\s+/).toSorted(), [
      "test/engines/loops.test.ts",
      "test/gone/first.test.ts",
      "test/gone/second.test.ts",
      "test/queue/waits.test.ts",
    ]);
  });

  it("names the areas there are where one is unknown", async () => {
    const { code, output } = await run("goood");

    assert.equal(code, 1);
    assert.match(output, /No tests for "goood"\. Areas: bad, [^.]*good/);
  });
});

describe("processes of test files", () => {
  it("name files and areas that there are", () => {
    const inTests = (name: string) => path.join(root, "test", name);
    for (const name of [...alone, ...Object.keys(seconds), ...Object.keys(longRuns)])
      assert.ok(fs.existsSync(inTests(`${name}.test.ts`)) || fs.existsSync(inTests(name)), name);
  });

  const names = (area: string, count: number) =>
    Array.from({ length: count }, (_, i) => `test/${area}/${String(i).padStart(2, "0")}.test.ts`);

  it("share the files of all areas, as many as the work is worth, and begin with one of their own", () => {
    const few = names("auth", 3);
    const more = [...few, ...names("folders", 2), ...names("users", 3)];

    const one = planTests(few, 4);
    const two = planTests(more, 4);
    const many = planTests(names("auth", 320), 4);
    const long = planTests(["test/web/pages.test.ts"], 4);

    assert.deepEqual(one, [[few[2], few[0], few[1]]]);
    assert.deepEqual(two, [
      [more[6], ...more.slice(0, 6)],
      [more[7], ...more.slice(0, 6)],
    ]);
    assert.deepEqual(
      many.map((files) => files.length),
      [317, 317, 317, 317],
    );
    assert.deepEqual(long, [["test/web/pages.test.ts"]]);
  });

  it("begin with what takes longest, leave alone what must be alone, and keep pages and journeys together", () => {
    const readZip = "test/archive/read-zip.test.ts";
    const [a, b] = names("journeys", 2);
    const kill = "test/journeys/kill.test.ts";
    const pages = "test/web/pages.test.ts";
    const users = names("users", 30);
    const shared = ["test/access/matrix.test.ts", ...users.slice(0, 28)];
    const sharing = users.slice(28).map((own) => [own, ...shared]);

    const processes = planTests([readZip, a!, b!, kill, shared[0]!, ...users, pages], 4);

    assert.deepEqual(processes, [...sharing, [pages], [a, kill], [b, kill], [readZip]]);
  });
});
