import { defineCommand } from "../command.ts";
import { CliError } from "../errors.ts";
import { findInstalled } from "../install/find.ts";
import { qualifiedName } from "../install/publisher.ts";
import { presentRecord } from "../install/record.ts";
import { isUsedElsewhere, removeSkill } from "../install/remove.ts";
import { findReportingClient, reportingMachine, reportInstalls } from "../install/report.ts";
import { followUninstall } from "../project/follow.ts";
import { askFromList, requireInteraction } from "../prompts.ts";
import { cacheFolder, purgeCache } from "../state/cache.ts";
import { type InstallationRecord, profileOf } from "../state/config.ts";
import { profileName } from "../state/profiles.ts";
import { changeConfig, readConfig } from "../state/state.ts";

export const uninstall = defineCommand({
  name: "uninstall",
  summary: "Remove an installed skill from all tools",
  positionals: { slug: { description: "The installed skill", completes: "installed" } },
  flags: {
    purge: { value: "none", description: "Delete the cached copy too" },
    force: { value: "none", description: "Remove copies that were edited, too" },
  },
  examples: ["svc uninstall code-review", "svc uninstall code-review --purge -o json"],
  async run(context, args) {
    const config = await readConfig(context);
    const name = profileName(config, context.profileFlag, context.env);
    if (args.slug === undefined)
      requireInteraction(context, "<slug>", "Say what to uninstall: svc uninstall <slug>.");
    const names = Object.keys(config.profiles[name]?.installed ?? {});
    if (args.slug === undefined && names.length === 0)
      throw new CliError("E_NOT_FOUND", "Nothing is installed.", { kind: "installedSkill" });
    const ref = args.slug ?? (await chooseInstalled(names));

    const client = await findReportingClient(context);
    const done = await changeConfig(context, async (state) => {
      const profile = profileOf(state.config, name);
      const [installName, skill] = findInstalled(profile, ref);
      const cache = cacheFolder(state.paths, installName);
      const { removed, failed, kept } = await removeSkill(state, name, installName, args.force);
      const warnings = await followUninstall(skill, removed, kept);
      const purged = args.purge && failed.length === 0 && !isUsedElsewhere(state, name, installName);
      if (purged) await purgeCache(cache);
      const { paint } = context.output;
      const answer = {
        data: {
          skill: { installName, publicId: skill.publicId, slug: skill.slug, tenantSlug: skill.tenantSlug },
          removed: removed.map(presentRecord),
          failed,
          purged,
          warnings,
        },
        text: [
          failed.length === 0
            ? `Uninstalled ${paint("bold", installName)} (${qualifiedName(skill)})`
            : `${installName} is not removed everywhere`,
          ...removed.map((record) => `  ${paint("green", record.platform)}  ${record.path}`),
          ...failed.map((failure) => `  ${paint("red", failure.platform)}  ${failure.error}`),
          ...warnings.map((warning) => `  ${warning}`),
        ].join("\n"),
        partial: failed.length > 0,
      };
      // Another project may still have the skill for this target.
      const isGone = ({ platform, scope }: InstallationRecord) =>
        !kept.some((record) => record.platform === platform && record.scope === scope);
      return {
        answer,
        // Without a machine id, nothing was ever reported.
        machine: state.config.machineId && reportingMachine(state.config, client),
        gone: removed
          .filter(isGone)
          .map(({ platform, scope }) => ({ publicId: skill.publicId, platform, scope })),
      };
    });
    await reportInstalls(client, done.machine, done.gone);
    return done.answer;
  },
});

async function chooseInstalled(names: readonly string[]): Promise<string> {
  return askFromList(
    "Uninstall which skill?",
    names.map((name) => ({ value: name, label: name })),
  );
}
