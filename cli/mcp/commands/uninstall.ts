/** `svc mcp uninstall`, loaded when it runs. */
import type { CommandResult } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { findReportingClient, reportingMachine } from "../../install/report.ts";
import { type Profile, profileOf } from "../../state/config.ts";
import { profileName } from "../../state/profiles.ts";
import { readConfig } from "../../state/read-config.ts";
import { changeConfig } from "../../state/state.ts";
import { askFromList, requireInteraction } from "../../terminal/prompts.ts";
import { type RemovedEntries, removeAllEntries } from "../entries/remove.ts";
import { findInstalledServers } from "../find-installed.ts";
import { centralId, installedServers, presentMcpRecord } from "../records.ts";
import { reportEntries } from "../report.ts";

export async function runUninstall(
  context: Context,
  args: { ref: string | undefined },
): Promise<CommandResult> {
  const config = await readConfig(context);
  const name = profileName(config, context.profileFlag, context.env);
  const ref = args.ref ?? (await chooseServer(context, config.profiles[name]));
  findInstalledServers(config.profiles[name], ref);

  const client = await findReportingClient(context);
  const done = await changeConfig(context, async (state) => {
    const profile = profileOf(state.config, name);
    const entries = await removeAllEntries(state, profile, findInstalledServers(profile, ref));
    const machine = state.config.machineId && reportingMachine(state.config, client);
    return { entries, machine };
  });
  await reportEntries(client, done.machine, done.entries.gone);
  return present(context, ref, done.entries);
}

async function chooseServer(context: Context, profile: Profile | undefined): Promise<string> {
  requireInteraction(context, "<ref>", "Say what to uninstall: svc mcp uninstall <ref>.");
  const servers = installedServers(profile);
  if (servers.length === 0)
    throw new CliError("E_NOT_FOUND", "No MCP server is installed.", { kind: "mcpServer" });
  const refs = servers.map((one) =>
    one.publicId === centralId ? centralId : `${one.tenantSlug}/${one.slug}`,
  );
  return askFromList(
    "Uninstall which MCP server?",
    [...new Set(refs)].map((ref) => ({ value: ref, label: ref })),
  );
}

function present(
  { output }: Context,
  ref: string,
  { removed, failed, warnings }: RemovedEntries,
): CommandResult {
  const { paint } = output;
  return {
    data: { removed: removed.map(presentMcpRecord), warnings: [...failed, ...warnings] },
    text: [
      failed.length > 0 ? `${ref} is not removed everywhere` : `Uninstalled ${paint("bold", ref)}`,
      ...removed.map(({ platform, path }) => `  ${paint("green", platform)}  ${path}`),
      ...failed.map((reason) => `  ${paint("red", "failed")}  ${reason}`),
      ...warnings.map((warning) => `  ${paint("yellow", "warning")}  ${warning}`),
    ].join("\n"),
    partial: failed.length > 0,
  };
}
