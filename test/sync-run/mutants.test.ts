/**
 * Breaks each rule of the sync in a copy of the source, and requires that the generated scenarios detect it, or the
 * tests that are named for it: `npm run test:mutants`. `SVC_SYNC_MUTANTS` is a part of the names of those to try, or
 * `all`; without it, the test only checks that the rules exist. A scenario that detects a mutant must pass with the
 * original source.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { root } from "../support/root.ts";
import { type FunctionChange, type Mutant, mutants } from "../support/sync/mutants.ts";

const asked = process.env["SVC_SYNC_MUTANTS"];
const tried = mutants.filter(({ name }) => asked !== undefined && (asked === "all" || name.includes(asked)));
/** Scenarios until a mutant counts as missed, and rounds of each. */
const scenarios = 12;
const rounds = 10;
const firstSeed = 1;
const runTimeoutMs = 200_000;

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-mutants-"));

after(() => rmSync(folder, { recursive: true, force: true }));

/** The source with one rule broken, ready to run. */
function sourceWith(mutant: Mutant | undefined): string {
  const copy = mkdtempSync(path.join(folder, "source-"));
  for (const name of [
    "contract",
    "engines",
    "repos",
    "src",
    "storage",
    "workers",
    "package.json",
    "tsconfig.json",
  ])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  for (const name of ["mirror", "support", "sync-content", "sync-run"])
    cpSync(path.join(root, "test", name), path.join(copy, "test", name), { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  if (mutant) for (const [file, text] of filesOf(mutant)) writeFileSync(path.join(copy, file), text);
  return copy;
}

/** A source file after the change: the function stays under another name, which the replacement gets. */
function changed(text: string, { file, symbol, replacement }: FunctionChange): string {
  const declaration = new RegExp(`^(export )?((?:async )?function )${symbol}\\b`, "gm");
  const found = [...text.matchAll(declaration)];
  assert.equal(found.length, 1, `${file} does not have one function ${symbol}`);
  const exported = found[0]![1] ?? "";
  const original = `${symbol}Original`;
  return `${text.replace(declaration, `$2${original}`)}
${exported}function ${symbol}(...args) {
  return (${replacement})(${original}, ...args);
}
`;
}

/** The changed files of a mutant. */
function filesOf({ changes }: Mutant): Map<string, string> {
  const files = new Map<string, string>();
  for (const change of changes) {
    const text = files.get(change.file) ?? readFileSync(path.join(root, change.file), "utf8");
    files.set(change.file, changed(text, change));
  }
  return files;
}

interface Outcome {
  isNoticed: boolean;
  /** The output of the scenario. */
  words: string;
}

/** Runs a test file on a copy of the source. */
async function runIn(
  source: string,
  file: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; words: string }> {
  const { url } = await testDatabase();
  const child = spawn(process.execPath, ["--import", "tsx", file], {
    cwd: source,
    // The built program of job processes would have the original rule.
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      SVC_LONG: undefined,
      SVC_TEST_JOB_PROGRAM: undefined,
      SVC_TEST_MONGODB_URL: url,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: runTimeoutMs,
    killSignal: "SIGKILL",
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, words: Buffer.concat(chunks).toString() };
}

async function playIn(source: string, seed: number): Promise<Outcome> {
  const { code, words } = await runIn(source, "test/sync-run/scenarios.test.ts", {
    SVC_SYNC_SEED: String(seed),
    SVC_RUNS: "1",
    SVC_SYNC_ROUNDS: String(rounds),
  });
  const failure = /seed \d+, [^,]+, round \d+ [^\n]*/.exec(words)?.[0];
  assert.ok(
    code === 0 || failure !== undefined,
    `the scenario ended otherwise (${code}):\n${words.slice(-4000)}`,
  );
  return { isNoticed: failure !== undefined, words: failure ?? "" };
}

describe("a broken rule of the sync", () => {
  for (const mutant of mutants) it(`can be created: ${mutant.name}`, () => void filesOf(mutant));

  for (const mutant of tried)
    it(`is detected: ${mutant.name}`, { timeout: 1_800_000 }, async (test) => {
      const source = sourceWith(mutant);
      if (mutant.shownBy !== undefined) {
        const { code, words } = await runIn(source, mutant.shownBy);
        const failed = /^ *not ok \d+ - (.*)$/m.exec(words)?.[1];
        assert.ok(code === 1 && failed !== undefined, `it ended with ${code}:\n${words.slice(-4000)}`);
        test.diagnostic(failed);
        return;
      }
      for (let seed = firstSeed; seed < firstSeed + scenarios; seed++) {
        const { isNoticed, words } = await playIn(source, seed);
        if (!isNoticed) continue;
        assert.deepEqual(await playIn(sourceWith(undefined), seed), { isNoticed: false, words: "" });
        test.diagnostic(words.slice(0, 300));
        return;
      }
      assert.fail(`not detected in ${scenarios * rounds} rounds`);
    });
});
