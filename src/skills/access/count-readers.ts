/** Members who can read a skill: a new one, and one before and after a change of its folder or visibility. */
import type { AudienceSizePayload, MovedReadersPayload } from "../../../contract/payloads/skills/exposure.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { AccessTarget } from "../../folders/access/token-access.ts";
import { loadFolderView, type FolderView } from "../../folders/load.ts";
import { countReaders } from "../../folders/tree/moved-readers.ts";
import { folderAtPath } from "../../folders/tree/paths.ts";
import { loadTenant } from "../../orgs/service.ts";
import type { ReadersQuery } from "../schema.ts";
import { checkSkillPermissionIn } from "../settings/place.ts";
import { mayManageAccess } from "./effective.ts";
import { skillAudience, type Exposed } from "./exposure.ts";

/** The members' names are shown to those who may manage the access before and after, as in `effective.ts`. */
export function countSkillReaders(
  app: App,
  view: FolderView,
  skill: Pick<SkillDoc, "tenantId" | "takedown" | "folderId" | "visibility">,
  after: Exposed,
): Promise<MovedReadersPayload> {
  const { tenantId, takedown } = skill;
  const targetOf = ({ folderId, visibility }: Exposed): AccessTarget => ({
    tree: view.tree,
    folderId,
    subject: (context) => ({ tenantId, visibility, isTakenDown: takedown !== undefined, context }),
  });
  const showsNames = [skill, after].every(({ folderId }) => mayManageAccess(view, { tenantId, folderId }));
  return countReaders(app, view.actor, [targetOf(skill), targetOf(after)], showsNames);
}

/** Readers that a new skill would have. Requires `skill:create` in its folder. */
export async function countNewReaders(
  app: App,
  actor: Actor,
  tenantRef: string,
  { folder, visibility }: ReadersQuery,
): Promise<AudienceSizePayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const view = await loadFolderView(app, actor, tenant._id);
  const folderId = folder === undefined ? null : folderAtPath(view, folder);
  checkSkillPermissionIn(view, "skill:create", folderId, tenant.slug);
  const skill = { tenantId: tenant._id, folderId, visibility };
  const { after } = await countSkillReaders(app, view, skill, skill);
  return { visibility: skillAudience(view.tree, { takedown: undefined }, skill).kind, members: after };
}
