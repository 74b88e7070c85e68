import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { everything, product, texts } from "./sources.ts";

/** Private vocabulary that the code once used, with its replacement. */
const retiredNames: [name: RegExp, write: string][] = [
  [/\binLanes\b|\beachOf\b/, "mapLimit"],
  [/\bLastWord\b/, "Coalescer"],
  [/\btend[A-Z]\w*|\bmendEach\b/, "reconcile…, repairEach"],
  [
    /\b(settleSkill|settleForReaders|scheduleSettling)\b/,
    "projectSkill, projectForReaders, scheduleProjection",
  ],
  [/\bcarryEvents\b/, "flushOutbox"],
  [
    /\b(onlyFollows|fetchBeside|lookAtCommit)\b/,
    "containsOnlyUpstreamChanges, fetchSecondBranch, readCommit",
  ],
  [/\b(requireWelcome|requireHeld|lookInVain)\b/, "requireInvitation, requirePermissions, equalizeTiming"],
  [/\b\w*(Queue|GitHub|Pack|Pull)Place\b/, "the exact thing, such as PackLocation"],
];

/** Phrases of the glossary's left column that are gone from code, tests and messages. */
const retiredPhrases = [
  /\btries anew\b/,
  /\bThat which\b/,
  /skills-search\.ts/,
  /^\s*(\/\*\*|\*|\/\/) (What|Of|Whoever|Nobody|Somebody)\b/m,
];

describe("product files", () => {
  it("do not spread a property in order to leave it out, where `undefined` does the same", () => {
    // Filters and updates of the database are built from parts.
    const own = product.filter((file) => !file.startsWith("storage/") && !file.startsWith("web/"));
    const spread = /\.\.\.\((\w+) (?:(?:=== undefined \? \{\} :|!== undefined \?|\?|&&) \{ \1 \})/;

    assert.deepEqual(
      own.filter((file) => spread.test(texts.get(file)!)),
      [],
    );
    assert.deepEqual(
      everything.filter((file) =>
        /^ *(readonly )?\w+\?: [^{}()\n]*\| undefined[;,]$/m.test(texts.get(file)!),
      ),
      [],
    );
  });
});

describe("comments", () => {
  it("of a whole file come before its imports, of which the first one is sorted with its comment", () => {
    const moved = everything.filter((file) =>
      /^import [^;]*;\n\/\*\*[^]*?\*\/\nimport /m.test(texts.get(file)!),
    );

    assert.deepEqual(moved, []);
  });

  it("have lines of at most 120 columns, which the formatter does not wrap", () => {
    const long = everything.flatMap((file) =>
      texts
        .get(file)!
        .split("\n")
        .flatMap((line, at) =>
          line.length > 120 && /^ *(\*|\/\/|\/\*)/.test(line) ? [`${file}:${at + 1}`] : [],
        ),
    );

    assert.deepEqual(long, []);
  });
});

describe("a folder", () => {
  it("of the product has at most 20 files, beside its sub-folders", () => {
    const filesOf = new Map<string, number>();
    for (const folder of product.map((file) => path.posix.dirname(file)))
      filesOf.set(folder, (filesOf.get(folder) ?? 0) + 1);

    assert.deepEqual(
      [...filesOf].filter(([, count]) => count > 20),
      [],
    );
  });
});

describe("the glossary", () => {
  const read = everything.filter((file) => file !== "test/house/structure.test.ts");

  it("keeps retired names out", () => {
    const found = read.flatMap((file) =>
      retiredNames
        .filter(([name]) => name.test(texts.get(file)!))
        .map(([name, write]) => `${file}: ${name.exec(texts.get(file)!)![0]}; write ${write}`),
    );

    assert.deepEqual(found, []);
  });

  it("keeps retired phrases out", () => {
    const found = read.flatMap((file) =>
      retiredPhrases.filter((phrase) => phrase.test(texts.get(file)!)).map((phrase) => `${file}: ${phrase}`),
    );

    assert.deepEqual(found, []);
  });
});
