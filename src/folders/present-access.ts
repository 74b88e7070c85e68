/** The access of members as it crosses the wire, with the names of roles, teams and folders. */
import type {
  AccessReasonPayload,
  EffectiveAccessPayload,
  PlannedAccessPayload,
} from "../../contract/payloads/folders.ts";
import { isId } from "../../storage/database.ts";
import type { AccessReason } from "../access/explain.ts";
import type { App } from "../app.ts";
import type { MemberAccess } from "./effective.ts";
import type { FolderTree } from "./tree.ts";

export async function presentAccess(
  app: App,
  tree: FolderTree,
  members: readonly MemberAccess[],
): Promise<EffectiveAccessPayload[]> {
  const ids = [...new Set(members.flatMap(({ reasons }) => reasons.flatMap(idOf)).filter(isId))];
  const [roles, teams] = await Promise.all([
    ids.length > 0 ? app.storage.roles.listByIds(ids) : [],
    ids.length > 0 ? app.storage.teams.listByIds(ids) : [],
  ]);
  const names = new Map([...roles, ...teams].map(({ _id, name }) => [_id, name]));
  return members.map((member) => ({
    principal: principalOf(member),
    can: member.can,
    reasons: member.reasons.map((reason) => presentReason(reason, tree, names, member)),
  }));
}

export function presentPlanned(member: MemberAccess & { before: MemberAccess["can"] }): PlannedAccessPayload {
  return { principal: principalOf(member), before: member.before, can: member.can };
}

function principalOf({ userId, username }: MemberAccess): EffectiveAccessPayload["principal"] {
  return { type: "member", id: userId, name: username };
}

function idOf(reason: AccessReason): string[] {
  if (reason.kind === "role" || reason.kind === "team") return [reason.id];
  return reason.kind === "grant" ? [reason.grant.id] : [];
}

function presentReason(
  reason: AccessReason,
  tree: FolderTree,
  names: ReadonlyMap<string, string>,
  member: MemberAccess,
): AccessReasonPayload {
  const { kind } = reason;
  if (kind === "role" || kind === "team") {
    // The id of a built-in role is its name.
    const name = names.get(reason.id) ?? (isId(reason.id) ? undefined : reason.id);
    return { kind, id: reason.id, ...(name === undefined ? {} : { name }) };
  }
  if (kind === "grant") {
    const { type, id, level } = reason.grant;
    const name = type === "member" ? member.username : names.get(id);
    return { kind, type, id, ...(name === undefined ? {} : { name }), level };
  }
  if (kind === "ungranted") return { kind, id: reason.folderId, name: tree.path(reason.folderId) };
  return { kind };
}
