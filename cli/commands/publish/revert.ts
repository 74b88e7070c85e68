import semver from "semver";
import { parseUnpinnedRef, parseVersionSpec } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { changedSkillArgument } from "../../present.ts";
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
    const { skill } = await client.resolve(ref);
    const reverted = await client.revert(skill.publicId, to);
    const { publicId, slug, tenantSlug, name } = skill;
    const changed = reverted.currentVersion !== skill.currentVersion;
    const title = `${context.output.paint("bold", plainLine(name))} (${tenantSlug}/${slug})`;
    return {
      data: {
        skill: { publicId, slug, tenantSlug, name },
        from: { version: skill.currentVersion, semver: skill.currentSemver },
        to: { version: reverted.currentVersion, semver: reverted.currentSemver },
        changed,
      },
      text: changed
        ? `Reverted ${title} from ${skill.currentSemver} to ${reverted.currentSemver}.`
        : `${title} is at ${reverted.currentSemver} already.`,
    };
  },
});
