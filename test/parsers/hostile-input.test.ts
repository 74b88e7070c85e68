/** `SVC_RUNS` is the number of generated inputs of each parser. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { FrontmatterError, splitFrontmatter } from "../../contract/document/frontmatter.ts";
import { yamlLimits } from "../../contract/document/yaml.ts";
import { nestedYaml } from "../support/hostile-yaml.ts";
import { openRandom } from "../support/random.ts";
import { programArgs } from "../support/root.ts";
import { runCount } from "../support/run-count.ts";
import type { ParserReport } from "./parser-child.ts";

const inputs = runCount(200, 10_000);

describe("frontmatter", () => {
  const depthRuleOf = (yaml: string) => {
    try {
      splitFrontmatter(`---\n${yaml}---\ntext\n`);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof FrontmatterError, String(error));
      return error.rule;
    }
  };

  it("is parsed with 32 levels of nesting and rejected with more, whatever brackets its scalars contain", () => {
    const read = { shallow: 0, deep: 0 };
    for (let seed = 0; seed < 200; seed++) {
      const depth = 1 + (seed % 40);
      const yaml = nestedYaml(openRandom(seed), depth);
      if (yaml.length > yamlLimits.bytes) continue;
      const isShallow = depth <= yamlLimits.depth;
      read[isShallow ? "shallow" : "deep"]++;

      const rule = depthRuleOf(yaml);

      assert.equal(rule, isShallow ? undefined : "frontmatter_too_deep", `${depth} levels: ${yaml}`);
    }
    assert.ok(read.shallow > 100 && read.deep > 20, JSON.stringify(read));
  });

  it("is rejected if it nests by brackets, dashes, question marks, colons or indentation", () => {
    const stairs = Array.from({ length: 100 }, (_, level) => `${" ".repeat(level)}a:`).join("\n");
    for (const yaml of ["[".repeat(1500), "{a: ".repeat(1500), "- ".repeat(1500), "? ".repeat(1500), stairs])
      assert.equal(depthRuleOf(`${yaml}\n`), "frontmatter_too_deep", yaml.slice(0, 10));
  });
});

describe("parsers in a child process", () => {
  it(`survive ${inputs} generated hostile inputs each, none of which takes long`, async () => {
    const child = spawn(
      process.execPath,
      [...programArgs("test/parsers/parser-child.ts"), "0", String(inputs)],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
    const [output, progress] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.equal(await ended, 0, progress.slice(-2000));

    const report = JSON.parse(output) as ParserReport;

    assert.equal(report.inputs, inputs);
    assert.deepEqual(report.problems.slice(0, 5), []);
    for (const [name, ms] of Object.entries(report.slowest)) assert.ok(ms < 4000, `${name} took ${ms} ms`);
  });
});
