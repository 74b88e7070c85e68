/** Content that was taken down can't be published again in the same tenant, under any name, unless it stays private. */
import { limits } from "../../../../contract/limits.ts";
import type { SkillDoc } from "../../../../storage/skills/skills.ts";
import type { App } from "../../../app.ts";
import { ServiceError } from "../../../errors.ts";
import { listHashes } from "../../versions/versions.ts";
import type { VersionSource } from "./text-source.ts";

type Publication = Pick<SkillDoc, "tenantId" | "slug" | "visibility">;

/** Throws `refused` for a new version with such content, unless only members can read the skill. */
export async function checkVersionContent(
  app: App,
  skill: Publication & Pick<SkillDoc, "takedown">,
  hash: string,
): Promise<void> {
  if (isReadByMembersOnly(skill)) return;
  const refused = await app.storage.refusedContents.find(skill.tenantId, hash);
  if (refused) throw contentRefused(skill, refused.reason);
}

/**
 * Throws the same error for a source that is not written as a version yet. Its content is hashed only if the tenant has
 * refused content.
 */
export async function checkSourceContent(
  app: App,
  skill: Publication & Pick<SkillDoc, "takedown">,
  source: Pick<VersionSource, "contentHash">,
): Promise<void> {
  if (isReadByMembersOnly(skill)) return;
  const refused = await app.storage.refusedContents.list(skill.tenantId, 1);
  if (refused.length > 0) await checkVersionContent(app, skill, await source.contentHash());
}

const isReadByMembersOnly = ({ visibility, takedown }: Pick<SkillDoc, "visibility" | "takedown">) =>
  visibility === "private" || takedown !== undefined;

/** Throws `refused` before a skill becomes visible to others if any of its versions has such content. */
export async function checkAllContent(app: App, skill: SkillDoc): Promise<void> {
  if (skill.takedown) return;
  const refused = await app.storage.refusedContents.list(skill.tenantId, limits.refusedContents);
  if (refused.length === 0) return;
  const hashes = new Set(await listHashes(app, skill));
  const found = refused.find(({ hash }) => hashes.has(hash));
  if (found) throw contentRefused(skill, found.reason);
}

function contentRefused({ slug }: Publication, reason: string): ServiceError {
  return new ServiceError(
    "refused",
    `"${slug}" has content that an administrator of this service has taken down: ${reason}. Keep the skill private, or change the content.`,
    { kind: "content", ref: slug },
  );
}
