/** One sentence that sums up what a token allows. Pure. */
export interface TokenRights {
  /** Undefined: the permissions of an administrator. */
  scopes: Record<string, string[]> | undefined;
  /** Paths of folders; undefined: everywhere. */
  folders: string[] | undefined;
  /** Undefined: never. */
  expiresAt: Date | undefined;
}

const named = 3;
const date = new Intl.DateTimeFormat("en", { dateStyle: "long" });
const list = new Intl.ListFormat("en", { type: "conjunction" });
const objects: Record<string, string> = {
  skill: "skills",
  folder: "folders",
  auditLog: "the audit log",
  githubSync: "the repository sync",
};
const verbs: Record<string, string> = {
  read: "reads",
  create: "creates",
  update: "updates",
  delete: "deletes",
  manage: "manages",
};

export function summaryOf({ scopes, folders, expiresAt }: TokenRights): string {
  const acts = scopes === undefined ? ["does everything that an administrator may"] : actsOf(scopes);
  const what = acts.length === 0 ? "reads only what everyone may read" : list.format(acts);
  return `It ${what}${placeOf(folders)}, ${expiresAt ? `until ${date.format(expiresAt)}` : "without an end"}.`;
}

const actsOf = (scopes: Record<string, string[]>): string[] =>
  Object.entries(scopes)
    .filter(([, actions]) => actions.length > 0)
    .map(
      ([group, actions]) =>
        `${list.format(actions.map((action) => verbs[action] ?? action))} ${objects[group] ?? group}`,
    );

function placeOf(folders: string[] | undefined): string {
  if (folders === undefined) return "";
  if (folders.length === 0) return " in no folder";
  const shown = folders.slice(0, named);
  const rest = folders.length - shown.length;
  return ` in ${list.format(rest > 0 ? [...shown, `${rest} more folders`] : shown)}`;
}
