/**
 * Once a day, while a person's command runs: does the service go with a newer client? The question is asked beside the
 * command, is remembered before it is asked, and is dropped where it would keep anybody waiting.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { exchange } from "./api/transport.ts";
import type { Context } from "./context.ts";
import { writeAtomic } from "./state/atomic.ts";
import { ensureRoot, profileName, readConfigFile } from "./state/config.ts";
import { statePaths } from "./state/paths.ts";
import { serviceAddress } from "./state/session.ts";
import { version } from "./version.ts";

const everyMs = 24 * 60 * 60_000;
/** Until the answer must be there, counted from the start of the command. */
const answerMs = 1500;
/** What a command that is done waits for it at most. */
const patienceMs = 250;
const versionShape = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

export interface UpdateCheck {
  /** After the result: one line on stderr where there is something to tell. */
  tell: () => Promise<void>;
  /** Ends it, so that the process can end. */
  cancel: () => void;
}

/** Never throws: whatever goes wrong, there is nothing to tell. */
export function startUpdateCheck(context: Context): UpdateCheck {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), answerMs);
  const found = check(context, abort.signal)
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
  return {
    cancel: () => abort.abort(),
    async tell() {
      const newer = await Promise.race([found, sleep(patienceMs, undefined, { ref: false })]);
      abort.abort();
      if (newer === undefined) return;
      const { paint } = context.output;
      context.output.note(
        `${paint("cyan", "update", "stderr")} Your service goes with svc ${newer}; this is ${version}. (SVC_NO_UPDATE_CHECK=1 ends these remarks.)`,
      );
    },
  };
}

async function check(context: Context, signal: AbortSignal): Promise<string | undefined> {
  const paths = statePaths(context.home);
  const file = join(paths.root, "update-check.json");
  const now = context.now().getTime();
  if (!(await isDue(file, now))) return undefined;
  // First: what fails, hangs or is stopped was asked too. And a home that cannot be written is not asked at every command.
  await ensureRoot(paths);
  await writeAtomic(file, `${JSON.stringify({ checkedAt: new Date(now).toISOString() })}\n`, 0o600);

  // A damaged one is the command's to tell and to keep aside.
  const reading = await readConfigFile(paths);
  if (!("config" in reading)) return undefined;
  const profile = reading.config.profiles[profileName(reading.config, context.profileFlag, context.env)];
  const answer = await exchange(new URL(`${serviceAddress(context, profile)}/api/client`), {
    method: "GET",
    headers: {
      accept: "application/json",
      "user-agent": `svc/${version} (${context.platform})`,
      "x-svc-client": "cli",
    },
    timeoutMs: answerMs,
    env: context.env,
    signal,
  });
  if (!answer.ok) {
    answer.discard();
    return undefined;
  }
  const body = JSON.parse(await answer.text()) as { data?: { version?: unknown } } | null;
  const offered = body?.data?.version;
  return typeof offered === "string" && isNewer(offered, version) ? offered : undefined;
}

async function isDue(file: string, now: number): Promise<boolean> {
  try {
    const { checkedAt } = JSON.parse(await readFile(file, "utf8")) as { checkedAt: string };
    const age = now - Date.parse(checkedAt);
    // One from the future is a clock that was put right since.
    return !(age >= 0 && age < everyMs);
  } catch {
    return true;
  }
}

/** Only whole releases: nobody is told of a prerelease. */
function isNewer(offered: string, own: string): boolean {
  const [theirs, ours] = [versionShape.exec(offered), /^(\d+)\.(\d+)\.(\d+)/.exec(own)];
  if (theirs === null || ours === null) return false;
  for (const at of [1, 2, 3]) {
    const difference = Number(theirs[at]) - Number(ours[at]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
