import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { qualifiedName } from "../../install/publisher.ts";
import { changedSkillArgument } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { askText, requireInteraction } from "../../terminal/prompts.ts";
import { plainLine } from "../../terminal/table.ts";

export const deleteSkill = defineCommand({
  positionals: { skill: changedSkillArgument },
  flags: { force: { value: "none", description: "Don't ask for the name of the skill" } },
  examples: ["svc delete code-review", "svc delete acme/code-review --force -o json"],
  async run(context, args) {
    const ref = parseUnpinnedRef(
      args.skill,
      "<skill>",
      "delete takes no pin: it deletes the skill with all its versions.",
    );
    if (!args.force)
      requireInteraction(
        context,
        "--force",
        "Deleting a skill asks for its name at a terminal. Without a terminal, add --force.",
      );
    const { client } = await openSession(context);
    const { publicId, slug, tenantSlug, name } = (await client.find(ref)).skill;
    if (!args.force) {
      const full = qualifiedName({ tenantSlug, slug });
      const typed = await askText(
        `Type "${slug}" to delete ${full} with all its versions, permanently.`,
        slug,
      );
      if (![slug, full, name].includes(typed.trim()))
        throw invalidArgument("<skill>", `"${typed}" is not the name of ${full}: nothing was deleted.`);
    }
    await client.remove(publicId);
    return {
      data: { skill: { publicId, slug, tenantSlug, name }, deleted: true },
      text: `Deleted ${context.output.paint("bold", plainLine(name))} (${tenantSlug}/${slug}).`,
    };
  },
});
