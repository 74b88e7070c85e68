/**
 * Reports installs to the service, so that an organization sees which of its members have which version.
 * A report does not change the output or exit code of the command, which waits for it at most `budgetMs`.
 */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { InstallScope, Target } from "../../contract/vocabulary.ts";
import type { Client } from "../api/client.ts";
import type { Context } from "../context.ts";
import { type Config, machineIdOf } from "../state/config.ts";
import { openSession } from "../state/session.ts";

/** Time limit of all reports of a command. */
const budgetMs = 2000;
const atOnce = 8;

export interface ReportedLocation {
  publicId: string;
  platform: Target;
  scope: InstallScope;
  /** The installed version; absent after an uninstall. */
  version?: number;
  /** The pin of the install. */
  range?: string;
}

/** The machine's id for reports of a logged-in user, or undefined if nothing is reported. */
export function reportingMachine(config: Config, client: Client | undefined): string | undefined {
  // Installs with an organization's token belong to no member.
  return client?.options.token?.startsWith("lsk_") === true ? machineIdOf(config) : undefined;
}

/** For commands that need no service: the client of the user's login, or undefined. Reports no errors. */
export async function findReportingClient(context: Context): Promise<Client | undefined> {
  try {
    const output = { ...context.output, warn() {} };
    return (await openSession({ ...context, output })).client;
  } catch {
    return undefined;
  }
}

/** Never throws. A location that several projects share is reported once. */
export async function reportInstalls(
  client: Client | undefined,
  machine: string | undefined,
  locations: readonly ReportedLocation[],
): Promise<void> {
  if (client === undefined || machine === undefined) return;
  const deadline = performance.now() + budgetMs;
  const keyOf = ({ publicId, platform, scope }: ReportedLocation) => `${publicId} ${platform} ${scope}`;
  const unique = [...new Map(locations.map((location) => [keyOf(location), location])).values()];
  await mapLimit(unique, atOnce, async ({ publicId, ...installed }) => {
    const left = deadline - performance.now();
    if (left > 0)
      await client.reportInstall(publicId, { machine, ...installed }, left).catch(() => undefined);
  });
}
