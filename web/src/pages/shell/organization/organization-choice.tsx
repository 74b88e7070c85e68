import { Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Mail, Plus } from "lucide-react";
import type { ReactElement } from "react";
import type { Identity } from "../../../api/account/session.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { OpenedMenu } from "../opened-menu.tsx";

interface Props {
  identity: Identity;
  button: ReactElement<{ ref?: unknown }>;
}

/** The user's organizations and invitations, and a new organization. */
export function OrganizationChoice({ identity, button }: Props) {
  const navigate = useNavigate();
  return (
    <OpenedMenu position="bottom-start" button={button}>
      {identity.memberships.map((membership) => (
        <Menu.Item
          key={membership.tenantId}
          leftSection={<Initials name={membership.name} isOrganization />}
          onClick={() => void navigate({ href: `/${membership.slug}/-/library` })}
        >
          {membership.name}
        </Menu.Item>
      ))}
      {identity.pendingInvitations.map((invitation) => (
        <Menu.Item
          key={invitation.id}
          leftSection={<Mail size={16} />}
          component="a"
          href={`/invitations/${invitation.id}`}
        >
          Invitation: {invitation.organizationName}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item leftSection={<Plus size={16} />} component="a" href="/orgs/new">
        New organization
      </Menu.Item>
    </OpenedMenu>
  );
}
