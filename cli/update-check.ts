/**
 * The daily update check: asks the service for the matching version of the client. The request runs concurrently with
 * the command, is recorded before it is sent, and is abandoned if the command would have to wait.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withinTime } from "../contract/concurrency/within-time.ts";
import { exchange } from "./api/transport.ts";
import type { Context } from "./context.ts";
import { writeAtomic } from "./state/atomic.ts";
import { ensureRoot, readConfigFile } from "./state/config.ts";
import { statePaths } from "./state/paths.ts";
import { serviceAddress } from "./state/session.ts";
import { version } from "./version.ts";

const everyMs = 24 * 60 * 60_000;
/** Time limit of the response. */
const answerMs = 1500;
/** Maximum time that a finished command waits for it. */
const patienceMs = 250;
const versionShape = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

export interface UpdateCheck {
  /** Prints a newer version after the result, as one line on stderr. */
  tell: () => Promise<void>;
  /** Aborts the check, so that the process can end. */
  cancel: () => void;
}

/** Never throws: errors are ignored. */
export function startUpdateCheck(context: Context): UpdateCheck {
  const abort = new AbortController();
  const found = check(context, abort.signal).catch(() => undefined);
  return {
    cancel: () => abort.abort(),
    async tell() {
      const newer = await withinTime(found, patienceMs, () => undefined, { ref: false });
      abort.abort();
      if (newer === undefined) return;
      const { paint } = context.output;
      context.output.note(
        `${paint("cyan", "update", "stderr")} svc ${newer} is available from your service; this is ${version}. ` +
          "Install it with svc upgrade. (SVC_NO_UPDATE_CHECK=1 disables this check.)",
      );
    },
  };
}

async function check(context: Context, signal: AbortSignal): Promise<string | undefined> {
  const paths = statePaths(context.home);
  const file = join(paths.root, "update-check.json");
  const now = context.now().getTime();
  if (!(await isDue(file, now))) return undefined;
  // Recorded first, so that a failed or interrupted check, or a read-only home, does not repeat it with every command.
  await ensureRoot(paths);
  await writeAtomic(file, `${JSON.stringify({ checkedAt: new Date(now).toISOString() })}\n`, 0o600);

  // The command itself reports and moves a damaged file.
  const reading = await readConfigFile(paths);
  if (!("config" in reading)) return undefined;
  const answer = await exchange(new URL(`${serviceAddress(context, reading.config)}/api/client`), {
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
    // A time in the future is from a clock that has been corrected since.
    return !(age >= 0 && age < everyMs);
  } catch {
    return true;
  }
}

/** Whether a version is newer; prereleases are ignored. */
function isNewer(offered: string, own: string): boolean {
  const [theirs, ours] = [versionShape.exec(offered), /^(\d+)\.(\d+)\.(\d+)/.exec(own)];
  if (theirs === null || ours === null) return false;
  for (const at of [1, 2, 3]) {
    const difference = Number(theirs[at]) - Number(ours[at]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
