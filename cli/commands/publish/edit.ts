import { limits } from "../../../contract/limits.ts";
import { visibilities } from "../../../contract/vocabulary.ts";
import type { SkillChange } from "../../api/inputs.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { confirmExposure, yesFlag } from "../../exposure.ts";
import { changedSkillArgument } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const edit = defineCommand({
  positionals: { skill: changedSkillArgument },
  flags: {
    name: {
      value: "required",
      hint: "name",
      form: "line",
      max: limits.skillName,
      description: "Display name; the slug stays",
    },
    description: {
      value: "required",
      hint: "text",
      mayBeEmpty: true,
      max: limits.skillDescription,
      description: "Description",
    },
    tags: {
      value: "required",
      hint: "a,b",
      mayBeEmpty: true,
      description: "All tags, separated by commas; --tags= removes them",
    },
    visibility: {
      value: "required",
      choices: visibilities,
      hint: visibilities.join("|"),
      description: "Who can read it, with all its versions",
    },
    ...yesFlag,
  },
  examples: [
    "svc edit code-review --description 'Reviews pull requests'",
    "svc edit acme/code-review --name 'Code review' --tags review,quality -o json",
    "svc edit acme/code-review --visibility public --yes",
  ],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "edit takes no pin: it concerns all versions.");
    const change = changeOf(args);
    const changed = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    if (changed.length === 0)
      throw invalidArgument(
        "--name",
        "Nothing to change: use --name, --description, --tags or --visibility.",
      );
    const { client } = await openSession(context);
    const { skill } = await client.resolve(ref);
    if (change.visibility !== undefined) {
      const tried = await client.update(skill.publicId, { ...change, dryRun: true });
      await confirmExposure(context, tried.exposure, skill.name, args.yes);
    }
    const { exposure, ...updated } = await client.update(skill.publicId, change);
    const { publicId, slug, name, description, tags, visibility } = updated;
    const { tenantSlug } = skill;
    return {
      data: {
        skill: { publicId, slug, tenantSlug, name, description, tags: tags ?? [], visibility },
        changed,
        exposure: exposure.widened ? exposure : undefined,
      },
      text:
        `Changed the ${changed.join(", ")} of ${context.output.paint("bold", plainLine(name))} ` +
        `(${tenantSlug}/${slug}).`,
    };
  },
});

function changeOf(args: {
  name: string | undefined;
  description: string | undefined;
  tags: string | undefined;
  visibility: string | undefined;
}): SkillChange {
  const visibility = visibilities.find((one) => one === args.visibility);
  const tags = args.tags?.split(",").flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()]));
  return {
    name: args.name,
    description: args.description,
    tags,
    visibility,
  };
}
