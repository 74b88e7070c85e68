/**
 * The scanner: processor time for a text skill and for a large text, also in proportion to a plain pass over the text
 * (lower case, lines, a digest), and how it judges the labelled corpus.
 *
 * `npm run bench -- scan [--turns=60] [--textBytes=1000000]`
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { scanSkill } from "../contract/scan/scan.ts";
import { inflate, readCorpus } from "../test/scan/corpus.ts";
import { root } from "../test/support/root.ts";
import { median, reportRows, row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";

const { turns, textBytes } = readOptions("scan", {});
/** Targets, on an otherwise idle machine. */
const maxTextSkillMs = 20;
const maxLargeTextMs = 150;
/** A quarter above what it was when measured first. */
const maxRatio = 50;

/** Milliseconds of processor time; the median of the turns, after one for the compiler. */
function processorMs(work: () => unknown): number {
  const times: number[] = [];
  for (let turn = -1; turn < turns; turn++) {
    const from = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(from);
    if (turn >= 0) times.push((user + system) / 1000);
  }
  return median(times);
}

const documents = join(root, "docs/reference");
const text = readdirSync(documents)
  .map((name) => readFileSync(join(documents, name), "utf8"))
  .join("\n");
const large = Buffer.from(text.repeat(Math.ceil(textBytes / text.length))).subarray(0, textBytes);
const skill = readFileSync(join(root, "samples/code-review.md"));

const scan = (path: string, data: Buffer) => () => scanSkill([{ path, data }], { inflate });
const plainPass = () => {
  const decoded = large.toString("utf8");
  createHash("sha256").update(large).digest("hex");
  return decoded.toLowerCase().split("\n").length;
};

const textSkillMs = processorMs(scan("SKILL.md", skill));
const largeMs = processorMs(scan("SKILL.md", large));
const programMs = processorMs(scan("run.sh", large));
const plainMs = processorMs(plainPass);

const corpus = readCorpus().map(({ label, files }) => ({ label, ...scanSkill(files, { inflate }) }));
const malicious = corpus.filter(({ label }) => label === "malicious");
const harmless = corpus.filter(({ label }) => label === "harmless" || label === "note");
const share = (list: readonly { verdict: string }[], verdict: string) =>
  (list.filter((one) => one.verdict === verdict).length / list.length) * 100;

reportRows([
  row("CPU of a scan of a text skill", textSkillMs, "ms", { most: maxTextSkillMs }, `${skill.length} bytes`),
  row("CPU of a scan of a large text", largeMs, "ms", { most: maxLargeTextMs }, `${textBytes} bytes`),
  row("CPU of a scan of it as a program", programMs, "ms", { most: maxLargeTextMs }),
  row("scan of a large text / a plain pass", largeMs / plainMs, "x", { most: maxRatio }),
  row(
    "malicious skills found malicious",
    share(malicious, "malicious"),
    "%",
    { least: 95 },
    `of ${malicious.length}`,
  ),
  row(
    "harmless skills found suspicious",
    share(harmless, "suspicious"),
    "%",
    { most: 2 },
    `of ${harmless.length}`,
  ),
  row("harmless skills found malicious", share(harmless, "malicious"), "%", { most: 0 }),
]);
