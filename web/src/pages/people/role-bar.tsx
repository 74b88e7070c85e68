import { Button } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { listText } from "../../../../contract/text/list-text.ts";
import { may } from "../../api/account/session.ts";
import {
  changeRolePermissions,
  deleteRole,
  membersQuery,
  rolesQuery,
  teamsQuery,
} from "../../api/organization/people.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { added } from "./permissions.ts";
import type { Editing } from "./role-matrix.tsx";

interface Props {
  org: string;
  organization: Organization;
  editing: Editing;
  onDone: () => void;
}

/** The effect of saving the edited role, and the number of members it concerns. */
export function RoleBar({ org, organization, editing: { role, permissions }, onDone }: Props) {
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const queryKey = rolesQuery(org).queryKey;
  const saving = useMutation({
    mutationFn: () => changeRolePermissions(org, role.id, { permissions }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey });
      onDone();
    },
  });
  const gains = added(role.permissions, permissions);
  const losses = added(permissions, role.permissions);
  const isChanged = gains.length + losses.length > 0;
  return (
    <div className="save-bar" role="region" aria-label={`Editing ${role.name}`}>
      <div className="row grow">
        {isChanged && <TriangleAlert size={14} className="warn" />}
        <span role="status">
          <b>{role.name}</b> {isChanged ? <Change gains={gains} losses={losses} /> : "is unchanged. "}
          <Effect org={org} role={role.id} />
        </span>
      </div>
      <Problem error={saving.error} />
      <div className="row">
        {may(organization.permissions, "role", "delete") && (
          <Button size="xs" variant="subtle" color="red" onClick={() => setDeleting(true)}>
            Delete role
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onDone}>
          {isChanged ? "Discard" : "Close"}
        </Button>
        <Button size="xs" loading={saving.isPending} disabled={!isChanged} onClick={() => saving.mutate()}>
          Save role
        </Button>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${role.name}`}
          action="Delete role"
          isDangerous
          run={async () => {
            await deleteRole(org, role.id);
            await client.invalidateQueries({ queryKey });
            onDone();
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            The role and its permissions are removed. A role that a member, a team or an open invitation has
            can&apos;t be deleted.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

const Change = ({ gains, losses }: { gains: string[]; losses: string[] }) => (
  <>
    {gains.length > 0 && `may now ${listText(gains)}${losses.length > 0 ? ", and " : ". "}`}
    {losses.length > 0 && `may no longer ${listText(losses)}. `}
  </>
);

/** Members who have the role themselves, and teams that give it. */
function Effect({ org, role }: { org: string; role: string }) {
  const members = useInfiniteQuery(membersQuery(org, { role }));
  const teams = useQuery(teamsQuery(org));
  if (!members.data || !teams.data) return null;
  const count = members.data.pages.reduce((sum, page) => sum + page.data.length, 0);
  const through = teams.data.filter(({ roles }) => roles.includes(role));
  const people = members.hasNextPage
    ? `${count} or more members have it`
    : `${countText(count, "member has", "members have")} it`;
  return `${people}${through.length > 0 ? `, and it is given by ${through.map(({ name }) => name).join(", ")}` : ""}.`;
}
