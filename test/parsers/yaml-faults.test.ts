/** Faults of frontmatter: what is wrong, its line, and the text to write, in words of our own. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readSkillText, sentenceOf } from "../../contract/checks/skill-rules.ts";
import { parseYaml, yamlOptions } from "../../contract/document/yaml.ts";
import { readUtf8 } from "../../contract/text/text-encoding.ts";
import { runCount } from "../support/run-count.ts";

const faultIn = (text: string) => {
  const [fault] = readSkillText(text, "package").faults;
  return fault && `${fault.line}: ${sentenceOf(fault)}`;
};
const yaml = (lines: string) => faultIn(`---\n${lines}\n---\nDo it.\n`);

describe("frontmatter that is no YAML", () => {
  for (const [lines, expected] of [
    [
      "description: Deploys: a guide",
      /^2: .*contains ": ".* Write instead: `description: "Deploys: a guide"`\.$/,
    ],
    ['description: Say "x": it\'s', /Write instead: `description: "Say \\"x\\": it's"`\.$/],
    [
      "name: a\ndescription: @team",
      /^3: Its description begins with "@".* Write instead: `description: "@team"`\.$/,
    ],
    ["description: `x` y", /Write instead: `description: "`x` y"`\.$/],
    ["description: %x", /Write instead: `description: "%x"`\.$/],
    ["applyTo: **/*.py", /^2: Its applyTo begins with "\*".* Write instead: `applyTo: "\*\*\/\*\.py"`\.$/],
    ['name: "a\ndescription: b', /^2: Its name opens a quotation mark.* Write instead: `name: "a"`\.$/],
    ["description: 'it's so'", /Write instead: `description: "it's so"`\.$/],
    ['description: "a" b', /Write instead: `description: '"a" b'`\.$/],
    ['x: "C:\\path"', /backslash.* Write instead: `x: 'C:\\path'`\.$/],
    ["name: a\n description: b", /^3: .*not indented.* Write instead: `description: b`\.$/],
    ["name: a\n\tdescription: b", /^3: .*tab.* Write instead: `description: b`\.$/],
    ["metadata:\n\ta: b", /^3: .*tab.* Write instead: ` {2}a: b`\.$/],
    ["metadata:\n  a: b\n c: d", /^4: .*not indented.* Write instead: ` {2}c: d`\.$/],
    ["metadata:\n  a: b: c", /^3: .* Write instead: ` {2}a: "b: c"`\.$/],
    ["name:a\ndescription: b", /^2: .*no space after "name:".* Write instead: `name: a`\.$/],
    ["name: a\nlicense MIT", /^3: .*no ":" after "license".* Write instead: `license: MIT`\.$/],
    ["description: a\nb c\nname: x", /^3: .* Write instead: `description: "a b c"`\.$/],
    ["description: a\n  when: b", /^3: .* Write instead: `description: "a when: b"`\.$/],
    ["tags: [a, b", /^2: .*not closed.* Write instead: `tags: \[a, b\]`\.$/],
    ["description: [What] it does", /Write instead: `description: "\[What\] it does"`\.$/],
    ["description: > a", /Write instead: `description: "a"`\.$/],
    ["x:\n  - a\n  -b", /^4: .* Write instead: ` {2}- b`\.$/],
    ["name: a\nname: b", /^3: .*"name" a second time.* Keep one of: `name: a`, `name: b`\.$/],
    [
      "name: &n a\nmetadata:\n  b: *n",
      /^4: Its key "b" refers to .*\(\*n\).* Write instead: ` {2}b: "a"`\.$/,
    ],
    ["x: &b\n  c: d\nmetadata:\n  <<: *b", /^5: .*\(<<\).* Write instead: `c: d`\.$/],
    ["1: a", /^2: .*key that is not text.* Write instead: `"1":`\.$/],
    ["name: true", /^2: Its name is not text\. Write instead: `name: "true"`\.$/],
    ["- a", /^2: Its frontmatter is not lines of the form key: value\./],
  ] as const)
    it(`is explained with the text to write: ${JSON.stringify(lines)}`, () => {
      assert.match(yaml(lines) ?? "", expected);
    });

  it("is never explained with a sentence of the library, and always with a remedy", () => {
    const piece = fc.constantFrom(
      "a: ",
      "b",
      ": ",
      "- ",
      "\n",
      "\n  ",
      "\n\t",
      '"',
      "'",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&x ",
      "*x",
      "!!a ",

      "? ",
      "| ",
      ">\n",
      "%",
      "@",
      "`",
      "#",
      "\\",
      "<<: ",
      "...",
      "--- ",
      "\r\n",
      "name: ",
      "é",
      "\u2028",
      "1",
    );
    const source = fc.array(piece, { maxLength: 25 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(source, (text) => {
        const [fault] = readSkillText(`---\n${text}\n---\nx\n`, "markdown").faults;
        if (fault?.rule !== "frontmatter_yaml") return;
        const own = sentenceOf(fault);
        assert.ok(fault.remedy, own);
        const lines = text.split("\n").length + 1;
        assert.ok(fault.line! >= 2 && fault.line! <= lines, own);
        const { errors, warnings } = parseYaml(text, yamlOptions);
        for (const { message } of [...errors, ...warnings]) assert.ok(!own.includes(message), own);
        assert.doesNotMatch(
          own,
          /Alias resolution|implicit|compact mapping|flow (?:sequence|map)|YAML token|undefined/,
        );
      }),
      { numRuns: runCount(1000, 10_000) },
    );
  });
});

describe("frontmatter that no tool would find", () => {
  const head = "---\nname: a\ndescription: b\n---\n";
  for (const [what, text, expected] of [
    ["a blank line", `\n\n${head}x`, /^3: .*after a blank line/],
    ["a comment", `<!-- a -->\n${head}x`, /^2: .*after a comment.* Move it below/],
    ["a comment of several lines", `\n<!--\na\n\n-->\n\n${head}x`, /^7: .*after a comment/],
    ["a comment of the kind of YAML", `# yaml-language-server: x\n${head}x`, /^2: /],
    ["white space", `  ${head}x`, /^1: .*after white space/],
    ["a byte order mark and a blank line", `\uFEFF\n${head}x`, /^2: /],
    ["CRLF and a blank line", `\r\n${head.replaceAll("\n", "\r\n")}x`, /^2: /],
    ["no first fence", head.slice(4), /^1: .*no opening --- line/],
    ["carriage returns", head.replaceAll("\n", "\r"), /^1: Its lines end with a carriage return alone.* LF/],
    ["a blank line, and carriage returns", `\r${head.replaceAll("\n", "\r")}`, /^1: Its lines end/],
    ["dots", "---\nname: a\n...\n\nx\n", /^3: .* Write instead: `---`\.$/],
    ["dots, and a rule below", "---\nname: a\n...\n\nx\n\n---\ny\n", /^3: .* Write instead: `---`\.$/],
    ["a short fence", "---\nname: a\n--\nx\n", /^3: .*"--" is none\. Write instead: `---`\.$/],
    ["an indented fence", "---\nname: a\n ---\nx\n", /^3: .* Write instead: `---`\.$/],
    [
      "no second fence",
      "---\nname: a\n\n# Title\n\nx\n",
      /^4: .*no closing --- line\. Insert before line 4: `---`\.$/,
    ],
    ["another language", "+++\nname = 1\n+++\nx\n", /^1: "\+\+\+" opens frontmatter of another language/],
    ["a NUL", `${head}a\nb\0`, /^6: It contains a NUL character/],
  ] as const)
    it(`is refused, not published as text: ${what}`, () => {
      assert.match(faultIn(text) ?? "", expected);
      const [fault] = readSkillText(text, "markdown").faults;
      assert.match(`${fault?.line}: ${fault && sentenceOf(fault)}`, expected);
    });

  for (const text of [
    "# Title\n\n---\n\nText: with a colon\n\n---\n",
    "\n---\nNote: this\n---\n",
    "Text\n\n---\nname: a\n---\n",
    "----\nname: a\n---\nx\n",
    "<!-- note --> Text\n---\nname: a\n---\n",
    "name: a\n\nText of a letter.\n\n---\n",
    "---\nname: a\n...\n---\nx\n",
  ])
    it(`is not looked for in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readSkillText(text, "markdown").faults, []);
    });

  it("is read as UTF-8 only, and other encodings are named", () => {
    const fault = (bytes: Buffer) => {
      const read = readUtf8(bytes);
      return "fault" in read ? sentenceOf(read.fault) + (read.fault.line ?? "") : undefined;
    };
    const utf16 = Buffer.from("\uFEFFname", "utf16le");
    for (const bytes of [
      utf16,
      Buffer.from(utf16).swap16(),
      utf16.subarray(2),
      Buffer.from(utf16).swap16().subarray(2),
    ])
      assert.equal(fault(bytes), "It is UTF-16, which most tools can't read. Save it as UTF-8.");
    assert.equal(fault(Buffer.from("a\nb\xe9\n", "latin1")), "It is not UTF-8 text. Save it as UTF-8.2");
    assert.equal(fault(Buffer.from("\uFEFFä")), undefined);
  });
});
