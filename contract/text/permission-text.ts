/** Permissions in words, as in "read the audit log". */
import type { permissionActions } from "../vocabulary.ts";

/** The things that permissions are about, in the plural where there are several. */
export const permissionObjects: Record<keyof typeof permissionActions, string> = {
  skill: "skills",
  analytics: "analytics",
  mcpServer: "MCP servers",
  folder: "folders",
  personalWorkspace: "personal workspaces",
  member: "members",
  team: "teams",
  role: "roles",
  apiToken: "API tokens",
  oidc: "publishing from CI",
  githubSync: "the repository sync",
  auditLog: "the audit log",
  organization: "the organization",
  security: "security settings",
  sso: "single sign-on",
  scim: "provisioning",
};

/** As a heading: "Audit log". */
export function permissionTitle(group: keyof typeof permissionActions): string {
  const object = permissionObjects[group].replace(/^the /, "");
  return object.charAt(0).toUpperCase() + object.slice(1);
}

/** As in "read the audit log"; a permission that is not known is shown by its name. */
export function permissionText(group: string, action: string): string {
  const object = (permissionObjects as Record<string, string>)[group];
  if (object === undefined) return `${group}: ${action}`;
  return action === "manageAcl" ? `manage access to ${object}` : `${action} ${object}`;
}
