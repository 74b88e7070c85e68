/** JSON of other servers, which is bounded while it arrives. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RepoError } from "../../repos/errors.ts";
import { countJsonParts } from "../../repos/transport/json-parts.ts";

/** Whether a text is refused with a limit of ten parts, however it is cut into pieces. */
function isRefused(text: string, isStream: boolean): boolean {
  const results = [1, 3, text.length].map((size) => {
    const count = countJsonParts("x.test", 10, isStream);
    try {
      for (let at = 0; at < text.length; at += size) count(Buffer.from(text.slice(at, at + size)));
      return false;
    } catch (error) {
      assert.ok(error instanceof RepoError && error.code === "remote_too_large");
      return true;
    }
  });
  assert.equal(new Set(results.slice(0, 2)).size, 1, text);
  return results[0]!;
}

const event = "data: [1,2,3,4]\n\n";
const crowd = "[".repeat(11);

describe("JSON of another server", () => {
  it("is bounded by its brackets, commas and colons, not by its texts", () => {
    assert.equal(isRefused('{"a":[1,2,3,4,5,6]}', false), false);
    assert.equal(isRefused(crowd, false), true);
    assert.equal(isRefused(`"${crowd}\\"${crowd}"`, false), false);
    assert.equal(isRefused(`"\\\\"${crowd}`, false), true);
    assert.equal(isRefused(`[[[[[[\n\n[[[[[[`, false), true);
  });

  it("is counted anew for each event of a stream, which no other line can hide", () => {
    assert.equal(isRefused(event.repeat(20), true), false);
    assert.equal(isRefused(event.replaceAll("\n", "\r\n").repeat(20), true), false);
    assert.equal(isRefused("data: [1,2\ndata: ,3,4\n".repeat(4), true), true);
    assert.equal(isRefused("data: [1,2\r\ndata: ,3,4\r\n".repeat(4), true), true);
    for (const end of ["\n", "\r", "\r\n"])
      assert.equal(isRefused(`: "${end}data: ${crowd}`, true), true, JSON.stringify(end));
  });
});
