import { limits } from "../../../contract/limits.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { confirmExposure, yesFlag } from "../../exposure.ts";
import { changedSkillArgument } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const move = defineCommand({
  positionals: {
    skill: changedSkillArgument,
    folder: {
      required: true,
      form: "folder",
      max: limits.folderPath,
      description: "Path by names or slugs, as ops/reviews; / is the root",
    },
  },
  flags: { parents: { value: "none", description: "Create the missing folders first" }, ...yesFlag },
  examples: [
    "svc move code-review ops/reviews",
    "svc move acme/code-review 'Ops/New folder' --parents",
    "svc move code-review / -o json",
  ],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "move takes no pin: it moves all versions.");
    const { client } = await openSession(context);
    const found = await client.resolve(ref);
    const target = { folder: args.folder, createFolders: args.parents ? (true as const) : undefined };
    const tried = await client.move(found.skill.publicId, { ...target, dryRun: true });
    await confirmExposure(context, tried.exposure, found.skill.name, args.yes);
    const { skill, from, to, moved, exposure } = await client.move(found.skill.publicId, target);
    const { id, slug, name, tenantId } = skill;
    const { tenantSlug } = found.skill;
    const destination = to.folderId === null ? "the root" : plainLine(to.path);
    return {
      data: {
        skill: { id, slug, name, tenantId, tenantSlug },
        from: { folderId: from.folderId },
        to: { folderId: to.folderId, path: to.path },
        moved,
        exposure: exposure.widened ? exposure : undefined,
      },
      text: moved
        ? `Moved ${context.output.paint("bold", plainLine(name))} (${tenantSlug}/${slug}) to ${destination}`
        : `${plainLine(name)} (${tenantSlug}/${slug}) is in ${destination} already.`,
    };
  },
});
