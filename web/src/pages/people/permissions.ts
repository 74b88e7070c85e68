/** The permission matrix: its groups in sections, and the letters of the actions. Pure. */
import { permissionText } from "../../../../contract/text/permission-text.ts";
import { customRoleActions, permissionActions } from "../../../../contract/vocabulary.ts";
import type { Permissions } from "../../api/organization/people.ts";

export const letters: Record<string, string> = {
  read: "R",
  create: "C",
  update: "U",
  delete: "D",
  manageAcl: "A",
  invite: "I",
  remove: "X",
  manage: "M",
};
export const actionText = (action: string) => (action === "manageAcl" ? "manage access" : action);

export const sections: [title: string, groups: [group: keyof typeof permissionActions, about: string][]][] = [
  [
    "Skills",
    [
      ["skill", "read, create, update, delete"],
      ["analytics", "downloads and installs"],
      ["mcpServer", "servers that members install"],
    ],
  ],
  [
    "Folders",
    [
      ["folder", "tree and restrictions"],
      ["personalWorkspace", "a folder for each member"],
    ],
  ],
  [
    "People",
    [
      ["member", "who belongs here"],
      ["team", "groups with roles"],
      ["role", "custom roles"],
    ],
  ],
  [
    "Automation",
    [
      ["apiToken", "tokens of the organization"],
      ["oidc", "trust policies"],
      ["githubSync", "connection and conflicts"],
    ],
  ],
  [
    "Organization",
    [
      ["auditLog", "recorded actions"],
      ["organization", "name, avatar; deletion"],
      ["security", "limits for tokens"],
      ["sso", "identity providers"],
      ["scim", "users and groups with SCIM"],
    ],
  ],
];

export const actionsOf = (group: keyof typeof permissionActions): readonly string[] =>
  permissionActions[group];

/** Whether a custom role can have the action at all. */
export const isGivable = (group: string, action: string): boolean =>
  (customRoleActions as Record<string, readonly string[]>)[group]?.includes(action) === true;

export const holds = (permissions: Permissions, group: string, action: string): boolean =>
  permissions[group]?.includes(action) === true;

export function toggled(permissions: Permissions, group: string, action: string): Permissions {
  const actions = permissions[group] ?? [];
  const next = actions.includes(action) ? actions.filter((one) => one !== action) : [...actions, action];
  const { [group]: _old, ...rest } = permissions;
  return next.length > 0 ? { ...rest, [group]: next } : rest;
}

/** The actions that one set has and the other lacks, as `delete skills`. */
export const added = (from: Permissions, to: Permissions): string[] =>
  Object.entries(to).flatMap(([group, actions]) =>
    actions.filter((action) => !holds(from, group, action)).map((action) => permissionText(group, action)),
  );
