import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { leaveOrganization } from "../api/requirement.ts";
import { identityQuery } from "../api/session.ts";
import { ButtonLink } from "./button-link.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { Button } from "@mantine/core";

interface Props {
  org: string;
  name: string;
}

/** The page of an organization for a member without the second factor that it requires: enrol, or leave. */
export function FactorRequired({ org, name }: Props) {
  const { data: identity } = useQuery(identityQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isLeaving, setLeaving] = useState(false);
  const leave = useMutation({ mutationFn: () => leaveOrganization(org, identity?.id ?? "") });
  return (
    <div className="page stack g4">
      <h1>A second factor is required</h1>
      <p className="note warn">
        <ShieldCheck className="i" />
        <span>
          <bdi>{name}</bdi> requires a second factor of its members, and your account has none. Nothing of the
          organization is shown until you add one.
        </span>
      </p>
      <p className="sub">
        A passkey or an authenticator app takes a minute. This page opens again as soon as you have one.
      </p>
      <div className="row wrap">
        <ButtonLink to="/settings/security">Add a second factor</ButtonLink>
        <Button variant="default" onClick={() => setLeaving(true)}>
          Leave the organization
        </Button>
      </div>
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
    </div>
  );
}
