import { Button, NumberInput, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { organizationQuery } from "../../api/account/session.ts";
import { changeOrganization } from "../../api/organization/organizations.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";

const maxDays = 3650;
const suggestedDays = 90;

/** The age from which API tokens do not act in the organization. */
export function TokenAge({ organization }: { organization: Organization }) {
  const client = useQueryClient();
  const [days, setDays] = useState(organization.maxTokenDays);
  const saving = useMutation({
    mutationFn: () => changeOrganization(organization.slug, { maxTokenDays: days }),
    onSuccess: (saved) => client.setQueryData(organizationQuery(organization.slug).queryKey, saved),
  });
  return (
    <form
      className="stack gap-3"
      style={{ maxWidth: 520 }}
      aria-label="Age of tokens"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <h2>Age of tokens</h2>
      <Switch
        label="Limit the age of API tokens"
        description="Older tokens, also those of members and of their device logins, stop acting in the organization."
        checked={days !== null}
        onChange={(event) =>
          setDays(event.currentTarget.checked ? (organization.maxTokenDays ?? suggestedDays) : null)
        }
      />
      {days !== null && (
        <NumberInput
          label="Days"
          w={120}
          min={1}
          max={maxDays}
          allowDecimal={false}
          hideControls
          value={days}
          onChange={(value) => typeof value === "number" && setDays(value)}
        />
      )}
      <Problem error={saving.error} />
      <Button
        type="submit"
        w="fit-content"
        loading={saving.isPending}
        disabled={days === organization.maxTokenDays}
      >
        Save
      </Button>
    </form>
  );
}
