import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rawTextRules } from "../../contract/scan/rules/hidden-text.ts";
import { rules } from "../../contract/scan/rules/index.ts";
import { archiveRules, scanSkill } from "../../contract/scan/scan.ts";
import { inflate, readCorpus } from "./corpus.ts";

const corpus = readCorpus();
const results = corpus.map((one) => ({ ...one, report: scanSkill(one.files, { inflate }) }));
type Result = (typeof results)[number];

const named = (list: readonly Result[]) =>
  list.map(({ name, report }) => `${name}: ${report.verdict} ${Object.keys(report.counts).join(" ")}`);
const labelled = (...labels: string[]) => results.filter(({ label }) => labels.includes(label));
const withVerdict = (list: readonly Result[], ...verdicts: string[]) =>
  list.filter(({ report }) => verdicts.includes(report.verdict));

describe("the corpus of the scanner", () => {
  it("has at least 150 harmless and 150 bad skills, all scanned to the end", () => {
    assert.ok(labelled("harmless", "note").length >= 150);
    assert.ok(labelled("suspicious", "malicious").length >= 150);
    assert.deepEqual(named(withVerdict(results, "failed")), []);
  });

  it("has cases for and against each rule", () => {
    const all = [
      ...rawTextRules,
      ...rules.text,
      ...rules.together,
      ...rules.file,
      ...rules.skill,
      ...Object.values(archiveRules),
    ].map(({ id }) => id);
    const positive = new Set(corpus.map(({ rule }) => rule));
    const negative = new Set(corpus.flatMap(({ without }) => without));

    assert.deepEqual(
      all.filter((id) => !positive.has(id)),
      [],
    );
    assert.deepEqual(
      all.filter((id) => !negative.has(id)),
      [],
    );
    assert.deepEqual(
      [...positive, ...negative].filter((id) => id !== undefined && !all.some((one) => one === id)),
      [],
    );
  });

  it("is recognized: at least 95 % of malicious skills, and of those that are at least suspicious", (t) => {
    const malicious = labelled("malicious");
    const bad = labelled("malicious", "suspicious");
    const found = withVerdict(malicious, "malicious").length / malicious.length;
    const suspected = withVerdict(bad, "malicious", "suspicious").length / bad.length;
    t.diagnostic(
      `malicious ${(found * 100).toFixed(1)} %, at least suspicious ${(suspected * 100).toFixed(1)} %`,
    );

    assert.ok(
      found >= 0.95,
      named(malicious.filter(({ report }) => report.verdict !== "malicious")).join("\n"),
    );
    assert.ok(suspected >= 0.95);
  });

  it("has no harmless skill that is found malicious, and at most 2 % that are found suspicious", () => {
    const harmless = labelled("harmless", "note");
    const suspected = withVerdict(harmless, "suspicious");

    assert.deepEqual(named(withVerdict(harmless, "malicious")), []);
    assert.ok(suspected.length <= harmless.length * 0.02, named(suspected).join("\n"));
  });

  it("gets the rule that a case names, and not those that it excludes, except as notes of illustrations", () => {
    const notes: string[] = [...rules.text, ...rules.file, ...rules.skill]
      .filter(({ severity }) => severity === "note")
      .map(({ id }) => id);
    const wrong = results.filter(
      ({ rule, without, report }) =>
        (rule !== undefined && !Object.keys(report.counts).includes(rule)) ||
        report.findings.some(
          (found) =>
            without.includes(found.rule) && (found.severity !== "note" || notes.includes(found.rule)),
        ),
    );

    assert.deepEqual(named(wrong), []);
  });
});
