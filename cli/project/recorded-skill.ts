/** An installed version to record in a project's files. */
import type { SkillPayload, VersionPayload } from "../../contract/payloads/skills/skills.ts";
import type { Target } from "../../contract/vocabulary.ts";
import type { InstallationRecord } from "../state/config.ts";

/** Facts about an installed version that the local state does not have. */
export interface RecordedVersion {
  skill: Pick<SkillPayload, "publicId" | "slug" | "tenantSlug" | "name" | "description" | "type">;
  version: Pick<VersionPayload, "version" | "semver" | "hash" | "frontmatterHash" | "commit" | "format">;
  /** The skill belongs to one of the user's organizations. */
  own: boolean;
}

export interface RecordedSkill extends RecordedVersion {
  installName: string;
  /** Records of the skill in this project. */
  records: readonly InstallationRecord[];
  /** Replaces a previous name of the skill in the files. */
  renames?: boolean;
  /** The user's request, written into the manifest. Without it, the manifest stays as it is. */
  request?: {
    range: string;
    /** Requested targets; none if only a pin was requested. */
    targets: readonly Target[];
    /** Requested further locations. */
    also: readonly string[];
  };
}
