/**
 * Tells the service what is installed where, so that an organization sees which of its members have which version.
 * Whatever becomes of a report, the command prints and answers the same, and waits no longer than `budgetMs` for it.
 */
import type { InstallScope, Target } from "../../contract/vocabulary.ts";
import type { Client } from "../api/client.ts";
import type { Context } from "../context.ts";
import { type Config, machineIdOf } from "../state/config.ts";
import { openSession } from "../state/session.ts";

/** All reports of a command together. */
const budgetMs = 2000;
const atOnce = 8;

export interface ReportedPlace {
  publicId: string;
  platform: Target;
  scope: InstallScope;
  /** The version that is there now; absent where the skill is there no more. */
  version?: number;
}

/** The name of this machine for a signed-in person's reports, or undefined where nothing is to be reported. */
export function reportingMachine(config: Config, client: Client | undefined): string | undefined {
  // What an organization's own token installs is nobody's.
  return client?.options.token?.startsWith("lsk_") === true ? machineIdOf(config) : undefined;
}

/** For commands that need no service: the one that the person is signed in to, if any, without a word about it. */
export async function findReportingClient(context: Context): Promise<Client | undefined> {
  try {
    const output = { ...context.output, warn() {} };
    return (await openSession({ ...context, output })).client;
  } catch {
    return undefined;
  }
}

/** Never throws. A place that several projects share is reported once. */
export async function reportInstalls(
  client: Client | undefined,
  machine: string | undefined,
  places: readonly ReportedPlace[],
): Promise<void> {
  if (client === undefined || machine === undefined) return;
  const deadline = performance.now() + budgetMs;
  const keyOf = ({ publicId, platform, scope }: ReportedPlace) => `${publicId} ${platform} ${scope}`;
  const rest = [...new Map(places.map((place) => [keyOf(place), place])).values()];
  const lane = async () => {
    for (let place = rest.shift(); place !== undefined; place = rest.shift()) {
      const left = deadline - performance.now();
      if (left <= 0) return;
      const { publicId, ...installed } = place;
      await client.reportInstall(publicId, { machine, ...installed }, left).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, rest.length) }, lane));
}
