import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parsePin, parsePinnedRef, parseVersionSpec } from "../../cli/arguments/pins.ts";
import { CliError } from "../../cli/errors.ts";

describe("a reference with a pin", () => {
  for (const [text, ref, range] of [
    ["code-review", "code-review", "latest"],
    ["code-review@latest", "code-review", "latest"],
    ["code-review@1.2.3", "code-review", "1.2.3"],
    ["code-review@v1.2.3", "code-review", "1.2.3"],
    ["code-review@^1.2", "code-review", "^1.2"],
    ["code-review@~1.2.0", "code-review", "~1.2.0"],
    ["code-review@>=1.0.0 <2.0.0", "code-review", ">=1.0.0 <2.0.0"],
    ["code-review@1.x", "code-review", "1.x"],
    ["code-review@*", "code-review", "*"],
    ["code-review@2", "code-review", "2.x"],
    ["code-review@2.0.0-beta.1", "code-review", "2.0.0-beta.1"],
    ["code-review@^2.0.0-beta", "code-review", "^2.0.0-beta"],
    ["acme/code-review@^1", "acme/code-review", "^1"],
    ["code-review@next", "code-review", "next"],
    ["CvfcCtijJl@1.0.0", "CvfcCtijJl", "1.0.0"],
    ["https://skills.example.com/s/CvfcCtijJl", "https://skills.example.com/s/CvfcCtijJl", "latest"],
    ["https://a@skills.example.com/s/CvfcCtijJl@~2", "https://a@skills.example.com/s/CvfcCtijJl", "~2"],
  ] as const)
    it(`is read from ${text}`, () => assert.deepEqual(parsePinnedRef(text), { ref, range }));

  for (const text of [
    "@1.0.0",
    "x@",
    "x@Next",
    "x@1.0.0+build",
    "x@^^1",
    "a/b/c",
    "../x",
    "x y",
    "-x",
    "https://",
  ])
    it(`is rejected from ${text}`, () =>
      assert.throws(
        () => parsePinnedRef(text),
        (error) =>
          error instanceof CliError && error.code === "E_INVALID_ARGUMENT" && error.details?.flag === "<ref>",
      ));
});

describe("a version spec", () => {
  it("takes an integer as the version of that number, while a pin takes it as a major version", () => {
    assert.equal(parseVersionSpec("3", "--version"), "3");
    assert.equal(parsePin("3", "<ref>"), "3.x");
  });

  for (const text of ["0", "1.2.3.4", "", "99999999999999999999"])
    it(`rejects "${text}"`, () => assert.throws(() => parseVersionSpec(text, "--version"), CliError));
});
