/** Document of a skill, and its indexes. */
import type { Filter } from "mongodb";
import type { FlaggedVerdict } from "../../contract/scan/policy.ts";
import type { HoldReason, SkillType, Visibility } from "../../contract/vocabulary.ts";
import type { WithOutbox } from "../outbox.ts";
import type { VersionDoc } from "../versions/versions.ts";
/** Fields of a version that the skill document repeats, so that reads of the current version need one query. */
export type VersionSummary = Pick<
  VersionDoc,
  | "version"
  | "semver"
  | "oid"
  | "digest"
  | "hash"
  | "frontmatter"
  | "format"
  | "fileCount"
  | "totalBytes"
  | "findings"
  | "contentLocation"
> & { versionId: string };

/** The state of a version that is not simply published. */
export interface VersionMark {
  version: number;
  semver: string;
  /** Message of a deprecated version. */
  deprecated?: string;
  /** Only its number or exact semver selects it. Never set for the current version. */
  yanked?: true;
  /** Why it is yanked. */
  reason?: string;
  /** Why it is held: only those who may update or review the skill see it. Never empty. */
  held?: HoldReason[];
  /** Set for a version that stays hidden: the reviewer's reason. */
  rejected?: string;
  /** A scan's verdict about which readers are warned. */
  verdict?: FlaggedVerdict;
  /** The verdict against which a person has released it. */
  accepted?: FlaggedVerdict;
  /** The person whose session or token published it, who can't approve it, and the approvals that it has. */
  review?: { publisherIds?: readonly string[]; approvals: { userId: string; at: Date }[] };
  /** Fields of the skill that the version changes when it is released. */
  fields?: Partial<Pick<SkillDoc, "description" | "tags">>;
}

/** A named pointer to a version. The version is published, deprecated or held: never yanked or rejected. */
export interface Channel {
  name: string;
  version: number;
  semver: string;
  movedAt: Date;
}

/**
 * The last decision for a version other than the highest: installs resolve to it, or to a higher version that was
 * published after version `head`.
 */
export interface VersionChoice {
  semver: string;
  head: number;
}

/** A finding that a member has looked at; it applies to every version with the finding. */
export interface FindingReview {
  id: string;
  at: Date;
  by: { id: string; name: string; username: string } | null;
  note?: string;
}

export interface Takedown {
  reason: string;
  at: Date;
  by: { id: string; username: string };
}

/** Pending follow-up of a takedown or its end; the reconcile job completes it after a crash. */
export interface TakedownFollowUp {
  kind: "taken-down" | "lifted";
  reason: string;
  since: Date;
}

export interface SkillDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  tenantSlug: string;
  publicId: string;
  slug: string;
  name: string;
  /** Case-folded name, for look-ups by name and by prefix. */
  nameKey: string;
  description: string;
  type: SkillType;
  visibility: Visibility;
  tags: string[];
  folderId: string | null;
  /** Team of its organization that looks after it, which may not exist any more. No right follows from it. */
  ownerTeamId?: string;
  /** Restricted folder whose restriction is in effect. Derived, for lists; direct reads use the tree. */
  effectiveRestrictionId: string | null;
  /** Whether the catalog shows it: public, unrestricted, not taken down, not deleted. Derived, for its indexes. */
  listed: boolean;
  /** Beginning of the text, for search. */
  excerpt: string;
  createdBy: string;
  author: { id: string; name: string; username: string } | null;
  createdAt: Date;
  updatedAt: Date;
  /** Number of the write that changed the document; data derived from an older revision never overwrites newer data. */
  revision: number;
  /** Newest version, including prereleases: the parent of the next commit. */
  head: { version: number; oid: string };
  /** Highest release ever published; absent in documents of earlier versions of the service. */
  highestRelease?: string;
  /** Highest version, including prereleases; only in documents of earlier versions of the service. */
  highestSemver?: string;
  /** The version that installs resolve to. */
  current: VersionSummary;
  /** MCP servers of its organization that it requires while it is private. Some may not exist any more. */
  requiredServerIds?: string[];
  /** The skill of which it is a copy, which may not exist any more. */
  origin?: { skillId: string; version: number; copiedAt: Date };
  /** Versions that are not simply published, in ascending order. */
  marks?: VersionMark[];
  /** By name; absent if there are none. */
  channels?: Channel[];
  /** Absent while the highest release is current. */
  choice?: VersionChoice;
  /** Message of a skill that its publishers advise against. */
  deprecated?: string;
  /**
   * Set while no version can be installed; `current` is then the last one that could be. `unreleased`: none ever could,
   * so only those who may update or review the skill see it. `withdrawn`: all released ones are withdrawn.
   */
  withheld?: "unreleased" | "withdrawn";
  /** Set while a version waits for a review. */
  waitingSince?: Date;
  reviews?: FindingReview[];
  downloads: number;
  /** Bytes of the packs of its repository; absent until they are measured. */
  storedBytes?: number;
  /** Number of the last batch that is included in `downloads`. */
  downloadsThrough?: number;
  /** Versions that exist but are not in the collection `versions` yet. */
  pending: VersionDoc[];
  /** Set while its organization waits to be erased: it is invisible, and `listed` is false. */
  suspended?: true;
  /** Set while the skill is taken down: only members of its organization see it. */
  takedown?: Takedown;
  takedownFollowUp?: TakedownFollowUp;
  /** Set when the skill was deleted; a job erases the rest. */
  deletedAt?: Date;
}

export const notDeleted: Filter<SkillDoc> = { deletedAt: { $exists: false } };
/** Skills that are neither deleted nor suspended. */
export const visible: Filter<SkillDoc> = { ...notDeleted, suspended: { $exists: false } };
