/** A skill's bare repository for Git clients, under the same access rule as every other read. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import type { OpenedRepository } from "../../clone/serve.ts";
import { loadSkill } from "../load.ts";
import { hiddenVersions } from "../marks/marks.ts";
import { projectForReaders } from "../projection.ts";
import { selectVersion } from "../versions/select-version.ts";
import { findVersion } from "../versions/versions.ts";

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
    hidden: () => hiddenObjects(app, skill),
    async prepareClone() {
      // An empty repository has no version to count.
      if (skill.withheld) return () => undefined;
      const fetched = await selectVersion(app, skill, { kind: "current" });
      return () => recordDownload(app, actor, fetched);
    },
  };
}

/**
 * Commits and trees of held and rejected versions: with protocol 2, Git returns any object whose id a client knows, and
 * ids of versions that were released before are known.
 */
async function hiddenObjects(app: App, skill: SkillDoc): Promise<string[]> {
  const rows = await Promise.all(hiddenVersions(skill).map((version) => findVersion(app, skill, version)));
  // A held version may have the same tree as the current one, which a partial clone requests by its id.
  return rows.flatMap((row) =>
    !row ? [] : row.digest === skill.current.digest ? [row.oid] : [row.oid, row.treeOid],
  );
}
