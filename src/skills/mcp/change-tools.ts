/** Changes of a skill for agents that create no version: settings, folder, rollback. Deleting is not offered. */
import { z } from "zod";
import { MovedSkillPayload } from "../../../contract/payloads/folders.ts";
import { ChangedSkillPayload, SkillPayload } from "../../../contract/payloads/skills.ts";
import type { App } from "../../app.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { presentSkillExposure } from "../access/exposure.ts";
import { presentSkill, presentSkillDetail } from "../present.ts";
import { refOf, resolveRef } from "../resolve.ts";
import { MoveSkill, RevertSkill, UpdateSkill } from "../schema.ts";
import { moveSkill } from "../settings/move.ts";
import { revertSkill, updateSkill } from "../settings/settings.ts";
import { selectVersion } from "../versions/select-version.ts";
import { skillRef } from "./input.ts";

const common = { effect: "change", isRepeatable: true, needs: ["skill:update"] } as const;
const wouldBe = (dryRun: boolean | undefined) => (dryRun ? "would be" : "is now");

export function changeTools(app: App): Tool[] {
  return [updateTool(app), moveTool(app), revertTool(app)];
}

function updateTool(app: App): Tool {
  return tool({
    ...common,
    name: "update_skill",
    title: "Change a skill's settings",
    description:
      "Changes the name, description, visibility or tags of a skill. With dryRun, exposure and readers of the result " +
      "describe who could read the skill.",
    input: z
      .strictObject({ ...UpdateSkill.shape, skill: skillRef })
      .refine(
        ({ skill: _skill, dryRun: _dryRun, ...fields }) => Object.keys(fields).length > 0,
        "needs at least one field to change",
      ),
    output: ChangedSkillPayload,
    async handle({ actor, input: { skill: ref, ...input } }) {
      const found = await resolveRef(app, actor, ref);
      const { skill, exposure, readers } = await updateSkill(app, actor, found._id, input);
      const version = await selectVersion(app, skill, { kind: "current" });
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
    output: MovedSkillPayload,
    async handle({ actor, input: { skill: ref, ...input } }) {
      const found = await resolveRef(app, actor, ref);
      const { skill, exposure, ...moved } = await moveSkill(app, actor, found._id, input);
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
    input: RevertSkill.extend({ skill: skillRef }),
    output: SkillPayload,
    async handle({ actor, input: { skill: ref, ...input } }) {
      const found = await resolveRef(app, actor, ref);
      const skill = presentSkill(await revertSkill(app, actor, found._id, input));
      return {
        data: skill,
        text: `${skill.tenantSlug}/${skill.slug} is now at version ${skill.currentSemver}.`,
      };
    },
  });
}
