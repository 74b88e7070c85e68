/** The access of each member and token to a skill, with its reasons, for those who may manage the access. */
import type { AccessAction } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { decideTenant } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { forbidden, notFound } from "../../errors.ts";
import { accessOfMember, accessOfToken, listAccess } from "../../folders/access/effective.ts";
import { targetFolder, type AccessTarget, type PrincipalAccess } from "../../folders/access/token-access.ts";
import { isAllowed, loadFolder, loadFolderView, type FolderView } from "../../folders/load.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";
import type { Page } from "../../http/route.ts";
import type { MemberQuery } from "../../orgs/schema.ts";
import { loadTenant } from "../../orgs/service.ts";
import { loadSkill } from "../load.ts";
import type { CheckAccess } from "../schema.ts";

/** A page of the members and tokens with their access to a skill. Throws `forbidden` or `not_found`. */
export async function listSkillAccess(
  app: App,
  actor: Actor,
  ref: string,
  query: MemberQuery,
): Promise<{ tree: FolderTree; page: Page<PrincipalAccess> }> {
  const target = await loadManagedSkill(app, actor, ref);
  return { tree: target.tree, page: await listAccess(app, actor, query, target) };
}

/** Whether a member or token may do something with a skill or in a folder of the organization. */
export async function checkAccess(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CheckAccess,
): Promise<{ tree: FolderTree; access: PrincipalAccess; allowed: boolean }> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const target = await loadTarget(app, actor, input);
  // Found by its id in another organization of the caller.
  if (target.tree.tenantId !== tenant._id) {
    if (input.skill !== undefined) throw notFound("skill", input.skill);
    throw notFound("folder", input.folderId ?? "");
  }
  const access =
    input.principal === undefined
      ? await accessOfMember(app, actor, input.userId ?? "", target)
      : await accessOfToken(app, actor, input.principal.id, target);
  const action: AccessAction = input.action;
  return { tree: target.tree, access, allowed: access.can.includes(action) };
}

async function loadTarget(app: App, actor: Actor, input: CheckAccess): Promise<AccessTarget> {
  if (input.skill !== undefined) return loadManagedSkill(app, actor, input.skill);
  const { folder, view } = await loadFolder(app, actor, input.folderId ?? "", "folder:manageAcl");
  return targetFolder(view.tree, folder._id);
}

async function loadManagedSkill(app: App, actor: Actor, ref: string): Promise<AccessTarget> {
  const skill = await loadSkill(app, actor, ref, "skill:read", { follow: true });
  const { tenantId, folderId, visibility, takedown } = skill;
  const view = await loadFolderView(app, actor, tenantId);
  if (!mayManageAccess(view, skill))
    throw forbidden(`Your role, grant or token does not allow folder:manageAcl for "${skill.slug}".`, {
      kind: "skill",
      ref,
    });
  const isTakenDown = takedown !== undefined;
  return {
    tree: view.tree,
    folderId,
    subject: (context) => ({ tenantId, visibility, isTakenDown, context }),
  };
}

/** The access to a skill is managed by its folder; at the root, by the organization's owners and admins. */
export function mayManageAccess(
  view: FolderView,
  { tenantId, folderId }: Pick<SkillDoc, "tenantId" | "folderId">,
): boolean {
  if (folderId !== null) return isAllowed(view, "folder:manageAcl", folderId);
  return decideTenant(view.actor, "folder:manageAcl", tenantId) === "allowed";
}
