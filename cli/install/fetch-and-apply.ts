import type { Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { recordInstall } from "../project/record.ts";
import type { Session } from "../state/session.ts";
import { changeConfig, withTemporaryFolder } from "../state/state.ts";
import type { Applied } from "./announce.ts";
import { applyVersion, reportedLocations } from "./apply.ts";
import { type FetchedVersion, fetchVersion } from "./fetch.ts";
import type { WantedInstall } from "./plan/placement.ts";
import type { AcceptedVersion } from "./publisher.ts";
import { reportInstalls, reportingMachine } from "./report.ts";

interface InstallRequest {
  range: string;
  force: boolean;
  projectDir: string | undefined;
  /** The folder whose svc.json and svc.lock record the install. */
  recordedIn: string | undefined;
  shared: boolean | undefined;
  targets: readonly Target[];
  also: readonly string[];
  dryRun: boolean;
}

/** Downloads, installs, records in the project's files, and reports to the service. */
export async function fetchAndApply(
  context: Context,
  session: Session,
  resolved: AcceptedVersion,
  wanted: readonly WantedInstall[],
  { range, force, projectDir, recordedIn, shared, targets, also, dryRun }: InstallRequest,
): Promise<{ fetched: FetchedVersion; applied: Applied }> {
  let machine: string | undefined;
  const done = await withTemporaryFolder(context, async (folder) => {
    const fetched = await fetchVersion(session.client, context, resolved, folder);
    const applied = await changeConfig(context, async (state) => {
      machine = reportingMachine(state.config, session.client);
      const made = await applyVersion(context, state, fetched, wanted, {
        profile: session.profile,
        projectDir,
        isRecorded: recordedIn !== undefined,
        shared,
        range,
        force,
        dryRun,
      });
      if (recordedIn !== undefined && !dryRun)
        await recordInstall(recordedIn, fetched, made, { range, targets, also });
      return made;
    });
    return { fetched, applied };
  });
  if (!dryRun) await reportInstalls(session.client, machine, reportedLocations(done.applied, done.fetched));
  return done;
}
