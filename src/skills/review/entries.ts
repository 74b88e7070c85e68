/** Decisions as pages show them, copied from the audit events of the writes that made them, and comments. */
import { limits } from "../../../contract/limits.ts";
import type { ReviewEntryPayload } from "../../../contract/payloads/skills/reviews.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import type { SkillDoc, SkillToProject } from "../../../storage/skills/skills.ts";
import type { VersionReviewDoc } from "../../../storage/versions/reviews.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { requireUser } from "../../users/load.ts";

const kinds: Partial<Record<EventName, "approved" | "rejected" | "overridden">> = {
  "skill.scan_overridden": "overridden",
  "skill.version_approved": "approved",
  "skill.version_rejected": "rejected",
};

/** Copies the decisions that the outboxes of skills report. May run twice. */
export async function recordDecisions(app: App, skills: readonly SkillToProject[]): Promise<void> {
  const rows = skills.flatMap(({ _id: skillId, tenantId, outbox = [] }) =>
    outbox.flatMap(({ _id, name, actor, metadata, createdAt: at }): VersionReviewDoc[] => {
      const kind = kinds[name];
      const { versionId, comment, reason } = metadata;
      const text = comment ?? reason;
      if (!kind || typeof versionId !== "string" || actor.id === null) return [];
      const by = { id: actor.id, username: actor.name };
      return [
        {
          _id,
          tenantId,
          skillId,
          versionId,
          kind,
          by,
          ...(typeof text === "string" && text !== "" && { text }),
          at,
        },
      ];
    }),
  );
  if (rows.length > 0) await app.storage.versionReviews.record(rows);
}

export async function listEntries(app: App, { _id, skillId }: VersionDoc): Promise<ReviewEntryPayload[]> {
  const rows = await app.storage.versionReviews.list(skillId, _id, limits.reviewEntries);
  return rows.map(presentEntry);
}

export interface Comment {
  text: string;
  path?: string;
  line?: number;
}

/** Adds a comment of the caller, who sees the version. Throws `limit_reached`. */
export async function addComment(
  app: App,
  actor: Actor,
  { tenantId, _id: skillId }: SkillDoc,
  { _id: versionId }: VersionDoc,
  comment: Comment,
): Promise<ReviewEntryPayload> {
  const { userId, username } = requireUser(actor);
  const before = await app.storage.versionReviews.list(skillId, versionId, limits.reviewEntries);
  if (before.length >= limits.reviewEntries)
    throw new ServiceError("limit_reached", `A version has at most ${limits.reviewEntries} comments.`);
  const by = { id: userId, username };
  const row = { _id: app.newId(), tenantId, skillId, versionId, kind: "comment" as const, by };
  const complete = { ...row, ...comment, at: app.now() };
  await app.storage.versionReviews.record([complete]);
  return presentEntry(complete);
}

const presentEntry = ({ _id: id, kind, by, text, path, line, at }: VersionReviewDoc): ReviewEntryPayload => ({
  id,
  kind,
  by,
  text,
  path,
  line,
  at: at.toISOString(),
});
