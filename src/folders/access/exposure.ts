/** Readers of the content of a folder, and the rule about moving content out of a restricted one, decided on a tree. */
import {
  namedReaders,
  type AudiencePayload,
  type ExposurePayload,
} from "../../../contract/payloads/skills/exposure.ts";
import type { FolderGrant } from "../../../storage/folders/folders.ts";
import {
  isWider,
  leavesRestriction,
  mayLiftRestriction,
  type Audience,
  type Restriction,
} from "../../access/exposure.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { accessContextIn, type FolderView } from "../load.ts";
import type { FolderTree } from "../tree/tree.ts";

/** The restriction in effect in a folder; null is the organization's root. */
export function restrictionIn(tree: FolderTree, folderId: string | null): Restriction | null {
  const restrictedId = folderId === null ? null : tree.effectiveRestriction(folderId);
  return restrictedId === null ? null : restrictionOf(restrictedId, tree.grantsOn(restrictedId));
}

export function restrictionOf(folderId: string, grants: readonly FolderGrant[]): Restriction {
  return { folderId, grants: new Map(grants.map(({ id, level }) => [id, level])) };
}

/**
 * Throws `forbidden` if a move between two folders takes something out of a restriction that the actor may not lift.
 */
export function checkMayTakeOut(
  view: FolderView,
  fromId: string | null,
  toId: string | null,
  subject: { kind: "skill" | "folder" | "mcpServer"; ref: string; name: string },
): void {
  const { tree } = view;
  const from = restrictionIn(tree, fromId);
  if (!from) return;
  const to = {
    restriction: restrictionIn(tree, toId),
    isWithinFrom: toId !== null && tree.isWithin(toId, from.folderId),
  };
  if (!leavesRestriction(from, to) || mayLift(view, from.folderId)) return;
  throw forbidden(
    `Moving "${subject.name}" there takes it out of the restricted folder "${tree.path(from.folderId)}". ` +
      `That requires a manager grant on the folder, or folder:manageAcl.`,
    { kind: subject.kind, ref: subject.ref },
  );
}

/**
 * Throws `forbidden` unless the actor may lift every outermost restriction in a folder's subtree. The path of a
 * restricted folder is part of its protection: once it leads elsewhere, anyone could create an open folder there, and
 * callers that publish by path would write into it.
 */
export function checkMayChangePaths(view: FolderView, folderId: string): void {
  const { tree } = view;
  const path = tree.path(folderId);
  for (const node of tree.subtree(folderId)) {
    if (!node.restricted || isWithinLiftable(view, node._id, folderId)) continue;
    const subject =
      node._id === folderId
        ? `Folder "${path}" is restricted`
        : `Folder "${path}" contains a restricted folder`;
    throw forbidden(
      `${subject}. To rename, move or delete it, you need a manager grant on the restricted folder, or ` +
        "folder:manageAcl.",
      { kind: "folder", ref: folderId },
    );
  }
}

/** Whether a folder is, or lies within, a restricted folder of a subtree that the actor may lift the restriction of. */
function isWithinLiftable(view: FolderView, folderId: string, rootId: string): boolean {
  for (const node of view.tree.ancestry(folderId)) {
    if (node.restricted && mayLift(view, node._id)) return true;
    if (node._id === rootId) break;
  }
  return false;
}

function mayLift({ tree, actor }: FolderView, restrictedId: string): boolean {
  const workspace = tree.workspaceAround(restrictedId)?.managed;
  const isOwn = workspace?.kind === "workspace" && actor.kind === "user" && workspace.userId === actor.userId;
  return mayLiftRestriction(actor, tree.tenantId, accessContextIn(tree, actor, restrictedId)!, isOwn);
}

/** Readers before and after a change, as they were on the tree that the change was decided on. */
export interface AudienceChange {
  tenantId: string;
  before: Audience;
  after: Audience;
}

export async function presentExposure(app: App, change: AudienceChange): Promise<ExposurePayload> {
  const { before, after } = change;
  return {
    before: { visibility: before.kind },
    after: await presentAudience(app, change.tenantId, after),
    widened: isWider(before, after),
  };
}

/** Exposure of a folder, with the content that others than members can read once a restriction ends. */
export async function presentFolderExposure(
  app: App,
  change: AudienceChange & { uncovered: readonly string[] },
): Promise<ExposurePayload> {
  const exposure = await presentExposure(app, change);
  if (change.uncovered.length === 0) return exposure;
  const { skillLocations, mcpServers: servers, tenants } = app.storage;
  const [skills, tenant] = await Promise.all([
    skillLocations.countOpen(change.tenantId, change.uncovered),
    tenants.find(change.tenantId),
  ]);
  const mcpServers = tenant?.mcpRegistry ? await servers.countIn(change.tenantId, change.uncovered) : 0;
  return {
    ...exposure,
    skills,
    ...(mcpServers > 0 ? { mcpServers } : {}),
    widened: exposure.widened || skills.public + skills.unlisted + mcpServers > 0,
  };
}

/** Folders in a subtree whose content a restriction covers, and none would if that restriction ended. */
export function coveredBy(tree: FolderTree, folderId: string, restriction: Restriction | null): string[] {
  if (!restriction) return [];
  const inside: string[] = [];
  for (const node of tree.subtree(folderId))
    if (tree.effectiveRestriction(node._id) === restriction.folderId) inside.push(node._id);
  return inside;
}

async function presentAudience(app: App, tenantId: string, audience: Audience): Promise<AudiencePayload> {
  if (audience.kind !== "restricted") return { visibility: audience.kind };
  const ids = [...audience.restriction.grants.keys()];
  const [members, allTeams] = await Promise.all([
    app.storage.memberships.listByUserIds(tenantId, ids),
    app.storage.teams.listByIds(ids),
  ]);
  const teams = allTeams.filter((team) => team.tenantId === tenantId);
  return {
    visibility: "restricted",
    members: members.slice(0, namedReaders).map(({ userId, username }) => ({ id: userId, name: username })),
    memberCount: members.length,
    teams: teams.slice(0, namedReaders).map(({ _id, name }) => ({ id: _id, name })),
    teamCount: teams.length,
  };
}
