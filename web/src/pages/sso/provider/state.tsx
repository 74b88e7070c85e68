import { Button, Switch } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  deleteProvider,
  isConnected,
  providersQuery,
  type SsoProvider,
} from "../../../api/organization/sso.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { EnforceDialog } from "./enforce-dialog.tsx";
import { useSave } from "./use-save.ts";

interface Props {
  org: string;
  organization: Organization;
  provider: SsoProvider;
}

/** Who can and who has to sign in through the provider, and its end. */
export function ProviderState({ org, organization, provider }: Props) {
  const { id, name, enabled, enforced } = provider;
  const [asked, setAsked] = useState<"enforce" | "delete">();
  const client = useQueryClient();
  const navigate = useNavigate();
  const save = useSave(org, id);
  const close = () => setAsked(undefined);
  return (
    <section className="panel" aria-labelledby="state-heading">
      <header>
        <h2 id="state-heading">Who signs in through it</h2>
      </header>
      <div className="body stack gap-4">
        <Switch
          label="Enabled"
          description="People whose address is in a verified domain are led to this provider when they sign in."
          checked={enabled}
          disabled={save.isPending || !isConnected(provider)}
          onChange={(event) => save.mutate({ enabled: event.currentTarget.checked })}
        />
        <Switch
          label="Required"
          description={
            `Members of ${organization.name} reach nothing in it without a sign-in through the provider. ` +
            "Owners can use their second factor for a day instead."
          }
          checked={enforced}
          disabled={save.isPending || !enabled}
          onChange={(event) =>
            event.currentTarget.checked ? setAsked("enforce") : save.mutate({ enforced: false })
          }
        />
        <Problem error={save.error} />
        <Button variant="subtle" color="gray" w="fit-content" onClick={() => setAsked("delete")}>
          Delete provider
        </Button>
      </div>
      {asked === "enforce" && <EnforceDialog org={org} provider={provider} onClose={close} />}
      {asked === "delete" && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete provider"
          isDangerous
          run={async () => {
            await deleteProvider(org, id);
            await navigate({ to: "/$org/-/sso", params: { org } });
            await client.invalidateQueries({ queryKey: providersQuery(org).queryKey });
          }}
          onClose={close}
        >
          <p>
            No one can sign in through it any more{enforced && ", and it is no longer required"}. Accounts and
            memberships stay: people without a password choose one by <b>Forgot password</b>. This can&apos;t
            be undone.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
