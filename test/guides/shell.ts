/** A person with a new home folder who pastes the commands of the documents, and reads what they print. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainEnv } from "../support/server.ts";
import { openTerminal } from "../support/terminal.ts";
import { commandBlocks, type Block } from "./markdown.ts";

export interface Execution {
  /** Examples in the text, and what stands for them here. */
  values?: Record<string, string>;
  env?: Record<string, string>;
  cwd?: string;
  /** Questions at a terminal, each with the keys that are typed. */
  answers?: [RegExp, string][];
  /** Called with everything that was printed until then. */
  onOutput?: (output: string) => void;
  /** Called after each command of the block. */
  afterEach?: () => Promise<void>;
  /** Whether the output is not the one of the document, because the reader's records differ from its example. */
  isOtherOutput?: boolean;
}

const blocks = commandBlocks();
const executed = new Set<Block>();

/** Blocks that no one has executed, as `file: first line`. */
export const blocksLeft = () =>
  blocks.filter((block) => !executed.has(block)).map(({ file, text }) => `${file}: ${text.split("\n")[0]!}`);

/** A person's shell: its home folder, and the variables that earlier commands have set. */
export function openShell(folder: string, url: () => string) {
  const home = path.join(folder, "home");
  const project = path.join(folder, "project");
  mkdirSync(home, { recursive: true });
  mkdirSync(project, { recursive: true });
  const prefix = path.join(home, ".npm-global");
  /** Variables that earlier commands have set. */
  const variables = path.join(home, ".variables");
  writeFileSync(variables, "");

  async function run(command: string, { env = {}, cwd = project, answers, onOutput }: Execution) {
    const names = Array.from(command.matchAll(/^(?:export )?(\w+)=/gm), ([, name]) => name!);
    const script = [
      `. ${variables}`,
      // As at a terminal, except for curl, which reports its progress where the output is not one.
      command.startsWith("curl ") ? "" : "exec 2>&1",
      command,
      ...names.map((name) => `declare -p ${name} >> ${variables}`),
    ].join("\n");
    const all = {
      HOME: home,
      PATH: `${prefix}/bin:${process.env["PATH"]}`,
      npm_config_prefix: prefix,
      npm_config_registry: "http://127.0.0.1:9/",
      GIT_TERMINAL_PROMPT: "0",
      GIT_CONFIG_GLOBAL: path.join(home, ".gitconfig"),
      SVC_NO_UPDATE_CHECK: "1",
      // The port of the guides is the default of the client.
      SVC_API_URL: url(),
      ...env,
    };
    if (answers !== undefined) {
      const terminal = openTerminal(["bash", "-euc", script], { cwd, env: all });
      for (const [question, keys] of answers) {
        await terminal.until(question);
        terminal.type(keys);
      }
      return { code: await terminal.ended, stdout: terminal.text(), stderr: "" };
    }
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd,
      env: plainEnv(all),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      onOutput?.(stdout);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, stdout, stderr };
  }

  /** Text whose ids, times, addresses and paths are the same for every reader. */
  const general = (text: string) =>
    text
      .replaceAll(/https:\/\/skills\.example\.com|http:\/\/127\.0\.0\.1:3000/g, url())
      .replaceAll(home, "/home/ada")
      .replaceAll(project, "/home/ada/project")
      .replaceAll(/\/home\/bo\b/g, "/home/ada")
      .replaceAll(/\d{4}-\d\d-\d\d/g, "DATE")
      .replaceAll(/\b[0-9a-f]{24}\b/g, "ID")
      .replaceAll(/\b[0-9a-f]{7}\b/g, "COMMIT")
      .replaceAll(/\/s\/\w{10}/g, "/s/SKILL")
      .replaceAll(/\b[A-Z]{4}-[A-Z]{4}\b/g, "CODE")
      .replaceAll(/svc \d+\.\d+\.\d+/g, "svc VERSION")
      .replaceAll(/ {2,}/g, "  ")
      .replaceAll(/\n+/g, "\n")
      .trim();

  /**
   * Executes a block as it is written, except for the address of the service and the values that the text calls
   * examples, and compares the output with the one that the document shows.
   *
   * @param start how the block begins
   */
  async function execute(file: string, start: string, execution: Execution = {}): Promise<string[]> {
    const block = blocks.find(
      (one) => one.file === file && one.commands[0]!.line.startsWith(start) && !executed.has(one),
    );
    assert.ok(block, `${file} has no block that starts with: ${start}`);
    executed.add(block);
    const own = (text: string) => {
      let changed = text.replaceAll(/https:\/\/skills\.example\.com|http:\/\/127\.0\.0\.1:3000/g, url());
      changed = changed.replaceAll("127.0.0.1:3000", new URL(url()).host);
      for (const [example, value] of Object.entries(execution.values ?? {}))
        changed = changed.replaceAll(example, value);
      return changed;
    };
    for (const example of Object.keys(execution.values ?? {}))
      assert.ok(block.text.includes(example), `${file} no longer has ${example}`);
    const outputs: string[] = [];
    for (const { line, output } of block.commands) {
      const command = own(line);
      const { code, stdout, stderr } = await run(command, execution);
      assert.equal(code, 0, `${file}: ${command}\n${stdout}${stderr}`);
      assert.doesNotMatch(stdout, /^\{"success":false/, command);
      outputs.push(stdout);
      await execution.afterEach?.();
      if (output === "" || execution.isOtherOutput) continue;
      if (stdout.startsWith("{")) compareJson(output, stdout, command);
      else if (execution.answers === undefined) assert.equal(general(stdout), general(own(output)), command);
    }
    return outputs;
  }
  return { home, project, execute, run };
}

/** Compares the fields of two documents, of which the first one is wrapped, and may leave fields out by "…". */
function compareJson(shown: string, actual: string, command: string): void {
  const text = shown.replaceAll(/\n/g, "");
  const isShort = text.includes(",…}");
  const expected = JSON.parse(text.replaceAll(",…}", "}")) as unknown;
  const fields = (value: unknown, at = ""): string[] => {
    if (Array.isArray(value)) return value.length === 0 ? [] : fields(value[0], `${at}[]`);
    if (value === null || typeof value !== "object") return [at];
    return Object.entries(value).flatMap(([name, inner]) => [
      `${at}.${name}`,
      ...fields(inner, `${at}.${name}`),
    ]);
  };
  const [wanted, got] = [new Set(fields(expected)), new Set(fields(JSON.parse(actual)))];
  if (isShort) for (const name of got) if (!wanted.has(name)) got.delete(name);
  assert.deepEqual([...got].toSorted(), [...wanted].toSorted(), command);
}
