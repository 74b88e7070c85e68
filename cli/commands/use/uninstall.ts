import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { removeAllUnusedVersions } from "../../install/pins/unused-versions.ts";
import { qualifiedName } from "../../install/publisher.ts";
import { findInstalled } from "../../install/records/find.ts";
import { presentRecord } from "../../install/records/record.ts";
import { type InstalledInScope, recordsOf } from "../../install/records/scopes.ts";
import { type Removal, previewRemoval, removeSkill } from "../../install/remove.ts";
import {
  type ReportedLocation,
  findReportingClient,
  reportingMachine,
  reportInstalls,
} from "../../install/report.ts";
import { dryRunFlag } from "../../present.ts";
import {
  type ChangeReach,
  type DividedScopes,
  changeReach,
  describeKept,
  divideScopes,
  exclusiveReach,
  isOutside,
  presentKept,
  reachFlags,
  refuseUnreached,
} from "../../project/change-reach.ts";
import { followUninstall } from "../../project/follow.ts";
import { cacheFolder, purgeCache } from "../../state/cache.ts";
import { type InstalledSkill, type Profile, profileOf } from "../../state/config.ts";
import { statePaths } from "../../state/paths.ts";
import { profileName } from "../../state/profiles.ts";
import { readConfig } from "../../state/read-config.ts";
import { type StateChange, changeConfig } from "../../state/state.ts";
import { askFromList, askYes, requireInteraction } from "../../terminal/prompts.ts";

export const uninstall = defineCommand({
  positionals: { slug: { description: "The installed skill", completes: "installed" } },
  flags: {
    purge: { value: "none", description: "Delete the cached copy too" },
    force: { value: "none", description: "Remove copies that were edited, too" },
    "dry-run": dryRunFlag,
    ...reachFlags,
  },
  exclusive: [...exclusiveReach],
  examples: [
    "svc uninstall code-review",
    "svc uninstall code-review -p",
    "svc uninstall code-review --purge -o json",
  ],
  async run(context, args) {
    const config = await readConfig(context);
    const name = profileName(config, context.profileFlag, context.env);
    const profile = config.profiles[name];
    const ref = args.slug ?? (await chooseInstalled(context, profile));
    const [installName, skill] = findInstalled(profile, ref);
    const reach = await changeReach(context, profile, args);
    const divided = await divideScopes([[installName, skill]], reach);
    refuseUnreached(ref, divided, reach);
    if (args["dry-run"]) return preview(context, divided, { installName, skill, force: args.force });
    await confirmOutside(context, divided.chosen, reach);

    const client = await findReportingClient(context);
    const done = await changeConfig(context, async (state) => {
      const removal = await removeInReach(state, name, ref, reach, args);
      // Without a machine id, nothing was ever reported.
      return { ...removal, machine: state.config.machineId && reportingMachine(state.config, client) };
    });
    await reportInstalls(client, done.machine, done.gone);
    return present(context, done);
  },
});

async function chooseInstalled(context: Context, profile: Profile | undefined): Promise<string> {
  requireInteraction(context, "<slug>", "Say what to uninstall: svc uninstall <slug>.");
  const names = Object.keys(profile?.installed ?? {});
  if (names.length === 0)
    throw new CliError("E_NOT_FOUND", "Nothing is installed.", { kind: "installedSkill" });
  return askFromList(
    "Uninstall which skill?",
    names.map((name) => ({ value: name, label: name })),
  );
}

/** Lists the locations outside this project that are about to be removed, and asks. `-p` and `-g` name the place. */
async function confirmOutside(
  context: Context,
  chosen: readonly InstalledInScope[],
  { here, only }: ChangeReach,
): Promise<void> {
  const outside = chosen.filter((one) => isOutside(one, here));
  if (!context.interactive || only !== undefined || outside.length === 0) return;
  context.output.note(`Outside ${here ?? "your user-level tools"}, this also removes:`);
  for (const { path } of outside.flatMap(({ scope }) => scope.records)) context.output.note(`  ${path}`);
  await askYes("Remove it there too?");
}

interface Uninstalled {
  installName: string;
  skill: InstalledSkill;
  removal: Removal;
  kept: readonly InstalledInScope[];
  purged: boolean;
  warnings: string[];
  gone: ReportedLocation[];
}

async function removeInReach(
  state: StateChange,
  profile: string,
  ref: string,
  reach: ChangeReach,
  { force, purge }: { force: boolean; purge: boolean },
): Promise<Uninstalled> {
  const [installName, skill] = findInstalled(profileOf(state.config, profile), ref);
  const { chosen, kept } = await divideScopes([[installName, skill]], reach);
  const records = chosen.flatMap(({ scope }) => scope.records);
  const removal = await removeSkill(state, profile, installName, records, force);
  // Those that an interrupted run left, too.
  await removeAllUnusedVersions(state.config, state.paths);
  const warnings = await followUninstall(skill, removal.removed, removal.kept);
  const isUsed = recordsOf(state.config, installName).length > 0;
  if (purge && !isUsed) await purgeCache(cacheFolder(state.paths, installName));
  if (purge && isUsed && removal.failed.length === 0)
    warnings.push("The cached copy stays: other installs of the skill need it.");
  const { publicId } = skill;
  // The skill may still be installed for this target elsewhere.
  const gone = removal.removed
    .filter(
      ({ platform, scope }) =>
        !skill.installs.some((left) => left.platform === platform && left.scope === scope),
    )
    .map(({ platform, scope }) => ({ publicId, platform, scope }));
  return { installName, skill, removal, kept, purged: purge && !isUsed, warnings, gone };
}

function present(
  { output: { paint } }: Context,
  { installName, skill, removal, kept, purged, warnings }: Uninstalled,
): CommandResult {
  const { removed, failed } = removal;
  const title =
    failed.length > 0
      ? `${installName} is not removed everywhere`
      : removed.length === 0
        ? `${installName} was not removed`
        : `Uninstalled ${paint("bold", installName)} (${qualifiedName(skill)})`;
  return {
    data: {
      skill: headOf(installName, skill),
      removed: removed.map(presentRecord),
      failed,
      kept: kept.map(presentKept),
      purged,
      warnings,
    },
    text: [
      title,
      ...removed.map((record) => `  ${paint("green", record.platform)}  ${record.path}`),
      ...failed.map((failure) => `  ${paint("red", failure.platform)}  ${failure.error}`),
      ...warnings.map((warning) => `  ${warning}`),
      ...describeKept(kept),
    ].join("\n"),
    partial: failed.length > 0,
  };
}

function headOf(installName: string, { publicId, slug, tenantSlug }: InstalledSkill) {
  return { installName, publicId, slug, tenantSlug };
}

/** The result of a dry run. */
async function preview(
  context: Context,
  { chosen, kept }: DividedScopes,
  { installName, skill, force }: { installName: string; skill: InstalledSkill; force: boolean },
): Promise<CommandResult> {
  const records = chosen.flatMap(({ scope }) => scope.records);
  const cache = cacheFolder(statePaths(context.home), installName);
  const removal = await previewRemoval(cache, installName, records, force);
  const {
    data,
    text,
    partial = false,
  } = present(context, {
    installName,
    skill,
    removal,
    kept,
    purged: false,
    warnings: [],
    gone: [],
  });
  return {
    data: { ...(data as object), dryRun: true },
    text: `${text}\nNothing was changed (--dry-run).`,
    partial,
  };
}
