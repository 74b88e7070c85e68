/** The caller's own workspaces, for publishing to them and listing their content. */
import { retryLost } from "../../contract/concurrency/retry-lost.ts";
import type { FolderNode } from "../../storage/folders/folders.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, unauthenticated } from "../errors.ts";
import { loadTree, loadTrees } from "../folders/tree/trees.ts";
import { provisionRows } from "./provision.ts";
import { scheduleMember } from "./schedule.ts";

/** Throws `refused` for an organization's token and an anonymous key, which don't belong to a user. */
function requirePerson(actor: Actor): UserActor {
  if (actor.kind === "user") return actor;
  if (actor.kind === "anonymous") throw unauthenticated();
  const whose = actor.kind === "organization" ? "An organization's token" : "An anonymous key";
  throw new ServiceError("refused", `${whose} has no personal workspace: use a member's personal token.`, {
    kind: "workspace",
  });
}

/**
 * Folder of the caller's workspace in an organization; created now if it does not exist. Throws `refused` or `conflict`
 * with a hint.
 */
export async function chooseWorkspace(
  app: App,
  actor: Actor,
  tenant: Pick<TenantDoc, "_id" | "slug">,
): Promise<string> {
  const user = await requireEnabled(app, actor, tenant);
  return (await ensureWorkspace(app, tenant._id, user))._id;
}

/** Folder of the caller's workspace; undefined if it does not exist. Throws `refused`. */
export async function findWorkspace(
  app: App,
  actor: Actor,
  tenant: Pick<TenantDoc, "_id" | "slug">,
): Promise<string | undefined> {
  const user = await requireEnabled(app, actor, tenant);
  return (await loadTree(app, tenant._id)).workspaceOf(user.userId)?._id;
}

async function requireEnabled(
  app: App,
  actor: Actor,
  tenant: Pick<TenantDoc, "_id" | "slug">,
): Promise<UserActor> {
  const user = requirePerson(actor);
  if (!(await app.storage.workspaceSettings.find(tenant._id))?.enabled)
    throw new ServiceError(
      "refused",
      `Personal workspaces are not enabled in "${tenant.slug}": its owners and admins can enable them.`,
      { kind: "workspace", ref: tenant.slug },
    );
  return user;
}

/** Folder of a member's workspace; created now if it does not exist. Throws `refused` or `conflict`. */
export async function ensureWorkspace(
  app: App,
  tenantId: string,
  member: { userId: string; username: string },
): Promise<FolderNode> {
  const { workspaces } = app.storage;
  const about = { kind: "workspace", ref: member.username } as const;
  const exhausted = () =>
    new ServiceError(
      "conflict",
      `The workspace of "${member.username}" is being created: try again in a moment.`,
      about,
    );
  return retryLost<FolderNode>({ attempts: 3, exhausted }, async () => {
    const row = await workspaces.find(tenantId, member.userId);
    if (row?.state === "provisioned") {
      const folder = (await loadTree(app, tenantId)).workspaceOf(member.userId);
      if (folder) return folder;
      await workspaces.reschedule([{ id: row._id, events: [] }], ["provisioned"], app.now());
    }
    if (row?.state === "deleting")
      throw new ServiceError(
        "conflict",
        `The previous workspace of "${member.username}" is being deleted: try again in a moment.`,
        about,
      );
    if (row?.state === "failed")
      throw new ServiceError(
        "refused",
        `The workspace of "${member.username}" could not be created: ${row.error} An owner or admin of the ` +
          "organization can retry it.",
        about,
      );
    await scheduleMember(app, tenantId, member);
    const scheduled = await workspaces.find(tenantId, member.userId);
    if (scheduled?.state === "scheduled") await provisionRows(app, tenantId, [scheduled]);
    return undefined;
  });
}

/** Folders of the caller's own workspaces with their subfolders, by organization. */
export async function ownWorkspaceFolders(
  app: App,
  actor: Actor,
  tenantIds: readonly string[],
): Promise<Map<string, string[]>> {
  const user = requirePerson(actor);
  const own = new Map<string, string[]>();
  for (const [tenantId, tree] of await loadTrees(app, tenantIds)) {
    const folder = tree.workspaceOf(user.userId);
    if (folder)
      own.set(
        tenantId,
        [...tree.subtree(folder._id)].map((node) => node._id),
      );
  }
  return own;
}
