import { MultiSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { rolesQuery } from "../../../api/organization/people.ts";
import { fieldError } from "../../../parts/forms/form.tsx";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { roleOptionsBelowOwner } from "../../../parts/people/roles-of.ts";

export interface TeamDraft {
  name: string;
  description: string;
  /** Ids of the roles that its members get. */
  roles: string[];
}

/** Names of the fields that show their own problem. */
export const teamFields = ["name", "description"] as const;

export const trimmed = ({ name, description, roles }: TeamDraft): TeamDraft => ({
  name: name.trim(),
  description: description.trim(),
  roles,
});

interface Props {
  org: string;
  organization: Organization;
  draft: TeamDraft;
  onChange: (draft: TeamDraft) => void;
  error: unknown;
  /** The name has the focus when a dialog opens. */
  isFocused?: boolean;
}

/** The name, description and roles of a team. */
export function TeamFields({ org, organization, draft, onChange, error, isFocused }: Props) {
  const roles = useQuery(rolesQuery(org));
  const set = (part: Partial<TeamDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextInput
        label="Name"
        data-autofocus={isFocused}
        required
        maxLength={50}
        value={draft.name}
        error={fieldError(error, "name")}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label="Description"
        placeholder="What the team is for"
        maxLength={200}
        value={draft.description}
        error={fieldError(error, "description")}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <MultiSelect
        label="Roles"
        description="Members of the team have these in addition to their own."
        data={roleOptionsBelowOwner(organization, roles.data)}
        value={draft.roles}
        onChange={(given) => set({ roles: given })}
      />
    </>
  );
}
