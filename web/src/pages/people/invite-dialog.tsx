import { Button, Modal, MultiSelect, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { invitationsQuery, invite, rolesQuery, teamsQuery } from "../../api/organization/people.ts";
import { DialogForm } from "../../parts/dialog-form.tsx";
import { fieldError } from "../../parts/form.tsx";
import type { Organization } from "../../parts/organization-page.tsx";
import { roleOptions } from "../../parts/people/roles-of.ts";

interface Props {
  org: string;
  organization: Organization;
  onClose: () => void;
}

function useInvite(org: string, invitation: Parameters<typeof invite>[1]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => invite(org, invitation),
    onSuccess: () => client.invalidateQueries({ queryKey: invitationsQuery(org).queryKey }),
  });
}

export function InviteDialog({ org, organization, onClose }: Props) {
  const roles = useQuery(rolesQuery(org));
  const teams = useQuery(teamsQuery(org));
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("member");
  const [teamIds, setTeamIds] = useState<string[]>([]);
  const sending = useInvite(org, { email: email.trim(), role, teamIds });
  return (
    <Modal opened onClose={onClose} title={`Invite to ${organization.name}`}>
      {sending.data ? (
        <Sent email={sending.data.email} url={sending.data.url} onClose={onClose} />
      ) : (
        <DialogForm
          label="Invitation"
          action="Send invitation"
          isReady={email.trim() !== ""}
          isPending={sending.isPending}
          error={sending.error}
          fields={["email"]}
          onSubmit={() => sending.mutate()}
          onClose={onClose}
        >
          <TextInput
            label="E-mail address"
            type="email"
            required
            data-autofocus
            value={email}
            error={fieldError(sending.error, "email")}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Select
            label="Role"
            data={roleOptions(organization, roles.data)}
            value={role}
            allowDeselect={false}
            onChange={(value) => setRole(value ?? "member")}
          />
          <MultiSelect
            label="Teams"
            data={(teams.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={teamIds}
            searchable
            onChange={setTeamIds}
          />
        </DialogForm>
      )}
    </Modal>
  );
}

function Sent({ email, url, onClose }: { email: string; url: string | undefined; onClose: () => void }) {
  return (
    <div className="stack gap-4" role="status">
      <p>
        The invitation for <b>{email}</b> is valid for 7 days and for this address only.
      </p>
      {url !== undefined && (
        <p className="sub">
          Accounts with this address also find it at <a href={url}>{url}</a>.
        </p>
      )}
      <div className="row end">
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}
