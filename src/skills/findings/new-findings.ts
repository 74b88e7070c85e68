/** Findings of new versions that no earlier version of the skill has. */
import type { SkillToProject } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { recordMessages, serviceActor, type Occurrence } from "../../webhooks/record-messages.ts";
import { hiddenVersions } from "../marks/marks.ts";

export interface NewFindings {
  version: VersionDoc;
  count: number;
}

/** Looks through the versions that are not copied to the collection yet. */
export async function listNewFindings(
  app: App,
  skill: Pick<SkillToProject, "_id" | "pending" | "marks">,
): Promise<NewFindings[]> {
  const hidden = hiddenVersions(skill);
  const found = await Promise.all(
    skill.pending.map(async (row): Promise<NewFindings[]> => {
      const { version, findings } = row;
      if (!findings || findings.ids.length === 0 || hidden.includes(version)) return [];
      const first = await app.storage.versions.findFirstWith(skill._id, version, findings.ids);
      const count = findings.ids.filter((id) => (first.get(id) ?? version) === version).length;
      return count === 0 ? [] : [{ version: row, count }];
    }),
  );
  return found.flat();
}

/** Reports them to webhooks. May run twice. */
export async function reportNewFindings(app: App, skills: readonly SkillToProject[]): Promise<void> {
  const occurrences = await Promise.all(
    skills.map(async (skill) =>
      (await listNewFindings(app, skill)).map(({ version, count }): Occurrence => ({
        id: `findings_${version._id}`,
        type: "skill.findings_reported",
        tenantId: skill.tenantId,
        at: version.createdAt,
        actor: serviceActor,
        resourceType: "skill",
        resourceId: skill._id,
        semver: version.semver,
        facts: { findings: count },
      })),
    ),
  );
  await recordMessages(app, occurrences.flat());
}
