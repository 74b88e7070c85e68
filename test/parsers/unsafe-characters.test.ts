import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeLine } from "../../cli/terminal/escape-control.ts";
import {
  hiddenCharacters,
  identifierText,
  isOneLine,
  oneLineText,
  plainTextOfLines,
  toOneLine,
} from "../../contract/checks/unsafe-characters.ts";
import { plainText } from "../../repos/transport/pkt-line.ts";
import { cleanText } from "../../src/connectors/proxy/entries.ts";
import { showHidden } from "../../src/http/pages/show-hidden.ts";
import { plainLine } from "../../src/skills/publish/import/import-commit.ts";

const breaking = ["\0", "\u0007", "\u0085", "\ud800", "\u2028", "\u2029"];
const bidirectional = ["\u202a", "\u202e", "\u2066", "\u2069"];
const marks = ["\u061c", "\u200e", "\u200f"];
const hidden = [
  "\u00ad",
  "\u180e",
  "\u200b",
  "\u2060",
  "\u206a",
  "\ufeff",
  "\ufff9",
  "\u{e0041}",
  "\u{e0100}",
];
/** Texts of scripts and emoji that use joiners. */
const joined = ["می\u200cخواهم", "क्\u200dष", "👩\u200d💻", "👩🏽\u200d💻", "❤\ufe0f\u200d🔥"];

describe("unsafe characters", () => {
  it("are marked on pages and in terminals, and kept from agents and logs", () => {
    for (const character of [...breaking, ...bidirectional, ...marks, ...hidden, "\u200c", "\u200d"]) {
      const text = `a${character}b`;
      const name = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

      assert.equal(showHidden(text), `a<${name}>b`);
      assert.equal(text.replace(hiddenCharacters, "?"), "a?b");
      if (character > "\u001f") assert.equal(escapeLine(text), `a<${name}>b`);
      assert.equal(cleanText(text, 100), "ab", name);
      assert.equal(plainText(text, 100), "a b", name);
    }
  });

  it("do not include line breaks, tabs, and the joiners of scripts and emoji", () => {
    for (const text of [...joined, "a\tb\nc"]) assert.equal(text.search(hiddenCharacters), -1, text);
    assert.equal(escapeLine("a\tb\nc\r"), "a\tb^Jc^M");
  });

  it("are refused in names that people type, except marks and joiners", () => {
    for (const character of [...breaking, ...bidirectional]) {
      assert.doesNotMatch(`a${character}b`, oneLineText);
      assert.doesNotMatch(`a\n${character}b`, plainTextOfLines);
      assert.equal(toOneLine(`a${character}b`), "a b");
    }
    for (const text of [...joined, ...marks]) assert.match(text, oneLineText);
    assert.match("a\tb\r\nc", plainTextOfLines);
  });

  it("are refused in values of headers only if they break a line or can't be sent", () => {
    for (const character of [...breaking, "\n"]) assert.ok(!isOneLine(`a${character}b`));
    for (const character of [...bidirectional, ...marks, ...hidden]) assert.ok(isOneLine(`a${character}b`));
  });

  it("are all refused in identifiers, and removed from the lines of mails and commits", () => {
    for (const character of [...breaking, ...bidirectional, ...marks, "\u200b", "\ufeff", "\u{e0041}"]) {
      assert.doesNotMatch(`a${character}b`, identifierText);
      assert.equal(plainLine(`a${character}b`, 100), "a b");
    }
  });
});
