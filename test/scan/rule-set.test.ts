import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { rawTextRules } from "../../contract/scan/rules/hidden-text.ts";
import { rules, ruleSetVersion } from "../../contract/scan/rules/index.ts";
import { archiveRules } from "../../contract/scan/scan.ts";
import { sourceFiles } from "../house/sources.ts";
import { root } from "../support/root.ts";

/** Version and digest of the rules. Skills are scanned again if the version changes, and only then. */
const recorded = ["2", "5827fe520b9879c2"];

describe("the version of the rules", () => {
  it("changes with the rules", () => {
    const hash = createHash("sha256");
    const files = [...sourceFiles("contract/scan/rules"), "contract/scan/hosts.ts", "contract/scan/prose.ts"];
    for (const file of files.toSorted())
      hash.update(
        readFileSync(join(root, file), "utf8")
          .replace(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "")
          .replace(/^import [^;]*;$/gm, "")
          .replace(/\s+/g, ""),
      );
    const current = [ruleSetVersion, hash.digest("hex").slice(0, 16)];

    assert.deepEqual(current, recorded, "Increase ruleSetVersion, and record it here with the digest.");
  });
});

describe("docs/reference/scan.md", () => {
  it("has every rule with its severity and its sentence", () => {
    const documented = readFileSync(join(root, "docs/reference/scan.md"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| `") && line.includes("."))
      .map((line) => line.split("|").map((cell) => cell.trim()));
    const listed = documented.flatMap(([, id, severity, sentence]) =>
      id?.includes(".") ? [`${id} ${severity}: ${sentence}`] : [],
    );
    const severities = ({ severity, ...rule }: { severity: string; inPrograms?: string }) =>
      rule.inPrograms === undefined ? severity : `${severity}; in programs ${rule.inPrograms}`;
    const all = [
      ...rawTextRules,
      ...rules.text,
      ...rules.together,
      ...rules.file,
      ...rules.skill,
      ...Object.values(archiveRules),
    ].map((rule) => `\`${rule.id}\` ${severities(rule)}: ${rule.sentence}`);

    assert.deepEqual(listed.toSorted(), all.toSorted());
  });
});
