/** Input of the calls of the API. */
import type { PublishMode, Visibility } from "../../contract/vocabulary.ts";

/** The content of a version: a text, or a staged zip. */
export type ContentInput = { content: string } | { uploadId: string };

export type PublishInput = ContentInput & {
  mode: PublishMode;
  tenantId?: string;
  name: string;
  type?: string;
  /** Type of a new skill, if `type` is not set. */
  defaultType?: string;
  visibility?: string;
  message?: string;
  folder?: string;
  createFolders?: boolean;
  personal?: boolean;
  ifChanged?: true;
  /** Replaces the previous list; unchanged if absent. */
  requiredMcpServers?: { tenantSlug: string; slug: string }[];
  /** `contract/package/content-location.ts`. */
  contentLocation?: string;
};

export type ShareInput = ContentInput & { name: string; type?: string };

export interface SkillChange {
  name?: string;
  description?: string;
  tags?: string[];
  visibility?: Visibility;
  /** Null removes it. */
  deprecated?: string | null;
  /** Null removes it. */
  ownerTeamId?: string | null;
}

export interface TokenInput {
  name: string;
  expiresInDays?: number;
  scopes?: Record<string, string[]>;
}

export type PushInput = ContentInput & {
  message?: string;
  semver?: string;
  bump?: string;
  prerelease?: true | string;
  ifChanged?: true;
  contentLocation?: string;
};

export interface Digests {
  format: string;
  hash: string;
  frontmatterHash?: string;
}

export type PlanInput = Omit<PublishInput, "content" | "uploadId" | "message" | "ifChanged"> & Digests;
export type PlanPushInput = Pick<PushInput, "semver" | "bump" | "prerelease"> & Digests;
