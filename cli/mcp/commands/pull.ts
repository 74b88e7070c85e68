/** `svc mcp pull`, loaded when it runs. */
import { type ListedServer, openMcpCalls } from "../../api/calls/mcp.ts";
import type { CommandResult } from "../../command.ts";
import type { Context } from "../../context.ts";
import { reportingMachine } from "../../install/report.ts";
import { profileOf } from "../../state/config.ts";
import type { InstalledMcpServer } from "../../state/mcp-servers.ts";
import { openSession } from "../../state/session.ts";
import { changeConfig, checkWritableState } from "../../state/state.ts";
import { type UpdatedServer, updateEntries } from "../entries/update.ts";
import { findInstalledServers } from "../find-installed.ts";
import { installedServers, presentMcpRecord } from "../records.ts";
import { type ReportedEntry, reportEntries } from "../report.ts";

export async function runPull(
  context: Context,
  { ref }: { ref: string | undefined },
): Promise<CommandResult> {
  await checkWritableState(context);
  const session = await openSession(context);
  const before = session.config.profiles[session.profile];
  if (ref !== undefined) findInstalledServers(before, ref);
  // The entry of the endpoint is the same in every revision.
  const isLocal = ({ via }: InstalledMcpServer) => via === "local";
  const hasLocal = (ref === undefined ? installedServers(before) : findInstalledServers(before, ref)).some(
    isLocal,
  );
  const listed = hasLocal ? await openMcpCalls(session.client.options).list() : [];

  const pulled: PulledServer[] = [];
  const machine = await changeConfig(context, async (state) => {
    const profile = profileOf(state.config, session.profile);
    const chosen = ref === undefined ? installedServers(profile) : findInstalledServers(profile, ref);
    for (const installed of chosen.filter(isLocal)) {
      const server = listed.find(({ publicId }) => publicId === installed.publicId);
      const result = server && (await updateEntries(context, state, session.profile, installed, server));
      pulled.push({ server: server ?? installed, result: result ?? gone(installed) });
    }
    return reportingMachine(state.config, session.client);
  });
  await reportEntries(session.client, machine, pulled.flatMap(reportsOf));
  return present(context, pulled);
}

interface PulledServer {
  server: ListedServer | InstalledMcpServer;
  result: UpdatedServer;
}

function gone({ tenantSlug, slug }: InstalledMcpServer): UpdatedServer {
  const ref = `${tenantSlug}/${slug}`;
  const warning = `${ref} is not in the registry, or you don't have access to it: svc mcp uninstall ${ref} removes it`;
  return { updated: [], upToDate: [], warnings: [warning], isPartial: false };
}

function reportsOf({ server, result }: PulledServer): ReportedEntry[] {
  const { publicId, tenantSlug } = server;
  return [...result.updated, ...result.upToDate].map(({ platform, scope, revision }) => ({
    server: { publicId, tenantSlug, via: "local" },
    platform,
    scope,
    revision,
  }));
}

function present({ output }: Context, pulled: readonly PulledServer[]): CommandResult {
  const listOf = (kind: "updated" | "upToDate") =>
    pulled
      .filter(({ result }) => result[kind].length > 0)
      .map(({ server: { publicId, slug, tenantSlug }, result }) => ({
        publicId,
        slug,
        tenantSlug,
        revision: result[kind][0]!.revision,
        installed: result[kind].map(presentMcpRecord),
      }));
  const [updated, upToDate] = [listOf("updated"), listOf("upToDate")];
  const warnings = pulled.flatMap(({ result }) => result.warnings);
  for (const warning of warnings) output.warn(warning);
  const named = (title: string, servers: typeof updated) =>
    servers.map(({ tenantSlug, slug, revision }) => `${title} ${tenantSlug}/${slug} (revision ${revision})`);
  return {
    data: { updated, upToDate, warnings },
    text:
      pulled.length === 0
        ? "There is nothing to update: no MCP server is installed with --via local."
        : [...named("Updated", updated), ...named("Up to date:", upToDate)].join("\n"),
    partial: pulled.some(({ result }) => result.isPartial),
  };
}
