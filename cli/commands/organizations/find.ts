/** Members, teams and roles of an organization, by the names that people type. */
import type {
  MemberPayload,
  RolePayload,
  TeamPayload,
} from "../../../contract/payloads/organizations/organizations.ts";
import type { OrganizationCalls } from "../../api/calls/organization.ts";
import type { Organization } from "../../api/choose-organization.ts";
import { notFound } from "../../errors.ts";
import { plainLine } from "../../terminal/table.ts";

/** Number of existing names that an error lists. */
const listedNames = 20;

const fold = (text: string) => text.trim().normalize("NFC").toLowerCase();

/** A member by user name, id, or, for callers who see addresses, e-mail address. Throws `E_NOT_FOUND`. */
export async function findMember(
  calls: OrganizationCalls,
  organization: Organization,
  text: string,
): Promise<MemberPayload> {
  const wanted = fold(text);
  const isNamed = ({ username, email }: MemberPayload) =>
    fold(username) === wanted || (email !== undefined && fold(email) === wanted);
  // A user name may have the form of an id, and be the id of another member, who is meant then.
  const isName = !wanted.includes("@") && !/^[0-9a-f]{24}$/.test(wanted);
  const named = isName ? (await calls.members(organization.id, text.trim())).find(isNamed) : undefined;
  if (named) return named;
  const all = await calls.members(organization.id);
  const member = all.find(({ userId }) => userId === wanted) ?? all.find(isNamed);
  if (member) return member;
  throw notFound(
    "member",
    text,
    `No member "${plainLine(text)}" in ${organization.slug}. ` +
      `List them with svc org members --org ${organization.slug}.`,
  );
}

/** A team by name or id. Throws `E_NOT_FOUND`. */
export async function findTeam(
  calls: OrganizationCalls,
  organization: Organization,
  text: string,
): Promise<TeamPayload> {
  const teams = await calls.teams(organization.id);
  const team =
    teams.find(({ id }) => id === text.trim()) ?? teams.find(({ name }) => fold(name) === fold(text));
  if (team) return team;
  const hint = teams.length === 0 ? "Create one with svc team create." : `Use one of ${namesOf(teams)}.`;
  throw notFound("team", text, `No team "${plainLine(text)}" in ${organization.slug}. ${hint}`);
}

/** A built-in role, or a custom one by name or id. Throws `E_NOT_FOUND`. */
export async function findRole(
  calls: OrganizationCalls,
  organization: Organization,
  text: string,
): Promise<RolePayload> {
  const roles = await calls.roles(organization.id);
  const role =
    roles.find(({ id }) => id === text.trim()) ?? roles.find(({ name }) => fold(name) === fold(text));
  if (role) return role;
  throw notFound(
    "role",
    text,
    `No role "${plainLine(text)}" in ${organization.slug}. Use one of ${namesOf(roles)}.`,
  );
}

function namesOf(named: readonly { name: string }[]): string {
  const more = named.length > listedNames ? `, and ${named.length - listedNames} more` : "";
  return (
    named
      .slice(0, listedNames)
      .map(({ name }) => plainLine(name))
      .join(", ") + more
  );
}
