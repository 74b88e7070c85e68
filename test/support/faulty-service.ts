/** The built service behind a gateway that fails on demand, and the built `svc` in homes of its own in front of it. */
import assert from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CliCode } from "../../contract/errors.ts";
import { type Cli, type CliFailure, openCli } from "./cli.ts";
import { sharedEngines } from "./engine.ts";
import { type Gateway, openGateway } from "./gateway.ts";
import { type Account, newAccount, newOrganization } from "./http-client.ts";
import { type Server, assertNothingRuns, removeFolder, startServer, temporaryFolder } from "./server.ts";

export interface FaultyService {
  server: Server;
  gateway: Gateway;
  /** The owner of the organization `acme`, which has the text `review` and the package `kit`. */
  ada: Account;
  /** The working folder of commands, with `review.md` and `kit/`. */
  work: string;
  /** A home behind the gateway, which works again; signed in as `ada` by default. */
  open: (env?: Record<string, string>) => { home: string; cli: Cli };
  close: () => Promise<void>;
}

export async function openFaultyService(): Promise<FaultyService> {
  reached.clear();
  const dataDir = temporaryFolder("troubled");
  const work = realpathSync(temporaryFolder("work"));
  const homes: string[] = [];
  const server = await startServer({ dataDir, env: await sharedEngines() });
  const gateway = await openGateway(() => server.url);
  const ada = await newAccount(server.url, "ada", server.setupLink);
  await newOrganization(server.url, ada, "acme");

  const open: FaultyService["open"] = (env = { SVC_TOKEN: ada.token }) => {
    const home = realpathSync(temporaryFolder("failing"));
    homes.push(home);
    gateway.fault = () => false;
    gateway.seen.length = 0;
    const cli = openCli({ home, apiUrl: () => gateway.url, cwd: work, isRepeatedInside: true });
    const withEnv: Cli = {
      ...cli,
      run: (args, given) => cli.run(args, { ...given, env: { ...env, ...given?.env } }),
      json: (args, given) => cli.json(args, { ...given, env: { ...env, ...given?.env } }),
      failure: (args, given) => cli.failure(args, { ...given, env: { ...env, ...given?.env } }),
      start: (args, given) => cli.start(args, { ...given, env: { ...env, ...given?.env } }),
    };
    return { home, cli: withEnv };
  };

  writeFileSync(path.join(work, "review.md"), "# Review\n");
  mkdirSync(path.join(work, "kit"));
  writeFileSync(path.join(work, "kit", "SKILL.md"), "---\nname: kit\ndescription: A kit\n---\n\n# Kit\n");
  writeFileSync(path.join(work, "kit", "data.bin"), Buffer.alloc(300_000, 7));
  const { cli } = open();
  await cli.json(["publish", "review.md"]);
  await cli.json(["publish", "kit"]);
  return {
    server,
    gateway,
    ada,
    work,
    open,
    async close() {
      await gateway.close();
      await server.stop();
      await assertNothingRuns(dataDir);
      for (const folder of [dataDir, work, ...homes]) removeFolder(folder);
    },
  };
}

/** Codes that the test file has reached, with their command. */
export const reached = new Map<CliCode, string>();

/** Runs to the expected failure, for programs and for people alike. */
export async function fails(
  svc: Cli,
  args: readonly string[],
  code: CliCode,
  details: Record<string, unknown> = {},
): Promise<CliFailure> {
  // Each code is reached by a process, once.
  const asProcess = !reached.has(code);
  const error = await svc.failure(args, { asProcess });
  assert.equal(error.code, code, JSON.stringify(error));
  for (const [key, value] of Object.entries(details)) assert.deepEqual(error.details?.[key], value, key);
  assert.match(error.message, /^\S.*[.!?]$/s, error.message);
  assert.doesNotMatch(error.message, /\bat \S+:\d+|undefined|\[object/, error.message);
  const shown = await svc.run(args, { asProcess });
  assert.deepEqual([shown.code, shown.stdout], [1, ""], shown.stderr);
  assert.ok(shown.stderr.startsWith("error ") && shown.stderr.endsWith(`  ${code}\n`), shown.stderr);
  reached.set(code, args.join(" "));
  return error;
}

/** A small file system to install a skill to. */
export const install = (ref: string): string[] => ["install", ref, "-t", "claude", "-g"];
