import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { generateHead } from "../../contract/document/edit-frontmatter.ts";
import { splitFrontmatter } from "../../contract/document/frontmatter.ts";
import {
  contentTreeOf,
  contentTreeOfText,
  exportedFile,
  indexFile,
  managedHeader,
  mirrorPath,
  planImport,
  readSvcId,
  svcRecordFile,
  withManagedHeader,
  withoutManagedHeader,
} from "../../repos/mirror/layout.ts";
import { hashObject } from "../../repos/store/objects.ts";

const textOf = (description: string, body: string, fields = new Map<string, unknown>()) =>
  generateHead({ name: "tool", description }, fields) + body;
const stored = textOf("What it does", "# Tool\n\nDo it.\n", new Map([["license", "MIT"]]));

describe("the managed header", () => {
  it("is between frontmatter and body, and can be removed without a trace", () => {
    const exported = withManagedHeader(stored);

    assert.equal(exported, stored.replace("---\n\n#", `---\n\n${managedHeader}\n\n#`));
    assert.equal(withoutManagedHeader(exported), stored);
    assert.equal(withManagedHeader(exported), exported);
  });

  it("preserves frontmatter and body of any text in both directions", () => {
    const words = fc.stringMatching(/^[a-z# \n\r\t<!>-]{0,80}$/);
    fc.assert(
      fc.property(words, words, (description, rest) => {
        const body = `x${rest}`;
        const text = textOf(description, body);
        const back = withoutManagedHeader(withManagedHeader(text));
        assert.equal(back, text);
        assert.equal(splitFrontmatter(withoutManagedHeader(withManagedHeader(body))).body, body);
      }),
    );
  });

  const edits: [what: string, change: (text: string) => string][] = [
    ["deleted", (text) => text.replace(`${managedHeader}\n\n`, "")],
    ["reworded", (text) => text.replace(/This file .* version\./, "hands off!")],
    ["wrapped over lines", (text) => text.replace("registry:", "registry:\n")],
    ["left open", (text) => text.replace(" -->", "")],
    ["with Windows line ends", (text) => text.replace(`${managedHeader}\n\n`, `${managedHeader}\r\n\r\n`)],
    ["doubled", (text) => text.replace(managedHeader, `${managedHeader}\n\n${managedHeader}`)],
    ["without a blank line after it", (text) => text.replace(`${managedHeader}\n\n`, `${managedHeader}\n`)],
    ["indented", (text) => text.replace(managedHeader, `  ${managedHeader}  `)],
  ];
  for (const [what, change] of edits)
    it(`does not count as content when it is ${what}`, () => {
      const edited = change(withManagedHeader(stored));
      assert.notEqual(edited, withManagedHeader(stored));
      assert.equal(withoutManagedHeader(edited), stored);
    });

  it("is not confused with a comment of the author", () => {
    const text = textOf("d", "<!-- mine -->\n\n# Tool\n");
    assert.equal(withoutManagedHeader(text), text);
    const late = textOf("d", `# Tool\n\n${managedHeader}\n\nmore\n`);
    assert.equal(withoutManagedHeader(late), late);
  });

  it("is added to texts only", () => {
    const file = { path: "SKILL.md", mode: "100644", data: Buffer.from(stored) } as const;
    assert.equal(exportedFile("package", file), file);
    assert.equal(exportedFile("markdown", file).data.toString(), withManagedHeader(stored));
    const bytes = { ...file, data: Buffer.from([0xff, 0xfe]) };
    assert.equal(exportedFile("markdown", bytes), bytes);
  });
});

describe("the content tree", () => {
  it("of a text is that of its exported file", () => {
    const data = Buffer.from(withManagedHeader(stored));
    assert.equal(
      contentTreeOfText("rule", Buffer.from(stored)),
      contentTreeOf([{ path: "RULE.md", mode: "100644", oid: hashObject("blob", data) }]),
    );
  });
});

describe(".svc.json", () => {
  const record = {
    visibility: "private",
    id: "65a1b2c3d4e5f60718293a4b",
    version: 3,
    semver: "1.0.2",
    type: "skill",
    tags: ["b", "a"],
    author: { username: "ann", name: "Ann" },
    versionAuthor: null,
  } as const;

  it("has sorted keys and no time", () => {
    assert.equal(
      svcRecordFile(record).toString(),
      `{
  "author": {
    "name": "Ann",
    "username": "ann"
  },
  "id": "65a1b2c3d4e5f60718293a4b",
  "semver": "1.0.2",
  "tags": [
    "b",
    "a"
  ],
  "type": "skill",
  "version": 3,
  "versionAuthor": null,
  "visibility": "private"
}
`,
    );
  });

  it("is parsed for its id only, and never fails", () => {
    assert.equal(readSvcId(svcRecordFile(record)), record.id);
    for (const bad of ["", "null", "[]", "7", "{", '{"id":7}', '{"id":"../x"}', '{"id":""}', "\u0000"])
      assert.equal(readSvcId(Buffer.from(bad)), undefined, bad);
    assert.equal(readSvcId(Buffer.from(`{"id":"a","x":"${"y".repeat(70_000)}"}`)), undefined);
    assert.equal(readSvcId(Buffer.from('\ufeff{"id":"abc"}')), "abc");
  });
});

describe("a skill's path", () => {
  it("consists of its folders and its slug", () => {
    assert.equal(mirrorPath(["ops", "tools"], "deploy"), "skills/ops/tools/deploy");
    assert.equal(mirrorPath([], "readme"), "skills/readme");
  });

  for (const slug of [
    "",
    ".",
    "..",
    "a/b",
    "a\\b",
    ".git",
    "git~1",
    "a\u0000",
    "README.md",
    "readme.MD",
    ".svc.json",
  ])
    it(`rejects ${JSON.stringify(slug)}`, () => {
      assert.throws(() => mirrorPath([], slug), { code: "invalid_draft" });
      if (!/^readme/i.test(slug)) assert.throws(() => mirrorPath([slug], "x"), { code: "invalid_draft" });
    });
});

describe("the imported form of a directory", () => {
  const file = (path: string) => ({ path, mode: "100644" as const, oid: "0".repeat(40), size: 1 });
  const one = [file("SKILL.md")];
  const many = [file("SKILL.md"), file("data.txt")];

  it("is a text for one file, unless the skill is a package", () => {
    assert.equal(planImport(one, "SKILL.md", undefined).kind, "text");
    assert.equal(planImport(one, "SKILL.md", "markdown").kind, "text");
    assert.deepEqual(planImport(one, "SKILL.md", "package"), {
      kind: "package",
      rootFile: one[0],
      stripHeader: false,
    });
  });

  it("is a package for more, without the header that a text had", () => {
    assert.deepEqual(planImport(many, "SKILL.md", "markdown"), {
      kind: "package",
      rootFile: many[0],
      stripHeader: true,
    });
  });

  it("is a rule for a RULE.md", () => {
    assert.deepEqual(planImport([file("RULE.md")], "RULE.md", "package"), {
      kind: "text",
      type: "rule",
      file: file("RULE.md"),
    });
  });
});

describe("skills/README.md", () => {
  it("lists skills by path, in any order, with all Markdown escaped", () => {
    const entries = [
      {
        path: "skills/ops/deploy",
        name: "Deploy [now](http://x)",
        description: "a\nb <script>",
        type: "skill",
      },
      { path: "skills/lint", name: "Lint", description: "", type: "rule" },
    ] as const;
    const text = indexFile(entries).toString();

    assert.equal(indexFile(entries.toReversed()).toString(), text);
    assert.ok(text.includes("- [Lint](lint) `lint` (rule)\n- [Deploy"), text);
    assert.ok(text.includes("\\[now\\](http://x)](ops/deploy) `ops/deploy`: a b \\<script\\>\n"), text);
    assert.ok(indexFile([]).toString().includes("no skills yet"));
  });
});
