/** Readers of a skill before and after a change of its folder or visibility. */
import type { ExposurePayload } from "../../../contract/payloads/skills/exposure.ts";
import type { Visibility } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import { audienceOf, type Audience } from "../../access/exposure.ts";
import type { App } from "../../app.ts";
import { presentExposure, restrictionIn, type AudienceChange } from "../../folders/access/exposure.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";

export interface SkillExposure extends AudienceChange {
  /** Versions besides the current one. */
  otherVersions: number;
}

/** Folder and visibility of a skill. */
export interface Exposed {
  folderId: string | null;
  visibility: Visibility;
}

export function skillAudience(
  tree: FolderTree,
  { takedown }: Pick<SkillDoc, "takedown">,
  { folderId, visibility }: Exposed,
): Audience {
  return audienceOf(restrictionIn(tree, folderId), takedown ? "private" : visibility);
}

export function skillExposure(
  tree: FolderTree,
  skill: Pick<SkillDoc, "tenantId" | "head" | "takedown">,
  before: Exposed,
  after: Exposed,
): SkillExposure {
  return {
    tenantId: skill.tenantId,
    before: skillAudience(tree, skill, before),
    after: skillAudience(tree, skill, after),
    otherVersions: skill.head.version - 1,
  };
}

/** Anyone who can read one version of a skill can read all of them. */
export async function presentSkillExposure(app: App, change: SkillExposure): Promise<ExposurePayload> {
  const exposure = await presentExposure(app, change);
  return exposure.widened ? { ...exposure, versions: change.otherVersions } : exposure;
}
