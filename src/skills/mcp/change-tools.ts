/** Changes of a skill for agents that create no version: settings, folder, rollback. Deleting is not offered. */
import { z } from "zod";
import { MovedSkillPayload } from "../../../contract/payloads/organizations/folders.ts";
import { ChangedSkillPayload, SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import type { App } from "../../app.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { presentSkillExposure } from "../access/exposure.ts";
import { presentSkill, presentSkillDetail } from "../present.ts";
import { refOf, resolveRef } from "../resolve.ts";
import { MoveSkill, RevertSkill, UpdateSkill } from "../schema.ts";
import { moveSkill } from "../settings/move.ts";
import { revertSkill, updateSkill } from "../settings/settings.ts";
import { shownVersion } from "../versions/select-version.ts";
import { skillRef } from "./input.ts";

const common = { effect: "change", isRepeatable: true, needs: ["skill:update"] } as const;
const wouldBe = (dryRun: boolean | undefined) => (dryRun ? "would be" : "is now");

/**
 * Agents neither deprecate skills nor choose their owners, and the list of tools is at its limit, which is why it lacks
 * the reach, too.
 */
const { deprecated: _deprecated, ownerTeamId: _ownerTeamId, ...settings } = UpdateSkill.shape;

export function changeTools(app: App): Tool[] {
  return [updateTool(app), moveTool(app), revertTool(app)];
}

function updateTool(app: App): Tool {
  return tool({
    ...common,
    name: "update_skill",
    title: "Change a skill's settings",
    description:
      "Changes a skill's name, description, visibility or tags. With dryRun, exposure and readers say who can read it.",
    input: z
      .strictObject({ ...settings, skill: skillRef })
      .refine(
        ({ skill: _skill, dryRun: _dryRun, ...fields }) => Object.keys(fields).length > 0,
        "needs at least one field to change",
      ),
    output: ChangedSkillPayload.omit({ reach: true }),
    async handle({ actor, input: { skill: ref, ...input } }) {
      const found = await resolveRef(app, actor, ref);
      const { skill, exposure, readers } = await updateSkill(app, actor, found._id, input);
      const version = await shownVersion(app, skill);
      const data = {
        ...presentSkillDetail(skill, version),
        exposure: await presentSkillExposure(app, exposure),
        readers,
      };
      const state = wouldBe(input.dryRun);
      return {
        data,
        text: `${refOf(skill)} ${state} ${data.visibility}, with tags: ${data.tags.join(", ") || "none"}.`,
      };
    },
  });
}

function moveTool(app: App): Tool {
  return tool({
    ...common,
    name: "move_skill",
    title: "Move a skill",
    description: "Moves a skill to another folder of its organization. Its address and versions stay.",
    input: MoveSkill.safeExtend({ skill: skillRef }),
    output: MovedSkillPayload.omit({ reach: true }),
    async handle({ actor, input: { skill: ref, ...input } }) {
      const found = await resolveRef(app, actor, ref);
      const { skill, exposure, reach: _reach, ...moved } = await moveSkill(app, actor, found._id, input);
      const data = {
        skill: presentSkill(skill),
        ...moved,
        exposure: await presentSkillExposure(app, exposure),
      };
      return { data, text: `${refOf(skill)} ${wouldBe(input.dryRun)} in ${moved.to.path}.` };
    },
  });
}

function revertTool(app: App): Tool {
  return tool({
    ...common,
    name: "revert_skill",
    title: "Revert a skill",
    description: "Makes an earlier version of a skill current again. No version is lost.",
    input: RevertSkill.omit({ dryRun: true }).extend({ skill: skillRef }),
    output: SkillPayload,
    async handle({ actor, input: { skill: ref, ...input } }) {
      const found = await resolveRef(app, actor, ref);
      const skill = presentSkill((await revertSkill(app, actor, found._id, input)).skill);
      return {
        data: skill,
        text: `${skill.tenantSlug}/${skill.slug} is now at version ${skill.currentSemver}.`,
      };
    },
  });
}
