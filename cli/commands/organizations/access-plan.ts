/** The members who gain and lose access by a change, and the confirmation of the change. */
import type {
  FolderAccessPayload,
  PlannedAccessPayload,
} from "../../../contract/payloads/organizations/folders.ts";
import type { FolderLevel, PrincipalType } from "../../../contract/vocabulary.ts";
import type { AccessInput } from "../../api/calls/access.ts";
import type { OrganizationCalls } from "../../api/calls/organization.ts";
import type { Organization } from "../../api/choose-organization.ts";
import type { Context } from "../../context.ts";
import { askYes, requireInteraction } from "../../terminal/prompts.ts";
import { plainLine } from "../../terminal/table.ts";
import { findMember, findTeam } from "./find.ts";

/** Number of people that a text names. */
const shownPeople = 20;

export const grantFlags = {
  user: {
    value: "required",
    hint: "user",
    multiple: true,
    description: "A member, by user name, id or e-mail address; repeatable",
  },
  team: { value: "required", hint: "team", multiple: true, description: "A team, by name or id; repeatable" },
} as const;

export const changeFlags = {
  "dry-run": { value: "none", description: "Show who would gain and lose access, and change nothing" },
  yes: { short: "y", value: "none", description: "Don't ask before the change" },
} as const;

/** A member or team that gets a grant; with level null, it loses the grant that it has. */
export interface Grantee {
  type: PrincipalType;
  id: string;
  name: string;
  level: FolderLevel | null;
}

export async function findGrantees(
  calls: OrganizationCalls,
  organization: Organization,
  given: { user: readonly string[]; team: readonly string[] },
  level: FolderLevel | null,
): Promise<Grantee[]> {
  const grantees: Grantee[] = [];
  for (const text of given.user) {
    const { userId, username } = await findMember(calls, organization, text);
    grantees.push({ type: "member", id: userId, name: username, level });
  }
  for (const text of given.team) {
    const { id, name } = await findTeam(calls, organization, text);
    grantees.push({ type: "team", id, name, level });
  }
  return grantees;
}

/** The grants of a folder after those of the grantees are replaced. */
export function grantsAfter(
  { grants }: FolderAccessPayload,
  grantees: readonly Grantee[],
): AccessInput["grants"] {
  const isReplaced = (type: PrincipalType, id: string) =>
    grantees.some((one) => one.type === type && one.id === id);
  const kept = grants.filter(({ principal }) => !isReplaced(principal.type, principal.id));
  const unique = new Map(grantees.map((one) => [`${one.type}:${one.id}`, one]));
  return [
    ...kept.map(({ principal: { type, id }, level }) => ({ principal: { type, id }, level })),
    ...[...unique.values()].flatMap(({ type, id, level }) =>
      level === null ? [] : [{ principal: { type, id }, level }],
    ),
  ];
}

export interface AccessChange {
  userId: string;
  username: string;
  before: string[];
  after: string[];
}

export interface AccessChanges {
  gained: AccessChange[];
  lost: AccessChange[];
}

/** A member who loses one action and gains another is in both lists. */
export function changesIn(planned: readonly PlannedAccessPayload[]): AccessChanges {
  const changes = planned.map(({ principal, before, can }): AccessChange => ({
    userId: principal.id,
    username: principal.name,
    before,
    after: can,
  }));
  return {
    gained: changes.filter(({ before, after }) => after.some((action) => !before.includes(action))),
    lost: changes.filter(({ before, after }) => before.some((action) => !after.includes(action))),
  };
}

export function changesText(
  context: Context,
  { gained, lost }: AccessChanges,
  tense: "will" | "did",
): string[] {
  const lines = (verb: string, changes: readonly AccessChange[]) =>
    changes.length === 0
      ? []
      : [
          `${changes.length} ${changes.length === 1 ? "member" : "members"} ${verb}:`,
          ...changes
            .slice(0, shownPeople)
            .map(
              ({ username, before, after }) =>
                `  ${context.output.paint("bold", plainLine(username))}  ${actions(before)} -> ${actions(after)}`,
            ),
          ...(changes.length > shownPeople ? [`  and ${changes.length - shownPeople} more`] : []),
        ];
  if (gained.length + lost.length === 0)
    return [tense === "will" ? "No member would gain or lose access." : "No member gained or lost access."];
  return tense === "will"
    ? [...lines("would gain access", gained), ...lines("would lose access", lost)]
    : [...lines("gained access", gained), ...lines("lost access", lost)];
}

const actions = (can: readonly string[]) => (can.length === 0 ? "no access" : can.map(plainLine).join(", "));

/** Asks before the change. Throws `E_INTERACTION_REQUIRED` for `--yes` if a question can't be asked. */
export async function confirmChanges(
  context: Context,
  changes: AccessChanges,
  { subject, others }: { subject: string; others: readonly string[] },
): Promise<void> {
  const names = changes.lost.slice(0, shownPeople).map(({ username }) => plainLine(username));
  const more = changes.lost.length > names.length ? ` and ${changes.lost.length - names.length} more` : "";
  const losing = names.length === 0 ? [] : [`${names.join(", ")}${more} would lose access.`];
  const text = [...losing, ...others].join(" ");
  requireInteraction(context, "--yes", `${subject}: ${text} Confirm with --yes.`);
  context.output.note(changesText(context, changes, "will").join("\n"));
  for (const line of others) context.output.note(line);
  await askYes(`${subject}. Continue?`);
}
