import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { may } from "../../api/account/session.ts";
import { serviceQuery } from "../../api/home.ts";
import { invitationsQuery, type Invitation } from "../../api/organization/people.ts";
import { actionsColumn, DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Time } from "../../parts/text/time.tsx";
import { InviteDialog } from "./invite/dialog.tsx";
import { DomainLink } from "./invite/domain-link.tsx";
import { InvitationActions } from "./invite/invitation-actions.tsx";
import { MailNote } from "./invite/mail-note.tsx";
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
          <DomainLink org={org} organization={organization} />
          {isInviting && (
            <InviteDialog org={org} organization={organization} onClose={() => setInviting(false)} />
          )}
        </>
      )}
    </PeoplePage>
  );
}

function InvitationTable({ org, invitations }: { org: string; invitations: Invitation[] }) {
  const { data: service } = useQuery(serviceQuery);
  if (invitations.length === 0)
    return <p className="sub">No invitation is open. Invite people by their e-mail address.</p>;
  return (
    <>
      <MailNote />
      <DataTable
        caption="Open invitations"
        columns={columnsOf(org, service?.mail !== false)}
        rows={invitations}
        keyOf={({ id }) => id}
      />
    </>
  );
}

const mails = { waiting: "is sent later", sent: "sent", failed: "refused by the mail server" } as const;

const columnsOf = (org: string, hasMail: boolean): Column<Invitation>[] => [
  {
    header: "Address",
    className: "anywhere",
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
  ...(hasMail ? [mailColumn] : []),
  { header: "Expires", isHiddenOnPhones: true, cell: ({ expiresAt }) => <Time value={expiresAt} /> },
  {
    ...actionsColumn((invitation) => <InvitationActions org={org} invitation={invitation} />),
    className: "nowrap",
  },
];

const mailColumn: Column<Invitation> = {
  header: "Mail",
  isHiddenOnPhones: true,
  cell: ({ mail }) => <span className={mail === "failed" ? "danger" : undefined}>{mails[mail]}</span>,
};
