import { limits } from "../../../contract/limits.ts";
import type { SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import { visibilities } from "../../../contract/vocabulary.ts";
import { openOrganizationCalls } from "../../api/calls/organization.ts";
import type { Client } from "../../api/client.ts";
import type { SkillChange } from "../../api/inputs.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { confirmExposure, yesFlag } from "../../exposure.ts";
import { changedSkillArgument } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";
import { findTeam } from "../organizations/find.ts";

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
    "owner-team": {
      value: "required",
      hint: "team",
      mayBeEmpty: true,
      max: limits.teamName,
      description: "Team that looks after it, by name or id; --owner-team= removes it",
    },
    ...yesFlag,
  },
  examples: [
    "svc edit code-review --description 'Reviews pull requests'",
    "svc edit acme/code-review --name 'Code review' --tags review,quality -o json",
    "svc edit acme/code-review --visibility public --yes",
    "svc edit acme/code-review --owner-team platform",
  ],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "edit takes no pin: it concerns all versions.");
    const fields = changeOf(args);
    const owner = args["owner-team"];
    const given = Object.entries({ ...fields, "owner team": owner });
    const changed = given.flatMap(([field, value]) => (value === undefined ? [] : [field]));
    if (changed.length === 0)
      throw invalidArgument(
        "--name",
        "Nothing to change: use --name, --description, --tags, --visibility or --owner-team.",
      );
    const { client } = await openSession(context);
    const { skill } = await client.find(ref);
    const change = { ...fields, ownerTeamId: await findOwner(client, skill, owner) };
    if (change.visibility !== undefined) {
      const tried = await client.update(skill.publicId, { ...change, dryRun: true });
      await confirmExposure(context, tried.exposure, skill.name, args.yes);
    }
    const { exposure, ...updated } = await client.update(skill.publicId, change);
    const { publicId, slug, name, description, tags, visibility, ownerTeam } = updated;
    const { tenantSlug } = skill;
    return {
      data: {
        skill: { publicId, slug, tenantSlug, name, description, tags: tags ?? [], visibility, ownerTeam },
        changed: changed.map((field) => (field === "owner team" ? "ownerTeam" : field)),
        exposure: exposure.widened ? exposure : undefined,
      },
      text:
        `Changed the ${changed.join(", ")} of ${context.output.paint("bold", plainLine(name))} ` +
        `(${tenantSlug}/${slug}).`,
    };
  },
});

/** Id of the team; null removes the owner team, and undefined leaves it as it is. */
async function findOwner(
  { options }: Client,
  { tenantId: id, tenantSlug: slug }: SkillPayload,
  text: string | undefined,
): Promise<string | null | undefined> {
  if (text === undefined) return undefined;
  if (text.trim() === "") return null;
  return (await findTeam(openOrganizationCalls(options), { id, slug, name: slug }, text)).id;
}

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
