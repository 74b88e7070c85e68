import { Button } from "@mantine/core";
import { useState } from "react";
import { may } from "../../../api/account/session.ts";
import type { Member } from "../../../api/organization/people.ts";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { RemoveMembersDialog, RoleDialog, TeamDialog } from "../member-dialogs.tsx";

interface Props {
  org: string;
  organization: Organization;
  members: Member[];
  onDone: () => void;
}

/** Actions on all chosen members. */
export function BulkBar({ org, organization, members, onDone }: Props) {
  const [asked, setAsked] = useState<"role" | "team" | "remove">();
  const dialog = { org, organization, members, onDone, onClose: () => setAsked(undefined) };
  return (
    <div className="note row wrap bulk-bar" role="region" aria-label="Chosen members">
      <span className="grow" role="status">
        {members.length} chosen
      </span>
      {may(organization.permissions, "member", "update") && (
        <Button size="xs" variant="default" onClick={() => setAsked("role")}>
          Change role
        </Button>
      )}
      {may(organization.permissions, "team", "update") && (
        <Button size="xs" variant="default" onClick={() => setAsked("team")}>
          Add to team
        </Button>
      )}
      {may(organization.permissions, "member", "remove") && (
        <Button size="xs" variant="default" onClick={() => setAsked("remove")}>
          Remove
        </Button>
      )}
      <Button size="xs" variant="subtle" color="gray" onClick={onDone}>
        Clear
      </Button>
      {asked === "role" && <RoleDialog {...dialog} />}
      {asked === "team" && <TeamDialog {...dialog} />}
      {asked === "remove" && <RemoveMembersDialog {...dialog} />}
    </div>
  );
}
