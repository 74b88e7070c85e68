import { resolve } from "node:path";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument, notFound } from "../../errors.ts";
import { dryRunFlag, outcomeWord, trustFlag } from "../../present.ts";
import { describeDifference, differencesOf } from "../../project/compare.ts";
import { type Project, projectFolder, readProject } from "../../project/files.ts";
import { locateInProject } from "../../project/locations.ts";
import type { ProjectLock } from "../../project/lock.ts";
import { restoreSkills } from "../../project/restore.ts";
import { type RestoredSkill, type WantedSkill, lockedPlatforms } from "../../project/restored-skill.ts";
import { profileName } from "../../state/profiles.ts";
import { readConfig } from "../../state/read-config.ts";
import { parseTargets, targetFlag } from "../../targets/choose.ts";
import { plainLine } from "../../terminal/table.ts";

export const restore = defineCommand({
  positionals: {},
  flags: {
    project: {
      short: "p",
      value: "required",
      hint: "dir",
      completes: "folder",
      description: "The project (default: this folder)",
    },
    target: { ...targetFlag, description: "Only these of the tools in svc.lock" },
    trust: trustFlag,
    force: { value: "none", description: "Overwrite edited copies" },
    "dry-run": dryRunFlag,
  },
  examples: ["svc restore", "svc restore -p ../app -t claude", "svc restore -o json"],
  async run(context, args) {
    const given = args.project ?? ".";
    const chosen = parseTargets(args.target);
    const folder = await projectFolder(resolve(context.cwd, given), given);
    const project = await readProject(folder);
    const { lock, manifest, lockPath } = project;
    if (lock === undefined)
      throw notFound(
        "path",
        lockPath,
        manifest === undefined
          ? `There is no svc.lock in ${folder}: svc install <ref> -p --save creates it.`
          : `There is no svc.lock next to svc.json in ${folder}: ` +
              "svc install <ref> -p creates it; commit it with svc.json.",
      );
    refuseDifferences(context, project, lock);

    const warnings: string[] = [];
    const wanted: WantedSkill[] = [];
    for (const [ref, locked] of lock) {
      if (manifest !== undefined && !manifest.skills.has(ref)) {
        warnings.push(`svc.lock still has ${ref}, which svc.json no longer requests: it is skipped`);
        continue;
      }
      const targets = lockedPlatforms(locked).filter((name) => chosen.length === 0 || chosen.includes(name));
      if (targets.length > 0) wanted.push({ ref, locked, targets });
    }
    const unused = chosen.find((name) => !wanted.some(({ targets }) => targets.includes(name)));
    if (unused !== undefined) throw invalidArgument("--target", `svc.lock has nothing for ${unused}.`);

    const dryRun = args["dry-run"];
    const { force, trust } = args;
    const skills = await restoreSkills(context, folder, wanted, { force, trust, dryRun });
    const unlocked = await listUnlocked(context, folder, lock);
    for (const { slug, tenantSlug, targets } of unlocked)
      warnings.push(
        `${tenantSlug}/${slug} is installed here (${targets.join(", ")}), and svc.lock does not name it`,
      );
    for (const warning of warnings) context.output.warn(plainLine(warning));
    const count = (...outcomes: RestoredSkill["outcome"][]) =>
      skills.filter(({ outcome }) => outcomes.includes(outcome)).length;
    const summary = {
      restored: count("installed", "updated", "repaired"),
      upToDate: count("upToDate"),
      failed: count("partial", "failed"),
    };
    return {
      data: { project: folder, skills, unlocked, summary, warnings, dryRun: dryRun || undefined },
      text: [
        ...(skills.length === 0 ? ["svc.lock is empty."] : skills.map((skill) => line(context, skill))),
        ...(dryRun ? ["Nothing was changed (--dry-run)."] : []),
      ].join("\n"),
      partial: summary.failed > 0,
    };
  },
});

/** Refuses to restore a lock that lacks skills of the manifest. */
function refuseDifferences(context: Context, { manifest, folder }: Project, lock: ProjectLock): void {
  const differences = differencesOf(
    manifest,
    lock,
    (skill, target) => !("refused" in locateInProject(context, folder, skill, target)),
  );
  const [first] = differences;
  if (first === undefined) return;
  const more = differences.length === 1 ? "" : ` (and ${differences.length - 1} more)`;
  throw new CliError("E_VERSION_CHANGED", `${describeDifference(first)}${more}`, {
    kind: "skill",
    ref: first.skill,
    ...first,
    changes: differences,
  });
}

async function listUnlocked(context: Context, folder: string, lock: ProjectLock) {
  const config = await readConfig(context);
  const profile = config.profiles[profileName(config, context.profileFlag, context.env)];
  const locked = new Set([...lock.values()].map(({ publicId }) => publicId));
  return Object.entries(profile?.installed ?? {}).flatMap(([installName, skill]) => {
    const { publicId, slug, tenantSlug, installs } = skill;
    const targets = installs
      .filter(({ projectDir }) => projectDir === folder)
      .map(({ platform }) => platform);
    return targets.length === 0 || locked.has(publicId)
      ? []
      : [{ installName, publicId, slug, tenantSlug, targets }];
  });
}

function line(context: Context, skill: RestoredSkill): string {
  const { outcome, installed, skipped, failed, warnings } = skill;
  return [
    `${outcomeWord(context, outcome)}  ${nameOf(skill)} ${skill.semver}`,
    ...(outcome === "upToDate" ? [] : installed.map((record) => `  ${record.platform}  ${record.path}`)),
    ...skipped.map(
      ({ platform, reason }) => `  ${context.output.paint("yellow", platform)}  ${plainLine(reason)}`,
    ),
    ...failed.map(({ platform, error }) => `  ${context.output.paint("red", platform)}  ${plainLine(error)}`),
    ...warnings.map((warning) => `  ${plainLine(warning)}`),
  ].join("\n");
}

/** Name of the skill in the lock, with the organization added to a bare slug. */
function nameOf({ skill, tenantSlug }: RestoredSkill): string {
  return skill.startsWith(`${tenantSlug}/`) ? skill : `${skill} of ${tenantSlug}`;
}
