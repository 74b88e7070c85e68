/**
 * Audit entries as changes for one caller. An entry is reported only if the caller may read its subject now: the same
 * decisions as on the routes of skills, folders, members and so on, from facts that are read after the entry.
 */
import type { ChangeType } from "../../contract/dashboard/lists.ts";
import type { ChangePayload } from "../../contract/payloads/service/events.ts";
import type { EventName, Permission } from "../../contract/vocabulary.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { actorId, type Actor } from "../access/actor.ts";
import {
  bypassesRestrictions,
  decideTenant,
  isAllowedIn,
  isNarrowed,
  limitsOf,
  membershipIn,
} from "../access/decide.ts";
import { readsEverySkill } from "../access/repository.ts";
import type { App } from "../app.ts";
import { accessContextIn, isVisible } from "../folders/load.ts";
import type { FolderTree } from "../folders/tree/tree.ts";
import { loadTrees } from "../folders/tree/trees.ts";
import { keepAllowed, withActs } from "../skills/load.ts";

/** Types of the subjects in organizations that one permission decides about; `member`: any member. */
const plain: Partial<Record<string, { type: ChangeType; permission: Permission | "member" }>> = {
  user: { type: "member", permission: "member:read" },
  team: { type: "team", permission: "member:read" },
  role: { type: "role", permission: "member:read" },
  invitation: { type: "invitation", permission: "member:invite" },
  token: { type: "token", permission: "apiToken:manage" },
  policy: { type: "policy", permission: "oidc:manage" },
  repository: { type: "sync", permission: "githubSync:read" },
  organization: { type: "organization", permission: "member" },
};

const deletions = /deleted$|revoked$|removed$|left$|disconnect$/;

/** Events about versions that are held: a release is an event of its own. */
const aboutHeld: readonly EventName[] = ["skill.version_approved", "skill.scan_overridden"];

/** Whether an entry is about a version that only those who may update or review the skill see. */
const isUnseen = ({ name, metadata }: EventRow) => metadata["unseen"] === true || aboutHeld.includes(name);

/** The changes that a caller may know of, in the order of the entries. */
export async function visibleChanges(
  app: App,
  actor: Actor,
  rows: readonly EventRow[],
): Promise<ChangePayload[]> {
  const inOrganizations = rows.filter(
    (row) => row.tenantId !== undefined && membershipIn(actor, row.tenantId),
  );
  const needTree = inOrganizations.filter(({ resourceType }) =>
    ["skill", "collection", "folder", "mcpServer"].includes(resourceType),
  );
  const skillIds = needTree.filter((row) => row.resourceType === "skill").map((row) => row.resourceId);
  const skills = skillIds.length > 0 ? await app.storage.skills.listByIds([...new Set(skillIds)]) : [];
  const allowed = await keepAllowed(app, actor, "skill:read", skills);
  const readable = new Set(allowed.map(({ _id }) => _id));
  const withHeld = needTree.some(isUnseen) ? await withActs(app, actor, allowed) : [];
  const seenWhole = new Set(
    withHeld.filter(({ can }) => can?.includes("update") || can?.includes("review")).map(({ _id }) => _id),
  );
  const existing = new Set(skills.map(({ _id }) => _id));
  const trees = await loadTrees(app, [...new Set(needTree.map((row) => row.tenantId!))]);
  const mayKnow = (row: EventRow): ChangeType | undefined => {
    // Copies of personal events are for readers of the log only (`audit/fan-out.ts`).
    if (row._id.includes(".")) return undefined;
    if (row.tenantId === undefined) return ownChange(actor, row);
    if (!membershipIn(actor, row.tenantId)) return undefined;
    const { resourceType, resourceId } = row;
    const tree = trees.get(row.tenantId);
    if (resourceType === "skill") {
      if (isUnseen(row)) return seenWhole.has(resourceId) ? "skill" : undefined;
      const isReadable = existing.has(resourceId) ? readable.has(resourceId) : sawSkill(actor, tree, row);
      return isReadable ? "skill" : undefined;
    }
    if (resourceType === "collection")
      return tree && seesCollection(actor, tree, row) ? "collection" : undefined;
    if (resourceType === "folder") return tree && seesFolder(actor, tree, row) ? "folder" : undefined;
    if (resourceType === "mcpServer") return tree && seesServer(actor, tree, row) ? "mcpServer" : undefined;
    if (resourceType === "workspace") return seesWorkspace(actor, row) ? "workspace" : undefined;
    const rule = plain[resourceType];
    return rule && decideTenant(actor, rule.permission, row.tenantId) === "allowed" ? rule.type : undefined;
  };
  return rows.flatMap((row) => {
    const type = mayKnow(row);
    return type === undefined ? [] : [present(actor, row, type)];
  });
}

function present(actor: Actor, row: EventRow, type: ChangeType): ChangePayload {
  return {
    type,
    id: row.resourceId,
    tenantId: row.tenantId ?? null,
    deleted: deletions.test(row.name),
    own: row.actor.id !== null && row.actor.id === actorId(actor),
  };
}

/** A person's own account and tokens, which a narrowed token does not see. */
function ownChange(actor: Actor, row: EventRow): ChangeType | undefined {
  if (actor.kind !== "user" || row.userId !== actor.userId || isNarrowed(limitsOf(actor))) return undefined;
  return row.resourceType === "token" ? "token" : "account";
}

/** Whether the actor could read a skill that is deleted, by the folder that it was in. */
function sawSkill(actor: Actor, tree: FolderTree | undefined, { tenantId, metadata }: EventRow): boolean {
  const folderId = metadata["folderId"];
  if (!tree || folderId === undefined) return readsEverySkill(actor, tenantId!);
  const context = accessContextIn(tree, actor, folderIdOf(folderId));
  return isAllowedIn(actor, "skill:read", tenantId!, context);
}

/** Its entries name the folder that it is in. */
function seesServer(actor: Actor, tree: FolderTree, { tenantId, metadata }: EventRow): boolean {
  const context = accessContextIn(tree, actor, folderIdOf(metadata["folderId"]));
  return isAllowedIn(actor, "mcpServer:read", tenantId!, context);
}

/** Its entries name the folder that it is in. */
function seesCollection(actor: Actor, tree: FolderTree, { tenantId, metadata }: EventRow): boolean {
  const context = accessContextIn(tree, actor, folderIdOf(metadata["folderId"]));
  return isAllowedIn(actor, "skill:read", tenantId!, context);
}

const folderIdOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** A deleted folder that was restricted itself has no grants any more. */
function seesFolder(actor: Actor, tree: FolderTree, { tenantId, resourceId, metadata }: EventRow): boolean {
  if (tree.get(resourceId)) return isVisible({ tree, actor }, resourceId);
  const { parentId, restricted } = metadata;
  if (parentId === undefined || restricted === true) return bypassesRestrictions(actor, tenantId!);
  const context = accessContextIn(tree, actor, folderIdOf(parentId));
  return isAllowedIn(actor, "skill:read", tenantId!, context);
}

function seesWorkspace(actor: Actor, { tenantId, resourceId }: EventRow): boolean {
  if (actor.kind === "user" && actor.userId === resourceId && !isNarrowed(limitsOf(actor))) return true;
  return decideTenant(actor, "personalWorkspace:manage", tenantId) === "allowed";
}
