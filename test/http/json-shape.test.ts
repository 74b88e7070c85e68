import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { faultOfShape } from "../../src/http/input/json-shape.ts";

const levels = (count: number, [open, close] = ["[", "]"]) => `${open.repeat(count)}1${close.repeat(count)}`;
const tooDeep = `has more than ${limits.jsonDepth} levels`;
const tooMany = `has more than ${limits.jsonParts} brackets, commas and colons`;

describe("the shape of JSON", () => {
  it("has a limited number of levels", () => {
    assert.equal(faultOfShape(levels(limits.jsonDepth)), undefined);
    assert.equal(faultOfShape(levels(limits.jsonDepth + 1)), tooDeep);
    assert.equal(faultOfShape(levels(limits.jsonDepth + 1, ['{"a":', "}"])), tooDeep);
    assert.equal(faultOfShape(`[${"[],".repeat(1000)}1]`), undefined);
  });

  it("has a limited number of parts", () => {
    const names = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, n])));

    assert.equal(faultOfShape(names(limits.jsonParts / 2)), undefined);
    assert.equal(faultOfShape(names(limits.jsonParts / 2 + 1)), tooMany);
    assert.equal(faultOfShape(`[${"0,".repeat(limits.jsonParts)}0]`), tooMany);
  });

  it("does not depend on what strings contain", () => {
    const text = `${"[{,:".repeat(limits.jsonParts)}\\`;

    for (const odd of [text, `"${text}`, `\\"${text}\\`, `${"\\".repeat(1001)}"${text}`])
      assert.equal(faultOfShape(JSON.stringify({ [odd]: [odd] })), undefined);
    assert.equal(faultOfShape(`["\\\\",${"[".repeat(limits.jsonDepth)}`), tooDeep);
    assert.equal(faultOfShape(`"never closed ${text}`), undefined);
  });
});
