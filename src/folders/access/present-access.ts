/** The access of members and tokens as it crosses the wire, with the names of roles, teams and folders. */
import type {
  AccessReasonPayload,
  EffectiveAccessPayload,
  PlannedAccessPayload,
} from "../../../contract/payloads/organizations/folders.ts";
import { isId } from "../../../storage/database.ts";
import type { PermissionMap } from "../../access/actor.ts";
import type { AccessReason } from "../../access/explain.ts";
import type { App } from "../../app.ts";
import { visibleFolders, type FolderView } from "../load.ts";
import type { FolderTree } from "../tree/tree.ts";
import type { PrincipalAccess } from "./token-access.ts";

export async function presentAccess(
  app: App,
  view: FolderView,
  members: readonly PrincipalAccess[],
): Promise<EffectiveAccessPayload[]> {
  const ids = [...new Set(members.flatMap(({ reasons }) => reasons.flatMap(idOf)).filter(isId))];
  const [roles, teams] = await Promise.all([
    ids.length > 0 ? app.storage.roles.listByIds(ids) : [],
    ids.length > 0 ? app.storage.teams.listByIds(ids) : [],
  ]);
  const names = new Map([...roles, ...teams].map(({ _id, name }) => [_id, name]));
  const isLimited = members.some(({ reasons }) =>
    reasons.some((reason) => reason.kind === "token" && reason.limits.allowedFolderIds),
  );
  const shown = { tree: view.tree, names, visible: isLimited ? visibleFolders(view) : new Set<string>() };
  return members.map((member) => ({
    principal: member.principal,
    can: member.can,
    reasons: member.reasons.map((reason) => presentReason(reason, shown, member)),
  }));
}

export function presentPlanned(
  member: PrincipalAccess & { before: PrincipalAccess["can"] },
): PlannedAccessPayload {
  return { principal: member.principal, before: member.before, can: member.can };
}

/** The tree, the names of roles and teams, and the folders that the caller sees. */
interface Shown {
  tree: FolderTree;
  names: ReadonlyMap<string, string>;
  visible: ReadonlySet<string>;
}

function idOf(reason: AccessReason): string[] {
  if (reason.kind === "role" || reason.kind === "team") return [reason.id];
  return reason.kind === "grant" ? [reason.grant.id] : [];
}

function presentReason(
  reason: AccessReason,
  { tree, names, visible }: Shown,
  member: PrincipalAccess,
): AccessReasonPayload {
  const { kind } = reason;
  if (kind === "role" || kind === "team") {
    // The id of a built-in role is its name.
    const name = names.get(reason.id) ?? (isId(reason.id) ? undefined : reason.id);
    return { kind, id: reason.id, name };
  }
  if (kind === "grant") {
    const { type, id, level } = reason.grant;
    const name = type === "member" ? member.principal.name : names.get(id);
    return { kind, type, id, name, level };
  }
  if (kind === "token") {
    const { scopes, allowedFolderIds: ids } = reason.limits;
    const folders = ids?.map((id) => ({ id, path: visible.has(id) ? tree.path(id) : null }));
    const limits = {
      scopes: scopes ? copyOf(scopes) : undefined,
      allowedFolders: folders,
    };
    return { kind, id: reason.id, name: reason.name, limits };
  }
  if (kind === "ungranted") return { kind, id: reason.folderId, name: tree.path(reason.folderId) };
  return { kind };
}

function copyOf(scopes: PermissionMap): Record<string, string[]> {
  return Object.fromEntries(Object.entries(scopes).map(([group, actions]) => [group, [...actions]]));
}
