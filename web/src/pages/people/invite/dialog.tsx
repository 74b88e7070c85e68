import "./invite.css";
import { Modal } from "@mantine/core";
import { useState } from "react";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { InviteForm } from "./form.tsx";
import { Outcomes } from "./outcomes.tsx";
import { useInvite } from "./use-invite.ts";

interface Props {
  org: string;
  organization: Organization;
  onClose: () => void;
}

/** Invites people: first the addresses with what they get, then the outcome of each with its link. */
export function InviteDialog({ org, organization, onClose }: Props) {
  const [text, setText] = useState("");
  const { sending, outcomes, restart } = useInvite(org);
  const correct = () => {
    setText(outcomes.flatMap(({ email, outcome }) => (outcome === "failed" ? [email] : [])).join("\n"));
    restart();
  };
  return (
    <Modal opened onClose={onClose} title={`Invite to ${organization.name}`} size="lg">
      {sending.data ? (
        <Outcomes outcomes={sending.data} onCorrect={correct} onClose={onClose} />
      ) : (
        <InviteForm
          org={org}
          organization={organization}
          text={text}
          onText={setText}
          sent={outcomes.length}
          sending={sending}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}
