import { ActionIcon, Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { may } from "../../api/account/session.ts";
import type { Member } from "../../api/organization/people.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { RemoveMembersDialog, RoleDialog, TeamDialog } from "./member-dialogs.tsx";

interface Props {
  org: string;
  organization: Organization;
  member: Member;
  isSelf: boolean;
}

/** Actions of the user on a member. */
export function MemberMenu({ org, organization, member, isSelf }: Props) {
  const [asked, setAsked] = useState<"role" | "team" | "remove">();
  const navigate = useNavigate();
  const canUpdate = may(organization.permissions, "member", "update");
  const canRemove = isSelf || may(organization.permissions, "member", "remove");
  const close = () => setAsked(undefined);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.username}`}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {canUpdate && <Menu.Item onClick={() => setAsked("role")}>Change role</Menu.Item>}
          {may(organization.permissions, "team", "update") && (
            <Menu.Item onClick={() => setAsked("team")}>Add to team</Menu.Item>
          )}
          <Menu.Item
            onClick={() =>
              void navigate({
                to: "/$org/-/people/check",
                params: { org },
                search: { user: member.userId, name: member.username },
              })
            }
          >
            Check access
          </Menu.Item>
          {canRemove && (
            <Menu.Item color="red" onClick={() => setAsked("remove")}>
              {isSelf ? "Leave the organization" : "Remove"}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {asked === "role" && (
        <RoleDialog org={org} organization={organization} members={[member]} onClose={close} />
      )}
      {asked === "team" && (
        <TeamDialog org={org} organization={organization} members={[member]} onClose={close} />
      )}
      {asked === "remove" && (
        <RemoveMembersDialog
          org={org}
          organization={organization}
          members={[member]}
          isSelf={isSelf}
          onClose={close}
        />
      )}
    </>
  );
}
