import { Button, Modal, MultiSelect, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/client.ts";
import { invitationsQuery, invite, rolesQuery, teamsQuery } from "../../api/people.ts";
import type { Organization } from "../../parts/organization-page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { roleOptions } from "./roles-of.ts";

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
  const fields = sending.error instanceof ApiError ? sending.error.fields : {};
  return (
    <Modal opened onClose={onClose} title={`Invite to ${organization.name}`}>
      {sending.data ? (
        <Sent email={sending.data.email} url={sending.data.url} onClose={onClose} />
      ) : (
        <form
          className="stack g4"
          onSubmit={(event) => {
            event.preventDefault();
            sending.mutate();
          }}
        >
          <TextInput
            label="E-mail address"
            type="email"
            required
            data-autofocus
            value={email}
            error={fields["email"]}
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
          {fields["email"] === undefined && <Problem error={sending.error} />}
          <div className="row wrap end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending} disabled={email.trim() === ""}>
              Send invitation
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}

function Sent({ email, url, onClose }: { email: string; url: string | undefined; onClose: () => void }) {
  return (
    <div className="stack g4" role="status">
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
