import semver from "semver";
import { parseUnpinnedRef, parseVersionSpec } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { changedSkillArgument, dryRunFlag } from "../../present.ts";
import { dryRunLines, readReach } from "../../reach.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const revert = defineCommand({
  positionals: { skill: changedSkillArgument },
  flags: {
    to: {
      value: "required",
      hint: "version",
      description: "The version (required): exact, or its number",
    },
    "dry-run": dryRunFlag,
  },
  examples: ["svc revert code-review --to 1.2.0", "svc revert acme/code-review --to 3 -o json"],
  async run(context, args) {
    const ref = parseUnpinnedRef(
      args.skill,
      "<skill>",
      "revert takes no pin: svc revert <skill> --to <version>.",
    );
    if (args.to === undefined)
      throw invalidArgument("--to", "Name the version: svc revert <skill> --to <version>.");
    const to = parseVersionSpec(args.to, "--to");
    if (!/^\d+$/.test(to) && semver.valid(to) === null)
      throw invalidArgument("--to", `--to takes an exact version or its number, not "${args.to}".`);

    const { client } = await openSession(context);
    const { skill } = await client.find(ref);
    const dryRun = args["dry-run"] ? (true as const) : undefined;
    const reverted = await client.revert(skill.publicId, to, dryRun);
    const reach = dryRun && readReach(reverted.reach);
    const { publicId, slug, tenantSlug, name } = skill;
    const changed = reverted.currentVersion !== skill.currentVersion;
    const title = `${context.output.paint("bold", plainLine(name))} (${tenantSlug}/${slug})`;
    return {
      data: {
        dryRun,
        skill: { publicId, slug, tenantSlug, name },
        from: { version: skill.currentVersion, semver: skill.currentSemver },
        to: { version: reverted.currentVersion, semver: reverted.currentSemver },
        changed,
        reach,
      },
      text: changed
        ? [
            `${dryRun ? "Would revert" : "Reverted"} ${title} from ${skill.currentSemver} to ${reverted.currentSemver}.`,
            ...(dryRun ? dryRunLines([reach]) : []),
          ].join("\n")
        : `${title} is at ${reverted.currentSemver} already.`,
    };
  },
});
