import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { identityQuery } from "../../api/account/session.ts";
import {
  addToTeam,
  changeRole,
  removeMember,
  rolesQuery,
  teamsQuery,
  type Member,
} from "../../api/organization/people.ts";
import type { Path } from "../../api/query.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { roleOptions } from "../../parts/people/roles-of.ts";

const named = 8;
/** Paths that show the members of the organization. */
const membershipPaths: Path[] = [
  "/api/tenants/{tenant}/members",
  "/api/tenants/{tenant}/members/{userId}",
  "/api/tenants/{tenant}/members/{userId}/folders",
  "/api/tenants/{tenant}/teams",
  "/api/tenants/{tenant}/teams/{id}",
  "/api/tenants/{tenant}/teams/{id}/members",
  "/api/folders/{folder}/effective",
  "/api/skills/{skill}/effective",
];

interface Props {
  org: string;
  organization: Organization;
  members: Member[];
  isSelf?: boolean;
  onDone?: () => void;
  onClose: () => void;
}

/** Changes members one after the other; the first refusal names its member, and those before it stay changed. */
async function eachMember(members: Member[], change: (member: Member) => Promise<unknown>): Promise<void> {
  for (const [index, member] of members.entries()) {
    try {
      await change(member);
    } catch (error) {
      if (members.length === 1 || !(error instanceof Error)) throw error;
      throw new Error(`${member.username}: ${error.message} Changed before: ${index} of ${members.length}.`, {
        cause: error,
      });
    }
  }
}

function useRefresh() {
  const client = useQueryClient();
  return () => Promise.all(membershipPaths.map((path) => client.invalidateQueries({ queryKey: [path] })));
}

export function RoleDialog({ org, organization, members, onDone, onClose }: Props) {
  const { data: roles } = useQuery(rolesQuery(org));
  const refresh = useRefresh();
  const only = members.length === 1 ? members[0] : undefined;
  const [role, setRole] = useState<string | null>(only?.role ?? null);
  const run = async () => {
    if (role === null) throw new Error("Choose a role.");
    try {
      await eachMember(members, ({ userId }) => changeRole(org, userId, role));
      onDone?.();
    } finally {
      await refresh();
    }
  };
  return (
    <ConfirmDialog title="Change role" action="Change role" run={run} onClose={onClose}>
      <Names members={members} />
      <Select
        label="Role"
        data={roleOptions(organization, roles)}
        value={role}
        allowDeselect={false}
        description="Roles that give more than you hold can't be chosen."
        onChange={setRole}
      />
      <p className="sub">It takes effect with the next request of the member.</p>
    </ConfirmDialog>
  );
}

/** Adds members to a team that they are not in yet. */
export function TeamDialog({ org, members, onDone, onClose }: Props) {
  const { data: teams } = useQuery(teamsQuery(org));
  const refresh = useRefresh();
  const [team, setTeam] = useState<string | null>(null);
  const added = members.filter(({ teamIds }) => team !== null && !teamIds.includes(team));
  const run = async () => {
    if (team === null) throw new Error("Choose a team.");
    try {
      await eachMember(added, ({ userId }) => addToTeam(org, team, userId));
      onDone?.();
    } finally {
      await refresh();
    }
  };
  return (
    <ConfirmDialog title="Add to team" action="Add to team" run={run} onClose={onClose}>
      <Names members={members} />
      <Select
        label="Team"
        placeholder="Choose a team"
        searchable
        data={(teams ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={team}
        nothingFoundMessage="No team has this name"
        onChange={setTeam}
      />
      {team !== null && added.length < members.length && (
        <p className="sub">
          {added.length === 0
            ? "All of them are in this team."
            : `${members.length - added.length} of them ${members.length - added.length === 1 ? "is" : "are"} in this team already.`}
        </p>
      )}
    </ConfirmDialog>
  );
}

export function RemoveMembersDialog({ org, organization, members, isSelf, onDone, onClose }: Props) {
  const refresh = useRefresh();
  const client = useQueryClient();
  const navigate = useNavigate();
  const run = async () => {
    try {
      await eachMember(members, ({ userId }) => removeMember(org, userId));
      onDone?.();
    } finally {
      if (!isSelf) await refresh();
    }
    if (!isSelf) return;
    await client.invalidateQueries({ queryKey: identityQuery.queryKey });
    await navigate({ href: "/" });
  };
  const title = isSelf ? `Leave ${organization.name}` : `Remove from ${organization.name}`;
  return (
    <ConfirmDialog title={title} action={isSelf ? "Leave" : "Remove"} isDangerous run={run} onClose={onClose}>
      <Names members={members} />
      <p>
        Access ends with the next request. Folder grants, team memberships and recorded installs are removed;
        skills and versions stay, with their author&apos;s name.
      </p>
      {!isSelf && members.some(({ provisioned }) => provisioned) && (
        <p className="note warn">
          Your identity provider manages some of them with SCIM, and may add them again: also end their
          assignment there.
        </p>
      )}
      <p className="sub">
        {isSelf
          ? "You need an invitation to return."
          : "They can return by an invitation, without their grants."}
      </p>
    </ConfirmDialog>
  );
}

function Names({ members }: { members: Member[] }) {
  return (
    <p>
      {members.slice(0, named).map(({ userId, username }, index) => (
        <span key={userId}>
          {index > 0 && ", "}
          <b>{username}</b>
        </span>
      ))}
      {members.length > named && ` and ${members.length - named} more`}
    </p>
  );
}
