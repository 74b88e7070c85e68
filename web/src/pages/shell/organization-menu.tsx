import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown, Mail, Plus } from "lucide-react";
import { identityQuery } from "../../api/session.ts";
import { Initials } from "../../parts/avatar.tsx";
import { useCurrentOrganization } from "./current-organization.ts";

/** Switches between the user's organizations, and leads to invitations and to a new one. */
export function OrganizationMenu() {
  const { data: identity } = useQuery(identityQuery);
  const slug = useCurrentOrganization();
  const navigate = useNavigate();
  if (!identity) {
    return (
      <a className="org" href="/">
        <span className="av sq brand" aria-hidden="true">
          S
        </span>
        <span className="grow clip">Skill registry</span>
      </a>
    );
  }
  const current = identity.memberships.find((membership) => membership.slug === slug);
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <button type="button" className="org">
          <Initials name={current?.name ?? identity.name} isOrganization />
          <span className="grow clip">
            {current?.name ?? "No organization"}
            <small>{current?.slug ?? identity.username}</small>
          </span>
          <ChevronsUpDown size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
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
      </Menu.Dropdown>
    </Menu>
  );
}
