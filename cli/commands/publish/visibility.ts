import { visibilities } from "../../../contract/vocabulary.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { confirmExposure, yesFlag } from "../../exposure.ts";
import { changedSkillArgument } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const visibility = defineCommand({
  positionals: {
    skill: changedSkillArgument,
    visibility: { required: true, description: visibilities.join(", ") },
  },
  flags: yesFlag,
  examples: ["svc visibility code-review unlisted", "svc visibility acme/code-review public --yes -o json"],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "visibility takes no pin: it concerns all versions.");
    const chosen = visibilities.find((one) => one === args.visibility);
    if (chosen === undefined)
      throw invalidArgument(
        "<visibility>",
        `"${args.visibility}" is not a visibility. Use ${visibilities.join(", ")}.`,
      );
    const { client } = await openSession(context);
    const { skill } = await client.find(ref);
    const tried = await client.update(skill.publicId, { visibility: chosen, dryRun: true });
    await confirmExposure(context, tried.exposure, skill.name, args.yes);
    const { exposure, ...changed } = await client.update(skill.publicId, { visibility: chosen });
    const { publicId, slug, name } = changed;
    const { tenantSlug } = skill;
    return {
      data: {
        skill: { publicId, slug, tenantSlug, name, visibility: changed.visibility },
        from: skill.visibility,
        to: changed.visibility,
        exposure: exposure.widened ? exposure : undefined,
      },
      text: `${context.output.paint("bold", plainLine(name))} (${tenantSlug}/${slug}) is ${changed.visibility}.`,
    };
  },
});
