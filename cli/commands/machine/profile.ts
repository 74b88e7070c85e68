import { countText } from "../../../contract/text/count-text.ts";
import type { Client } from "../../api/client.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument } from "../../errors.ts";
import { findReportingClient, reportInstalls, reportingMachine } from "../../install/report.ts";
import type { ReportedEntry } from "../../mcp/report.ts";
import { uninstallProfile } from "../../project/uninstall-profile.ts";
import { type Config, defaultProfile, profileOf } from "../../state/config.ts";
import {
  checkProfileName,
  hasProfile,
  noSuchProfile,
  profileName,
  profileNames,
  profileOverride,
} from "../../state/profiles.ts";
import { readConfig } from "../../state/read-config.ts";
import { changeConfig } from "../../state/state.ts";
import { askYes, requireInteraction } from "../../terminal/prompts.ts";
import { renderTable } from "../../terminal/table.ts";

export const profileList = defineCommand({
  positionals: {},
  flags: {},
  examples: ["svc profile list", "svc profile list -o json"],
  async run(context) {
    const config = await readConfig(context);
    const active = profileName(config, context.profileFlag, context.env);
    const isOverridden = profileOverride(context.profileFlag, context.env) !== undefined;
    const data = profileNames(config).map((name) => {
      const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
      return {
        name,
        active: name === active,
        activeViaOverride: name === active && isOverridden,
        isDefault: name === defaultProfile,
        authenticated: profile?.token !== undefined,
        skillCount: Object.keys(profile?.installed ?? {}).length,
      };
    });
    const { columns, paint } = context.output;
    const text = renderTable(
      ["", "PROFILE", "LOGIN", "SKILLS", "SERVICE"],
      data.map((one) => [
        one.active ? "*" : "",
        one.name,
        one.authenticated ? "yes" : "no",
        String(one.skillCount),
        (Object.hasOwn(config.profiles, one.name) ? config.profiles[one.name]?.apiUrl : undefined) ?? "",
      ]),
      { columns, paintHead: (head) => paint("bold", head), names: [1] },
    );
    return { data, text };
  },
});

export const profileCreate = defineCommand({
  positionals: { name: { required: true, description: "Up to 32 lowercase letters, digits and hyphens" } },
  flags: {},
  examples: ["svc profile create work", "svc login --profile work"],
  async run(context, { name }) {
    checkProfileName(name, "<name>");
    await changeConfig(context, async ({ config, save }) => {
      if (hasProfile(config, name))
        throw new CliError("E_ALREADY_EXISTS", `There is a profile "${name}" already.`, {
          kind: "profile",
          ref: name,
        });
      profileOf(config, name);
      await save();
    });
    return {
      data: { name, created: true },
      text:
        `Created profile ${context.output.paint("bold", name)}. ` +
        `Use it with svc profile switch ${name}, or --profile ${name}.`,
    };
  },
});

export const profileSwitch = defineCommand({
  positionals: { name: { required: true, description: "The profile", completes: "profile" } },
  flags: {},
  examples: ["svc profile switch work", "svc profile switch default"],
  async run(context, { name }) {
    checkProfileName(name, "<name>");
    await changeConfig(context, async ({ config, save }) => {
      if (!hasProfile(config, name)) throw noSuchProfile(config, name);
      config.activeProfile = name;
      await save();
    });
    const override = profileOverride(context.profileFlag, context.env);
    if (override !== undefined && override !== name)
      context.output.warn(`--profile or SVC_PROFILE selects ${override}, which precedes the active profile.`);
    return {
      data: { name, switched: true },
      text: `The active profile is ${context.output.paint("bold", name)}.`,
    };
  },
});

export const profileDelete = defineCommand({
  positionals: { name: { required: true, description: "The profile", completes: "profile" } },
  flags: { force: { value: "none", description: "Do not ask" } },
  examples: ["svc profile delete work", "svc profile delete work --force -o json"],
  async run(context, { name, force }) {
    checkProfileName(name, "<name>");
    if (name === defaultProfile)
      throw invalidArgument(
        "<name>",
        "The default profile cannot be deleted: svc logout and svc uninstall empty it.",
        { kind: "profile", ref: name },
      );
    await confirm(context, await readConfig(context), name, force);
    const client = await findReportingClient({ ...context, profileFlag: name });
    const done = await changeConfig(context, async (state) => {
      const { config } = state;
      if (!hasProfile(config, name)) throw noSuchProfile(config, name);
      // Without a machine id, nothing was ever reported.
      const machine = config.machineId && reportingMachine(config, client);
      const heir = config.activeProfile === name ? defaultProfile : config.activeProfile;
      const { gone, goneServers, warnings } = await uninstallProfile(context, state, name, heir);
      config.activeProfile = heir;
      await state.save();
      return { machine, gone, goneServers, warnings, active: config.activeProfile };
    });
    await Promise.all([
      reportInstalls(client, done.machine, done.gone),
      reportServers(client, done.machine, done.goneServers),
    ]);
    for (const warning of done.warnings) context.output.warn(warning);
    return {
      data: { name, deleted: true, warnings: done.warnings },
      text: `Deleted profile ${context.output.paint("bold", name)}. The active profile is ${done.active}.`,
    };
  },
});

async function confirm(context: Context, config: Config, name: string, force: boolean): Promise<void> {
  if (!hasProfile(config, name)) throw noSuchProfile(config, name);
  if (force) return;
  const { installed, mcpServers = {} } = profileOf(config, name);
  const counts = [
    ...(Object.keys(installed).length === 0 ? [] : [countText(Object.keys(installed).length, "skill")]),
    ...(Object.keys(mcpServers).length === 0
      ? []
      : [countText(Object.keys(mcpServers).length, "MCP server")]),
  ];
  requireInteraction(context, "--force", `Deleting profile "${name}" needs --force.`);
  const losses = counts.length === 0 ? "its login" : `its login, and uninstall its ${counts.join(" and ")}`;
  await askYes(`Delete profile ${name}: forget ${losses}?`);
}

/** Loaded for profiles that had MCP servers. */
async function reportServers(
  client: Client | undefined,
  machine: string | undefined,
  gone: readonly ReportedEntry[],
): Promise<void> {
  if (gone.length === 0) return;
  const { reportEntries } = await import("../../mcp/report.ts");
  await reportEntries(client, machine, gone);
}
