/** Members with the names of their roles and teams, as a document and as a table. */
import type {
  MemberPayload,
  RolePayload,
  TeamPayload,
} from "../../../contract/payloads/organizations/organizations.ts";
import type { OrganizationCalls } from "../../api/calls/organization.ts";
import type { Organization } from "../../api/choose-organization.ts";
import type { Context } from "../../context.ts";
import { renderTable } from "../../terminal/table.ts";

export interface NamedGroup {
  id: string;
  /** Absent for one that is gone. */
  name?: string;
}

export interface PresentedMember {
  userId: string;
  username: string;
  name: string;
  email?: string;
  role: NamedGroup;
  teams: NamedGroup[];
  joinedAt: string;
}

export async function presentMembers(
  calls: OrganizationCalls,
  organization: Organization,
  members: readonly MemberPayload[],
): Promise<PresentedMember[]> {
  const isInTeam = members.some(({ teamIds }) => teamIds.length > 0);
  const [roles, teams] = await Promise.all([
    calls.roles(organization.id),
    isInTeam ? calls.teams(organization.id) : [],
  ]);
  return members.map(({ userId, username, name, email, role, teamIds, joinedAt }) => ({
    userId,
    username,
    name,
    email,
    role: named(role, roles),
    teams: teamIds.map((id) => named(id, teams)),
    joinedAt,
  }));
}

export function named(id: string, known: readonly (RolePayload | TeamPayload)[]): NamedGroup {
  const found = known.find((one) => one.id === id);
  return found === undefined ? { id } : { id, name: found.name };
}

export const nameOf = ({ id, name }: NamedGroup) => name ?? id;

export function membersTable(context: Context, members: readonly PresentedMember[]): string {
  const { columns, paint } = context.output;
  const showsEmail = members.some(({ email }) => email !== undefined);
  return renderTable(
    ["USER", "ROLE", "TEAMS", ...(showsEmail ? ["E-MAIL"] : []), "NAME"],
    members.map(({ username, role, teams, email, name }) => [
      username,
      nameOf(role),
      teams.length === 0 ? "-" : teams.map(nameOf).join(", "),
      ...(showsEmail ? [email ?? "-"] : []),
      name,
    ]),
    { columns, paintHead: (text) => paint("bold", text) },
  );
}
