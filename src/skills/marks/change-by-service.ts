/** Changes of versions by the service itself, which decides without a caller's rights. */
import { skillActs } from "../../../contract/dashboard/lists.ts";
import type { SkillDoc, VersionMark } from "../../../storage/skills/skills.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { changeState, type Changed } from "./change-state.ts";
import type { MarkChange } from "./marks.ts";

/** `change`: as in `changeState`. Throws `not_found` for a skill or a version that no longer exists. */
export function changeByService(
  app: App,
  { skillId, version }: { skillId: string; version: number },
  change: (
    mark: VersionMark | undefined,
    skill: SkillDoc,
  ) => MarkChange | undefined | Promise<MarkChange | undefined>,
): Promise<Changed> {
  return changeState(app, "service", skillId, String(version), {
    change: (_, mark, skill) => change(mark, skill),
    async load() {
      const skill = await app.storage.skills.find(skillId);
      if (!skill) throw notFound("skill", skillId);
      return { ...skill, can: skillActs };
    },
  });
}
