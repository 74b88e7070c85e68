import type {
  WorkspacePayload,
  WorkspaceSettingsPayload,
} from "../../contract/payloads/organizations/workspaces.ts";
import type { Workspace, WorkspaceOverview } from "./list.ts";

export function presentWorkspace({ row, folder, path, account }: Workspace): WorkspacePayload {
  return {
    userId: row.userId,
    username: account?.username,
    name: account?.name,
    state: row.state,
    folderId: folder?._id ?? null,
    path: path ?? null,
    attempts: row.attempts,
    error: row.error,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export function presentOverview({ enabled, own, managed }: WorkspaceOverview): WorkspaceSettingsPayload {
  const seen = {
    enabled,
    own: own ? { state: own.row.state, folderId: own.folder?._id ?? null, path: own.path ?? null } : null,
  };
  if (!managed) return seen;
  const { root, counts, failed } = managed;
  const of = (state: Workspace["row"]["state"]) => counts.get(state) ?? 0;
  return {
    ...seen,
    folder: root ? { id: root.folder._id, name: root.folder.name, path: root.path } : null,
    counts: {
      scheduled: of("scheduled"),
      provisioned: of("provisioned"),
      failed: of("failed"),
      left: of("left"),
      deleting: of("deleting"),
    },
    failed: failed.map(presentWorkspace),
  };
}
