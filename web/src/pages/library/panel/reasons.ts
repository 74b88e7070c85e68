/** Sentences for who can do something, and why. */
import { listText } from "../../../../../contract/text/list-text.ts";
import { permissionText } from "../../../../../contract/text/permission-text.ts";
import type { AccessReason } from "../../../api/folders.ts";

const grantee = ({ type, name }: AccessReason) =>
  type === "team" ? `by the team ${name ?? "that was deleted"}` : "by a grant to them";

/** The limits of a token of the organization, in words. */
function limitsOf({ limits }: AccessReason): string {
  const scopes = Object.entries(limits?.scopes ?? {}).flatMap(([group, actions]) =>
    actions.map((action) => permissionText(group, action)),
  );
  const folders = limits?.allowedFolders?.map(({ path }) => path ?? "a folder that you can't see");
  const parts = [
    ...(limits?.scopes ? [scopes.length > 0 ? `that may ${listText(scopes)}` : "without a scope"] : []),
    ...(folders ? [`limited to ${folders.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "of the organization without limits" : parts.join(", ");
}

const ofToken: Record<string, (reason: AccessReason) => string> = {
  bypass: () => "restrictions do not apply to it",
  ungranted: ({ name }) =>
    `it is not limited to ${name ?? "the restricted folder"}, so that restriction applies`,
  unpermitted: () => "its limits do not allow it to read skills here",
};

const sentences: Record<string, (reason: AccessReason) => string> = {
  role: ({ name }) => `role ${name ?? ""}`.trim(),
  team: ({ name }) => `a role of the team ${name ?? ""}`.trim(),
  grant: (reason) => `${reason.level ?? "grant"} ${grantee(reason)}`,
  bypass: ({ name }) =>
    name === undefined
      ? "may manage access to folders, so restrictions do not apply"
      : `${name} may manage access to folders, so restrictions do not apply`,
  workspace: () => "it is their personal workspace",
  visibility: () => "the skill's visibility lets anyone read it",
  token: (reason) => `API token ${limitsOf(reason)}`,
  ungranted: ({ name }) =>
    `no grant on ${name ?? "the restricted folder"} itself: a grant on a folder that contains it does not count`,
  unpermitted: () => "neither their role nor a team lets them read skills",
};

/** One sentence for all reasons of a member or a token. */
export function whyOf(reasons: AccessReason[]): string {
  const own = reasons[0]?.kind === "token" ? { ...sentences, ...ofToken } : sentences;
  const texts = reasons.map((reason) => own[reason.kind]?.(reason) ?? reason.kind);
  const text = [...new Set(texts)].join("; ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The highest thing that a member or token may do, in one word. */
export function levelOf(can: string[]): string {
  if (can.length === 0) return "no access";
  if (["read", "create", "update", "delete", "manage"].every((act) => can.includes(act))) return "everything";
  if (can.includes("manage")) return "manage";
  if (can.includes("update")) return "edit";
  return can.includes("read") ? "read" : can.join(", ");
}
