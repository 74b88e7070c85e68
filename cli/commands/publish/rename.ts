import { slugPattern } from "../../../contract/names/slug.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { changedSkillArgument, dryRunFlag } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const rename = defineCommand({
  positionals: {
    skill: changedSkillArgument,
    slug: { required: true, description: "The new slug: lower-case letters, digits and single hyphens" },
  },
  flags: { "dry-run": dryRunFlag },
  examples: ["svc rename relnotes release-notes", "svc rename acme/relnotes release-notes --dry-run -o json"],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "rename takes no pin: it renames all versions.");
    if (!slugPattern.test(args.slug))
      throw invalidArgument(
        "<slug>",
        `"${args.slug}" is not a valid slug: use lower-case letters, digits and single hyphens.`,
      );
    const { client } = await openSession(context);
    const { skill: found } = await client.find(ref);
    const dryRun = args["dry-run"] ? (true as const) : undefined;
    const { skill, from, renamed } = await client.rename(found.publicId, args.slug, dryRun);
    const { publicId, slug, name } = skill;
    const { tenantSlug } = found;
    const title = `${context.output.paint("bold", plainLine(name))} (${tenantSlug}/${from})`;
    const done = `${dryRun ? "Would rename" : "Renamed"} ${title} to ${tenantSlug}/${slug}.`;
    return {
      data: { dryRun, skill: { publicId, slug, tenantSlug, name }, from, renamed },
      text: renamed
        ? `${done} ${tenantSlug}/${from} ${dryRun ? "would lead" : "leads"} to it.`
        : `${title} already has this slug.`,
    };
  },
});
