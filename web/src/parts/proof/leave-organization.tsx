import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { identityQuery } from "../../api/account/session.ts";
import { leaveOrganization } from "../../api/organization/requirement.ts";
import { ConfirmDialog } from "../forms/confirm-dialog.tsx";

/** The way out for a member who can't or does not want to give the proof that an organization requires. */
export function LeaveOrganization({ org, name }: { org: string; name: string }) {
  const { data: identity } = useQuery(identityQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isLeaving, setLeaving] = useState(false);
  const leave = useMutation({ mutationFn: () => leaveOrganization(org, identity?.id ?? "") });
  return (
    <>
      <Button variant="default" onClick={() => setLeaving(true)}>
        Leave the organization
      </Button>
      {isLeaving && (
        <ConfirmDialog
          title={`Leave ${name}?`}
          action="Leave"
          isDangerous
          run={() => leave.mutateAsync()}
          onDone={() => {
            void client.invalidateQueries();
            void navigate({ href: "/" });
          }}
          onClose={() => setLeaving(false)}
        >
          <p className="sub">You can come back by an invitation only.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
