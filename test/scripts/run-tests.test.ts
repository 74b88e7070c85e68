import assert from "node:assert/strict";
import fs from "node:fs";
import { after, before, describe, it } from "node:test";

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
  });
  after(() => checkout.remove());

  it("runs the files of the areas that are named, and ends with their totals", async () => {
    const { code, output } = await run("good");

    assert.equal(code, 0, output);
    assert.match(output, /\n# tests 2\n# suites 0\n# pass 2\n# fail 0\n[^✔✖]*$/);
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
    const wrong = await run("bad/wrong");
    const broken = await run("good/two", "bad/broken");

    assert.equal(wrong.code, 1);
    assert.match(wrong.output, /\n# fail 1\n/);
    assert.equal(broken.code, 1);
    assert.match(broken.output, /\n# pass 1\n# fail 1\n/);
  });

  it("names the areas there are where one is unknown", async () => {
    const { code, output } = await run("goood");

    assert.equal(code, 1);
    assert.match(output, /No tests for "goood"\. Areas: bad, good\./);
  });
});
