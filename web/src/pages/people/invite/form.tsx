import { MultiSelect, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { rolesQuery, teamsQuery } from "../../../api/organization/people.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { roleOptions } from "../../../parts/people/roles-of.ts";
import { AddressField } from "./address-field.tsx";
import { readAddresses, type ReadAddresses } from "./addresses.ts";
import { DomainLink } from "./domain-link.tsx";
import { MailNote } from "./mail-note.tsx";
import { maxAddresses, type useInvite } from "./use-invite.ts";

interface Props {
  org: string;
  organization: Organization;
  text: string;
  onText: (text: string) => void;
  /** Number of addresses whose outcome is known, after a failure. */
  sent: number;
  sending: ReturnType<typeof useInvite>["sending"];
  onClose: () => void;
}

/** The addresses, and the role and teams that all of them get. */
export function InviteForm({ org, organization, text, onText, sent, sending, onClose }: Props) {
  const roles = useQuery(rolesQuery(org));
  const teams = useQuery(teamsQuery(org));
  const options = roleOptions(organization, roles.data);
  const [chosen, setChosen] = useState<string>();
  const [teamIds, setTeamIds] = useState<string[]>([]);
  const [isChecked, setChecked] = useState(false);
  const read = useMemo(() => readAddresses(text), [text]);
  const role = chosen ?? defaultRole(options);
  const problem = isChecked ? problemOf(read) : undefined;
  const submit = () => {
    setChecked(true);
    if (problemOf(read) === undefined) sending.mutate({ emails: read.addresses, role, teamIds });
  };
  const count = read.addresses.length;
  return (
    <DialogForm
      label="Invitations"
      action={count > 1 ? `Invite ${count} people` : "Invite"}
      isPending={sending.isPending}
      error={sending.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <MailNote />
      <AddressField text={text} read={read} problem={problem} onText={onText} />
      <Select
        label="Role"
        data={options}
        value={role}
        allowDeselect={false}
        description="Roles that give more than you hold can't be chosen."
        onChange={(value) => setChosen(value ?? undefined)}
      />
      {teams.data?.length !== 0 && (
        <MultiSelect
          label="Teams"
          placeholder={teamIds.length === 0 ? "None" : undefined}
          data={(teams.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={teamIds}
          searchable
          onChange={setTeamIds}
        />
      )}
      {sent > 0 && (
        <p className="sub" role="status">
          {sending.isPending
            ? `${sent} of ${count} are done.`
            : `${sent} of ${count} are done. Inviting again continues after them.`}
        </p>
      )}
      <DomainLink org={org} organization={organization} />
    </DialogForm>
  );
}

function defaultRole(options: ReturnType<typeof roleOptions>): string {
  const free = options.filter(({ disabled }) => !disabled);
  return (free.find(({ value }) => value === "member") ?? free.at(-1))?.value ?? "member";
}

function problemOf({ addresses, invalid }: ReadAddresses): string | undefined {
  if (invalid.length > 0)
    return invalid.length === 1
      ? `"${invalid[0]}" is not an e-mail address. Correct or remove it.`
      : `${invalid.length} entries are not e-mail addresses. Correct or remove them.`;
  if (addresses.length === 0) return "Enter an e-mail address.";
  if (addresses.length > maxAddresses)
    return `${addresses.length} addresses are too many at once. Invite at most ${maxAddresses}.`;
  return undefined;
}
