import { Button, Select, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { rolesQuery } from "../../api/organization/people.ts";
import { autoJoinQuery, setAutoJoin, type AutoJoin } from "../../api/organization/sso-domains.ts";
import { Form } from "../../parts/forms/form.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { roleOptionsBelowOwner } from "../../parts/people/roles-of.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";

interface Props {
  org: string;
  organization: Organization;
}

/** Membership by an address in a verified domain. */
export function AutoJoinPanel({ org, organization }: Props) {
  const found = useQuery(autoJoinQuery(org));
  return (
    <section className="panel" aria-labelledby="auto-join-heading">
      <header>
        <h2 id="auto-join-heading">Auto-join</h2>
      </header>
      <div className="body stack gap-4">
        <p className="sub">
          People with a confirmed address in a verified domain become members when they confirm it or sign in,
          without an invitation.
        </p>
        <Loaded found={found} rows={2}>
          {(setting) => <AutoJoinForm org={org} organization={organization} setting={setting} />}
        </Loaded>
      </div>
    </section>
  );
}

function AutoJoinForm({ org, organization, setting }: Props & { setting: AutoJoin }) {
  const client = useQueryClient();
  const roles = useQuery(rolesQuery(org));
  const [isEnabled, setEnabled] = useState(setting.enabled);
  const [role, setRole] = useState(setting.role);
  const save = useMutation({
    mutationFn: () => setAutoJoin(org, { enabled: isEnabled, role }),
    onSuccess: (saved) => client.setQueryData(autoJoinQuery(org).queryKey, saved),
  });
  const { domains } = setting;
  const hasDomain = domains.length > 0;
  if (!hasDomain && !setting.enabled)
    return <p className="note">Verify a domain first, so that it is clear who joins.</p>;
  return (
    <Form label="Auto-join" error={save.error} onSubmit={() => !save.isPending && save.mutate()}>
      {!hasDomain && (
        <p className="note warn">Auto-join is on, but no one joins until you verify a domain.</p>
      )}
      <Switch
        label="Let people join automatically"
        checked={isEnabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
      {isEnabled && (
        <>
          <Select
            label="Role of those who join"
            data={roleOptionsBelowOwner(organization, roles.data)}
            value={role}
            allowDeselect={false}
            maw={320}
            onChange={(value) => setRole(value ?? "member")}
          />
          <ul className="plain-list">
            {hasDomain && (
              <li>Everyone with an address in {domains.join(", ")} joins. Former members don&apos;t.</li>
            )}
            <li>A required second factor, or single sign-on, applies to them as to all members.</li>
            <li>
              An address stays confirmed after its mailbox is closed: enforce single sign-on to keep people
              out who left the company.
            </li>
          </ul>
        </>
      )}
      <Problem error={save.error} />
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
        <span role="status" className="meta">
          {save.isSuccess && "Saved."}
        </span>
      </div>
    </Form>
  );
}
