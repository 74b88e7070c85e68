import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  PackageError,
  canonicalContent,
  checkPackagePath,
  checkPackagePaths,
  compareUtf8,
} from "../../contract/checks/package-rules.ts";
import { anyCharacter } from "../support/any-character.ts";
import { assertProcessorSeconds } from "../support/processor-time.ts";
import { runCount } from "../support/run-count.ts";

describe("the rules of a package", () => {
  it("order texts by their UTF-8 bytes", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\uffff", "\u{10000}", "\ue000", "\u{1f389}", ""),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(Math.sign(compareUtf8(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: runCount(100, 5000) },
    );
  });

  it("allow only paths that stay below the folder they are joined to", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (path) => {
        try {
          checkPackagePath(path);
        } catch (error) {
          assert.ok(error instanceof PackageError);
          return;
        }
        const parts = path.split("/");
        assert.ok(
          parts.every(
            (part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git",
          ),
        );
        assert.ok(!/[\0\\]/.test(path) && Buffer.from(path).toString() === path);
      }),
      { numRuns: runCount(100, 5000) },
    );
  });

  it("name the path and the remedy, and escape the path", () => {
    const message = (path: string) => {
      try {
        checkPackagePath(path);
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };

    assert.equal(message("../x"), '"../x" has a "." or ".." in it: use plain names.');
    const forged = message('\x1b[2Jall good"\n');
    assert.ok(!forged.includes("\x1b") && !forged.includes("\n"));
    assert.ok(message(`a\\${"b".repeat(9000)}`).length < 300);
  });

  it("require the root file at the right path", () => {
    assert.doesNotThrow(() => checkPackagePaths(["a/x", "SKILL.md"], { rootFile: "SKILL.md" }));
    assert.throws(() => checkPackagePaths(["SKILL.MD"], { rootFile: "SKILL.md" }), {
      rule: "root_file_missing",
    });
    assert.throws(() => checkPackagePaths([]), { rule: "empty" });
  });

  it("check 500 files with 32 levels each quickly", async () => {
    const paths = Array.from(
      { length: 500 },
      (_, i) => `${Array.from({ length: 31 }, (_unused, level) => `d${i}-${level}`).join("/")}/f`,
    );

    await assertProcessorSeconds(5, () => checkPackagePaths(paths));
  });

  it("list the canonical content in byte order, whatever the order of the files", () => {
    const files = ["b", "a/b", "a.b", "\u{1f389}", "\uff5e"].map((path) => ({
      path,
      mode: "100644",
      sha256: "0".repeat(64),
    }));

    const text = canonicalContent(files);

    assert.equal(text, canonicalContent(files.toReversed()));
    assert.deepEqual(
      text
        .split("\n")
        .slice(1, -1)
        .map((line) => line.slice(72)),
      ["a.b", "a/b", "b", "\uff5e", "\u{1f389}"],
    );
  });
});
