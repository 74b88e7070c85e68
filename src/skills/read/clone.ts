/** A skill's bare repository for Git clients, under the same access rule as every other read. */
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import type { OpenedRepository } from "../../clone/serve.ts";
import { loadSkill } from "../load.ts";
import { projectForReaders } from "../projection.ts";
import { selectVersion } from "../versions/select-version.ts";

/**
 * Opens the repository of a skill that the actor may read. The first round of a clone counts as a download of the
 * current version. `updates`: whether its refs are updated first.
 */
export async function openClone(
  app: App,
  actor: Actor,
  ref: string,
  { updates }: { updates: boolean },
): Promise<OpenedRepository> {
  const skill = await loadSkill(app, actor, ref, "skill:read");
  if (updates) await projectForReaders(app, skill);
  const { tenantId, _id: skillId } = skill;
  return {
    directory: () => app.repos.materialize({ tenantId, skillId }),
    async prepareClone() {
      const fetched = await selectVersion(app, skill, { kind: "current" });
      return () => recordDownload(app, actor, fetched);
    },
  };
}
