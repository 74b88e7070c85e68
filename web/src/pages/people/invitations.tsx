import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import {
  invitationsQuery,
  resendInvitation,
  withdrawInvitation,
  type Invitation,
} from "../../api/organization/people.ts";
import { may } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { actionsColumn, DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { PeoplePage } from "./people-page.tsx";

export const Route = createFileRoute("/$org/-/people/invitations")({ component: InvitationsPage });

function InvitationsPage() {
  const { org } = Route.useParams();
  const invitations = useQuery(invitationsQuery(org));
  const [isInviting, setInviting] = useState(false);
  return (
    <PeoplePage
      org={org}
      title="Invitations"
      subject={invitations}
      renderActions={({ permissions }) =>
        may(permissions, "member", "invite") && (
          <Button size="xs" leftSection={<UserPlus size={14} />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {(organization) => (
        <>
          <InvitationTable org={org} invitations={invitations.data ?? []} />
          {isInviting && (
            <InviteDialog org={org} organization={organization} onClose={() => setInviting(false)} />
          )}
        </>
      )}
    </PeoplePage>
  );
}

function InvitationTable({ org, invitations }: { org: string; invitations: Invitation[] }) {
  if (invitations.length === 0)
    return <p className="sub">No invitation is open. Invite people by their e-mail address.</p>;
  return (
    <DataTable
      caption="Open invitations"
      columns={columnsOf(org)}
      rows={invitations}
      keyOf={({ id }) => id}
    />
  );
}

const mails = { waiting: "is sent later", sent: "sent", failed: "refused by the mail server" } as const;

const columnsOf = (org: string): Column<Invitation>[] => [
  {
    header: "Address",
    cell: ({ email, invitedBy }) => (
      <>
        {email} <span className="meta">by {invitedBy}</span>
      </>
    ),
  },
  { header: "Role", cell: ({ roleName }) => roleName },
  {
    header: "Teams",
    isHiddenOnPhones: true,
    cell: ({ teams }) => teams.map(({ name }) => name).join(", "),
  },
  {
    header: "Mail",
    isHiddenOnPhones: true,
    cell: ({ mail }) => <span className={mail === "failed" ? "danger" : undefined}>{mails[mail]}</span>,
  },
  { header: "Expires", cell: ({ expiresAt }) => <Time value={expiresAt} /> },
  { ...actionsColumn((invitation) => <Actions org={org} invitation={invitation} />), className: "nowrap" },
];

function Actions({ org, invitation: { id, email } }: { org: string; invitation: Invitation }) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: invitationsQuery(org).queryKey });
  const resend = useMutation({ mutationFn: () => resendInvitation(org, id), onSettled: refresh });
  return (
    <>
      <Problem error={resend.error} />
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        loading={resend.isPending}
        onClick={() => resend.mutate()}
      >
        Resend
      </Button>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setAsked(true)}>
        Withdraw
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Withdraw invitation"
          action="Withdraw"
          isDangerous
          run={async () => {
            await withdrawInvitation(org, id);
            await refresh();
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            The link that was sent to <b>{email}</b> stops working. You can invite the address again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
