/** Sentences about what a token allows. Pure. */
import { countText } from "../../../../contract/text/count-text.ts";
import { listText } from "../../../../contract/text/list-text.ts";
import { permissionObjects } from "../../../../contract/text/permission-text.ts";
import { longDayText } from "../text/dates.ts";

export interface TokenRights {
  /** Who the token acts as, as in `you`. */
  holder: string;
  /** Undefined: everything that the holder may do. */
  scopes: Record<string, string[]> | undefined;
  /** Paths of folders, or their number; undefined: everywhere. */
  folders: readonly string[] | number | undefined;
}

/** Paths up to which they are named. */
const named = 3;
const verbs: Record<string, string> = {
  read: "reads",
  create: "creates",
  update: "updates",
  delete: "deletes",
  manage: "manages",
};

/** As in `It reads skills in engineering, until December 24, 2026.` Without `expiresAt` the token does not expire. */
export const summaryOf = (rights: TokenRights, expiresAt: Date | undefined): string =>
  `It ${rightsOf(rights)}, ${expiresAt ? `until ${longDayText(expiresAt)}` : "without expiration"}.`;

/** As in `reads skills in engineering`. */
export function rightsOf({ holder, scopes, folders }: TokenRights): string {
  const acts = scopes === undefined ? [`does everything that ${holder} may do`] : actsOf(scopes);
  const what = acts.length === 0 ? "reads only what everyone may read" : listText(acts);
  return `${what}${placeOf(folders)}`;
}

const actsOf = (scopes: Record<string, string[]>): string[] =>
  Object.entries(scopes)
    .filter(([, actions]) => actions.length > 0)
    .map(
      ([group, actions]) =>
        `${listText(actions.map((action) => verbs[action] ?? action))} ${(permissionObjects as Record<string, string>)[group] ?? group}`,
    );

function placeOf(folders: TokenRights["folders"]): string {
  if (folders === undefined) return "";
  if (typeof folders === "number") return ` in ${countText(folders, "folder")}`;
  if (folders.length === 0) return " in no folder";
  const shown = folders.slice(0, named);
  const rest = folders.length - shown.length;
  const more = countText(rest, "more folder");
  return ` in ${listText(rest > 0 ? [...shown, more] : shown)}`;
}
