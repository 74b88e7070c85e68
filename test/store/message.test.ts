import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { formatMessage, parseMessage, parseTrailers } from "../../repos/store/message.ts";
import { anyCharacter } from "../support/any-character.ts";
import { runCount } from "../support/run-count.ts";

describe("commit messages", () => {
  it("round-trip, whatever the publisher wrote", () => {
    const line = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.constantFrom(
        "Svc-Version: 9",
        "  Svc-Skill: x",
        "svc-content:y",
        "Svc-:",
        "",
        "",
        "\r",
        "Svc-Content: sha256:0",
      ),
    );
    const value = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("a\nb", "", "x: y"));
    fc.assert(
      fc.property(fc.array(line), value, (lines, given) => {
        const message = lines.join("\n");
        const once = parseMessage(formatMessage(message, { "Svc-Skill": given, "Svc-Version": "7" }));
        const twice = parseMessage(formatMessage(once.message, once.trailers));

        assert.deepEqual(twice, once);
        assert.deepEqual(Object.keys(once.trailers), ["Svc-Skill", "Svc-Version"]);
        assert.equal(once.trailers["Svc-Version"], "7");
        assert.doesNotMatch(once.message, /[\0\r]/);
        const plain = /^[\x20-\x7e\n]*$/.test(message) && message === message.trim() && !/ $/m.test(message);
        if (plain) assert.equal(once.message, message);
      }),
      { numRuns: runCount(100, 3000) },
    );
  });

  it("are parsed for the last paragraph only, and only if every line of it is a trailer", () => {
    assert.deepEqual(parseTrailers("Title\n\nSvc-Version: 1\n\nbody\n"), {});
    assert.deepEqual(parseTrailers("Title\n\nSvc-Version: 1\nbody\n"), {});
    assert.deepEqual(parseTrailers("Svc-Version: 1\n\nSvc-Skill: x\n"), { "Svc-Skill": "x" });
    assert.deepEqual(parseTrailers("Svc-Version: 1\n"), { "Svc-Version": "1" });
    assert.deepEqual(parseTrailers(""), {});
  });
});
