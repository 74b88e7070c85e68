/** Installs one server: asks for its values, writes the entries, and reports them to the service. */
import type { Context } from "../context.ts";
import { reportingMachine } from "../install/report.ts";
import type { Session } from "../state/session.ts";
import { changeConfig } from "../state/state.ts";
import { type EntryRequest, type InstalledEntries, installEntries } from "./entries/install.ts";
import { centralId } from "./records.ts";
import { reportEntries } from "./report.ts";
import { doubledWarnings, valueWarnings } from "./warnings.ts";

export async function installServer(
  context: Context,
  session: Session,
  request: EntryRequest,
): Promise<{ entries: InstalledEntries; warnings: string[] }> {
  const { head, values } = request;
  const { machine, entries, twice } = await changeConfig(context, async (state) => {
    const id = reportingMachine(state.config, session.client);
    const done = await installEntries(context, state, request);
    const doubled = doubledWarnings(state.config.profiles[request.profile], head, done.installed);
    return { machine: id, entries: done, twice: doubled };
  });
  const reported = entries.installed.map(({ platform, scope }) => ({
    server: head,
    platform,
    scope,
    revision: request.revision,
  }));
  if (head.publicId !== centralId) await reportEntries(session.client, machine, reported);
  return { entries, warnings: [...twice, ...(await valueWarnings(values, entries.installed))] };
}
