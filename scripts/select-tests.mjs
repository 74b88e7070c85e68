// Which test files a run is about. The tree is one level deep: test/<area>/<subject>.test.ts.
import fs from "node:fs";
import path from "node:path";
import { affectedTests, changedFiles } from "./changed-tests.mjs";
import { root } from "./sources.mjs";

const SUFFIX = ".test.ts";

const isMatch = (filter, file) => file.startsWith(`${filter}/`) || file === `${filter}${SUFFIX}`;

/**
 * Paths relative to the checkout; ends the process with the names there are where a filter matches nothing.
 *
 * @param {string[]} args filters, and `--changed`
 */
export function selectTests(args) {
  const filters = args
    .filter((arg) => arg !== "--changed")
    .map((arg) => (arg.startsWith("test/") && arg.endsWith(SUFFIX) ? arg.slice(5, -SUFFIX.length) : arg));
  const tests = path.join(root, "test");
  const all = fs
    .readdirSync(tests, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((area) => fs.readdirSync(path.join(tests, area.name)).map((file) => `${area.name}/${file}`))
    .filter((file) => file.endsWith(SUFFIX))
    .sort();
  const unmatched = filters.find((filter) => !all.some((file) => isMatch(filter, file)));
  if (unmatched !== undefined || all.length === 0) {
    const areas = [...new Set(all.map((file) => path.dirname(file)))];
    console.error(`No tests for "${unmatched ?? ""}". Areas: ${areas.join(", ") || "none"}.`);
    process.exit(1);
  }
  const chosen = filters.length === 0 ? all : all.filter((file) => filters.some((f) => isMatch(f, file)));
  const paths = chosen.map((file) => `test/${file}`);
  return args.includes("--changed") ? affectedTests(paths, changedFiles()) : paths;
}
