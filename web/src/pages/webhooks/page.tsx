import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { webhooksQuery, type Webhook } from "../../api/organization/webhooks.ts";
import { Command } from "../../parts/copy/command.tsx";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { WebhookList } from "./webhook-list.tsx";
import "./webhooks.css";

export const Route = createFileRoute("/$org/-/webhooks")({ component: WebhooksPage });

function WebhooksPage() {
  const { org } = Route.useParams();
  const client = useQueryClient();
  const webhooks = useQuery({ ...webhooksQuery(org), refetchInterval: 15_000 });
  const [edited, setEdited] = useState<{ webhook?: Webhook }>();
  const [secret, setSecret] = useState<string | null>(null);
  const [shownId, setShownId] = useState<string>();
  const list = webhooks.data ?? [];
  const shown = list.find(({ id }) => id === shownId) ?? list[0];
  const keep = (next: string | null) => {
    if (next !== null) setSecret(next);
    return client.invalidateQueries({ queryKey: webhooksQuery(org).queryKey });
  };
  return (
    <OrganizationPage
      org={org}
      title="Webhooks"
      permission={["security", "manage"]}
      subject={webhooks}
      renderActions={() => (
        <Button
          size="xs"
          leftSection={<Plus size={14} />}
          disabled={list.length >= limits.webhooksPerOrganization}
          onClick={() => setEdited({})}
        >
          New webhook
        </Button>
      )}
    >
      {(organization) => (
        <div className="page stack gap-4">
          <h1>Webhooks</h1>
          <p className="sub">
            What happens in {organization.name} is sent to your programs, and to channels of Slack and Teams.
          </p>
          {secret !== null && (
            <div className="note ok" role="status">
              <div className="stack gap-3">
                <p>Copy the secret by which messages are signed: it is not shown again.</p>
                <Command text={secret} prompt="" label="Copy secret" />
              </div>
            </div>
          )}
          {shown ? (
            <>
              <WebhookList
                org={org}
                webhooks={list}
                shownId={shown.id}
                onShow={setShownId}
                onEdit={(webhook) => setEdited({ webhook })}
                onChanged={keep}
              />
              <Deliveries key={shown.id} org={org} webhook={shown} />
            </>
          ) : (
            <Empty title="No webhooks yet">
              <p>Let a program or a channel know about new versions, members, syncs and findings.</p>
              <Button variant="default" w="fit-content" onClick={() => setEdited({})}>
                New webhook
              </Button>
            </Empty>
          )}
          {edited && (
            <WebhookDialog
              org={org}
              webhook={edited.webhook}
              onSaved={(id, next) => {
                setShownId(id);
                setEdited(undefined);
                void keep(next);
              }}
              onClose={() => setEdited(undefined)}
            />
          )}
        </div>
      )}
    </OrganizationPage>
  );
}
