/** Reads of workspaces: a member's own, and all of them for members who manage them. */
import type { WorkspaceState } from "../../contract/vocabulary.ts";
import type { FolderNode } from "../../storage/folders/folders.ts";
import type { Account } from "../../storage/users/users.ts";
import type { WorkspaceDoc } from "../../storage/workspaces/workspaces.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant } from "../access/decide.ts";
import type { App } from "../app.ts";
import type { FolderTree } from "../folders/tree/tree.ts";
import { loadTree } from "../folders/tree/trees.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { Page } from "../http/route.ts";
import { loadTenant } from "../orgs/service.ts";
import { loadManaged } from "./load.ts";
import { WorkspaceCursor, type WorkspaceQuery } from "./schema.ts";

/** A workspace with its folder and its owner, if they exist. */
export interface Workspace {
  row: WorkspaceDoc;
  folder: FolderNode | undefined;
  path: string | undefined;
  account: Account | undefined;
}

export interface WorkspaceOverview {
  enabled: boolean;
  own: Workspace | undefined;
  /** Only for callers who may manage them. */
  managed?: {
    root: { folder: FolderNode; path: string } | undefined;
    counts: ReadonlyMap<WorkspaceState, number>;
    failed: Workspace[];
  };
}

const failedShown = 50;

export async function readOverview(app: App, actor: Actor, tenantRef: string): Promise<WorkspaceOverview> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "member");
  const { workspaces, workspaceSettings } = app.storage;
  const [settings, row, tree] = await Promise.all([
    workspaceSettings.find(tenantId),
    actor.kind === "user" ? workspaces.find(tenantId, actor.userId) : null,
    loadTree(app, tenantId),
  ]);
  const [own] = row ? await describe(app, tree, [row]) : [];
  const overview = { enabled: settings?.enabled ?? false, own };
  if (decideTenant(actor, "personalWorkspace:manage", tenantId) !== "allowed") return overview;
  const [counts, failed] = await Promise.all([
    workspaces.countStates(tenantId),
    workspaces.list({ tenantId, state: "failed", limit: failedShown }),
  ]);
  const folder = tree.managedRoot();
  const root = folder && { folder, path: tree.path(folder._id) };
  return { ...overview, managed: { root, counts, failed: await describe(app, tree, failed) } };
}

/** A page of workspaces in the order of their creation. */
export async function listWorkspaces(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: WorkspaceQuery,
): Promise<Page<Workspace>> {
  const { _id: tenantId } = await loadManaged(app, actor, tenantRef);
  const at = decodeCursor(input.cursor, WorkspaceCursor);
  const rows = await app.storage.workspaces.list({
    tenantId,
    state: input.state,
    after: at?.[0],
    limit: input.limit + 1,
  });
  const page = pageOf(rows, input.limit, (last) => [last._id]);
  const tree = await loadTree(app, tenantId);
  return new Page(await describe(app, tree, page.items), page.nextCursor);
}

async function describe(app: App, tree: FolderTree, rows: WorkspaceDoc[]): Promise<Workspace[]> {
  const accounts = rows.length > 0 ? await app.storage.users.listByIds(rows.map((row) => row.userId)) : [];
  const byId = new Map(accounts.map((account) => [account._id, account]));
  return rows.map((row) => {
    const folder = tree.workspaceOf(row.userId);
    return { row, folder, path: folder && tree.path(folder._id), account: byId.get(row.userId) };
  });
}
