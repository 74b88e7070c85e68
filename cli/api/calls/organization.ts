/** Calls about an organization's members, invitations, teams and roles (`docs/reference/organizations.md`). */
import { limits } from "../../../contract/limits.ts";
import type {
  InvitationPayload,
  MemberPayload,
  RolePayload,
  TeamPayload,
  TenantPayload,
} from "../../../contract/payloads/organizations/organizations.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";
import { collectPages } from "../pages.ts";
import type { Shape } from "../shapes.ts";

const team = { id: "id", name: "text", roles: ["text"], createdAt: "text" } as const;

const shapes = {
  tenant: { id: "id", slug: "slug", name: "text" },
  tenants: [{ id: "id", slug: "slug", name: "text", description: "text", role: "text?", createdAt: "text" }],
  members: [
    {
      userId: "id",
      username: "text",
      name: "text",
      email: "text?",
      role: "text",
      teamIds: ["text"],
      joinedAt: "text",
    },
  ],
  invitation: { id: "id", email: "text", role: "text", expiresAt: "text", url: "text?", mail: "text" },
  team,
  teams: [team],
  roles: [{ id: "text", name: "text", isBuiltIn: "flag" }],
} as const satisfies Record<string, Shape>;

export type OrganizationCalls = ReturnType<typeof openOrganizationCalls>;

const limit = limits.pageSizeMax;

/** Lists are read to their last page. `organization`: id or slug. */
export function openOrganizationCalls(options: HttpOptions) {
  const { get, page, create, json } = openCaller(options);
  const at = (organization: string, path: string) =>
    `/api/tenants/${encodeURIComponent(organization)}${path}`;
  const all = async <T>(path: string, shape: Shape, query: { query?: string } = {}) =>
    (await collectPages((cursor) => page<T>(path, shape, { ...query, limit, cursor }))).items;
  return {
    organizations: () => get<TenantPayload[]>("/api/tenants", shapes.tenants),
    createOrganization: (input: { name: string; slug?: string }) =>
      create<TenantPayload>("/api/tenants", shapes.tenant, input),
    /** `query`: beginning of a user name, or of a word of a name. */
    members: (organization: string, query?: string) =>
      all<MemberPayload>(at(organization, "/members"), shapes.members, { query }),
    async removeMember(organization: string, userId: string): Promise<void> {
      await json({ method: "DELETE", url: at(organization, `/members/${encodeURIComponent(userId)}`) });
    },
    invite: (organization: string, input: { email: string; role: string }) =>
      create<InvitationPayload>(at(organization, "/invitations"), shapes.invitation, input),
    roles: (organization: string) => get<RolePayload[]>(at(organization, "/roles"), shapes.roles),
    teams: (organization: string) => all<TeamPayload>(at(organization, "/teams"), shapes.teams),
    createTeam: (organization: string, input: { name: string; roles: string[] }) =>
      create<TeamPayload>(at(organization, "/teams"), shapes.team, input),
    async deleteTeam(organization: string, id: string): Promise<void> {
      await json({ method: "DELETE", url: at(organization, `/teams/${encodeURIComponent(id)}`) });
    },
    teamMembers: (organization: string, id: string) =>
      all<MemberPayload>(at(organization, `/teams/${encodeURIComponent(id)}/members`), shapes.members),
    async changeTeamMember(
      method: "PUT" | "DELETE",
      organization: string,
      id: string,
      userId: string,
    ): Promise<void> {
      const path = `/teams/${encodeURIComponent(id)}/members/${encodeURIComponent(userId)}`;
      await json({ method, url: at(organization, path) });
    },
  };
}
