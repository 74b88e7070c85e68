/** Closed lists that only the dashboard and its calls use. */

/**
 * Acts on one skill or folder that a caller may be offered. Of a skill, `manage` changes who has access. Of a
 * folder, `read` and `publish` are about skills in it, `create` about folders in it, and `update` includes moving it.
 */
export const skillActs = ["read", "update", "delete", "manage", "analytics", "review"] as const;
export type SkillAct = (typeof skillActs)[number];
export const folderActs = ["read", "publish", "create", "update", "delete", "manage"] as const;
export type FolderAct = (typeof folderActs)[number];

/** Things that need a person, the most urgent first (`GET /api/user/attention`). */
export const attentionKinds = [
  "sync_problem",
  "sync_conflict",
  "review_waiting",
  "skill_finding",
  "storage_limit",
  "audit_forwarding",
  "webhook_disabled",
  "workspace_failed",
  "token_expiring",
  "connector_needs_auth",
  "invitation",
  "install_outdated",
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** Subjects of the changes that `GET /api/events` reports. */
export const changeTypes = [
  "skill",
  "collection",
  "folder",
  "member",
  "team",
  "role",
  "invitation",
  "token",
  "policy",
  "mcpServer",
  "workspace",
  "sync",
  "organization",
  "membership",
  "account",
] as const;
export type ChangeType = (typeof changeTypes)[number];
