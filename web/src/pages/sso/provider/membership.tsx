import { Button, Select, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { rolesQuery } from "../../../api/organization/people.ts";
import type { SsoProvider } from "../../../api/organization/sso.ts";
import { fieldError, Form } from "../../../parts/forms/form.tsx";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { roleOptionsBelowOwner } from "../../../parts/people/roles-of.ts";
import { Problem } from "../../../parts/states/problem.tsx";
import { useSave } from "./use-save.ts";

interface Props {
  org: string;
  organization: Organization;
  provider: SsoProvider;
}

const absentMeanings = [
  { value: "unchanged", label: "Unknown: keep the person's teams" },
  { value: "none", label: "No groups: remove the person from mapped teams" },
];

/** People who sign in without being members, and the attribute with the groups. */
export function Membership({ org, organization, provider }: Props) {
  const roles = useQuery(rolesQuery(org));
  const [jit, setJit] = useState(provider.jit);
  const [attribute, setAttribute] = useState(provider.groupsAttribute ?? "");
  const [absentGroups, setAbsentGroups] = useState(provider.absentGroups);
  const save = useSave(org, provider.id);
  return (
    <section className="panel" aria-labelledby="membership-heading">
      <header>
        <h2 id="membership-heading">New members</h2>
      </header>
      <div className="body stack gap-4">
        <Form
          label="New members"
          error={save.error}
          onSubmit={() =>
            !save.isPending && save.mutate({ jit, groupsAttribute: attribute.trim() || null, absentGroups })
          }
        >
          <Switch
            label="People who sign in become members"
            description="With an address in a verified domain. Without it, only members and invited people can sign in."
            checked={jit.enabled}
            onChange={(event) => setJit({ ...jit, enabled: event.currentTarget.checked })}
          />
          {jit.enabled && (
            <Select
              label="Role of new members"
              data={roleOptionsBelowOwner(organization, roles.data)}
              value={jit.role}
              allowDeselect={false}
              maw={320}
              onChange={(role) => setJit({ ...jit, role: role ?? jit.role })}
            />
          )}
          <GroupFields
            attributeLabel={provider.type === "saml" ? "Attribute with the groups" : "Claim with the groups"}
            {...{ attribute, absentGroups }}
            error={save.error}
            onAttribute={setAttribute}
            onAbsentGroups={setAbsentGroups}
          />
          <Problem error={save.error} fields={["groupsAttribute"]} />
          <div className="row">
            <Button type="submit" variant="default" loading={save.isPending}>
              Save
            </Button>
            <span role="status" className="meta">
              {save.isSuccess && "Saved."}
            </span>
          </div>
        </Form>
      </div>
    </section>
  );
}

interface GroupFieldsProps {
  attributeLabel: string;
  attribute: string;
  absentGroups: SsoProvider["absentGroups"];
  error: unknown;
  onAttribute: (attribute: string) => void;
  onAbsentGroups: (meaning: SsoProvider["absentGroups"]) => void;
}

/** The attribute with the groups, and the meaning of a response without it. */
function GroupFields(props: GroupFieldsProps) {
  const { attributeLabel, attribute, absentGroups, error, onAttribute, onAbsentGroups } = props;
  return (
    <>
      <TextInput
        label={attributeLabel}
        description="Leave it empty to try groups, memberOf, and those of Entra ID and AD FS."
        maw={480}
        maxLength={300}
        autoComplete="off"
        spellCheck={false}
        value={attribute}
        error={fieldError(error, "groupsAttribute")}
        onChange={(event) => onAttribute(event.currentTarget.value)}
      />
      <Select
        label="If a response has no groups"
        description="Some providers, such as Entra ID, send no groups for a person who is in none."
        data={absentMeanings}
        value={absentGroups}
        allowDeselect={false}
        maw={480}
        onChange={(meaning) => onAbsentGroups(meaning === "none" ? "none" : "unchanged")}
      />
    </>
  );
}
