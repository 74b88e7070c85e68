/** Folders of MCP servers: who may put one there, or take it out. */
import type { Actor } from "../access/actor.ts";
import { isAllowedIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { forbidden, notFound } from "../errors.ts";
import { checkMayTakeOut } from "../folders/access/exposure.ts";
import { accessContextIn, isVisible, loadFolderView } from "../folders/load.ts";
import { refuseManagedRoot } from "../folders/tree/refusals.ts";
import type { SeenServer } from "./load.ts";

/** Requires `mcpServer:create` in a folder, or at the root. */
export async function requireFolder(
  app: App,
  actor: Actor,
  tenant: { _id: string; slug: string },
  folderId: string | null,
): Promise<SeenServer["context"]> {
  const permission = "mcpServer:create";
  if (folderId === null) {
    if (isAllowedIn(actor, permission, tenant._id, null)) return null;
    throw forbidden(`Your role or token does not allow ${permission} at the root of "${tenant.slug}".`);
  }
  const view = await loadFolderView(app, actor, tenant._id);
  if (!isVisible(view, folderId)) throw notFound("folder", folderId);
  const context = accessContextIn(view.tree, actor, folderId);
  const path = view.tree.path(folderId);
  if (!isAllowedIn(actor, permission, tenant._id, context))
    throw forbidden(`Your role, grant or token does not allow ${permission} in folder "${path}".`, {
      kind: "folder",
      ref: path,
    });
  refuseManagedRoot(view.tree, folderId);
  return context;
}

/** Leaving a restricted folder takes the right to lift its restriction, as for skills. */
export async function requireMove(
  app: App,
  actor: Actor,
  tenant: { _id: string; slug: string },
  { server, context }: SeenServer,
  folderId: string | null,
): Promise<SeenServer["context"]> {
  if (folderId === server.folderId) return context;
  const target = await requireFolder(app, actor, tenant, folderId);
  const subject = { kind: "mcpServer" as const, ref: server.slug, name: server.name };
  checkMayTakeOut(await loadFolderView(app, actor, tenant._id), server.folderId, folderId, subject);
  return target;
}
