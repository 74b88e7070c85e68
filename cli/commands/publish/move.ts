import { limits } from "../../../contract/limits.ts";
import type { MovedSkillPayload } from "../../../contract/payloads/organizations/folders.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { confirmExposure, yesFlag } from "../../exposure.ts";
import { changedSkillArgument, dryRunFlag } from "../../present.ts";
import { dryRunLines, readReach } from "../../reach.ts";
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
  flags: {
    parents: { value: "none", description: "Create the missing folders first" },
    "dry-run": dryRunFlag,
    ...yesFlag,
  },
  examples: [
    "svc move code-review ops/reviews",
    "svc move acme/code-review 'Ops/New folder' --parents",
    "svc move code-review / -o json",
  ],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "move takes no pin: it moves all versions.");
    const { client } = await openSession(context);
    const found = await client.find(ref);
    const target = { folder: args.folder, createFolders: args.parents ? (true as const) : undefined };
    const tried = await client.move(found.skill.publicId, { ...target, dryRun: true });
    if (args["dry-run"]) {
      const reach = readReach(tried.reach);
      const { name: title, slug: at, tenantSlug: org } = found.skill;
      const words = tried.moved ? `Would move ${plainLine(title)} (${org}/${at}) to` : "Is already there:";
      return {
        data: { dryRun: true, ...presentMoved(tried, org), reach },
        text: [`${words} ${destinationOf(tried)}.`, ...dryRunLines([reach])].join("\n"),
      };
    }
    await confirmExposure(context, tried.exposure, found.skill.name, args.yes);
    const done = await client.move(found.skill.publicId, target);
    const { slug, name } = done.skill;
    const { tenantSlug } = found.skill;
    const destination = destinationOf(done);
    return {
      data: presentMoved(done, tenantSlug),
      text: done.moved
        ? `Moved ${context.output.paint("bold", plainLine(name))} (${tenantSlug}/${slug}) to ${destination}`
        : `${plainLine(name)} (${tenantSlug}/${slug}) is in ${destination} already.`,
    };
  },
});

const destinationOf = ({ to }: MovedSkillPayload) => (to.path === "/" ? "the root" : plainLine(to.path));

function presentMoved({ skill, from, to, moved, exposure }: MovedSkillPayload, tenantSlug: string) {
  const { id, slug, name, tenantId } = skill;
  return {
    skill: { id, slug, name, tenantId, tenantSlug },
    from: { folderId: from.folderId },
    to: { folderId: to.folderId, path: to.path },
    moved,
    exposure: exposure.widened ? exposure : undefined,
  };
}
