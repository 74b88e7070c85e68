import { Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { MoreHorizontal } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { deleteWebhook, rotateSecret, updateWebhook, type Webhook } from "../../api/organization/webhooks.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";
import { kindLabels } from "./webhook-dialog.tsx";

interface Props {
  org: string;
  webhooks: Webhook[];
  /** The one whose deliveries are shown. */
  shownId: string;
  onShow: (id: string) => void;
  onEdit: (webhook: Webhook) => void;
  /** `secret`: a new one. */
  onChanged: (secret: string | null) => Promise<void>;
}

type Asked = { webhook: Webhook; act: "delete" | "rotate" };

/** The webhooks with their state, and what can be done with each. */
export function WebhookList({ org, webhooks, shownId, onShow, onEdit, onChanged }: Props) {
  const [asked, setAsked] = useState<Asked>();
  const change = useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) => updateWebhook(org, id, { enabled }),
    onSuccess: () => onChanged(null),
  });
  const close = () => setAsked(undefined);
  return (
    <section className="stack gap-3" aria-label="Webhooks">
      <Problem error={change.error} />
      <ul className="webhooks panel">
        {webhooks.map((webhook) => (
          <li key={webhook.id} className="webhook" data-current={webhook.id === shownId || undefined}>
            <State webhook={webhook} />
            {webhook.state === "disabled" && (
              <Button
                size="xs"
                variant="default"
                loading={change.isPending}
                onClick={() => change.mutate({ id: webhook.id, enabled: true })}
              >
                Enable
              </Button>
            )}
            {webhooks.length > 1 && (
              <Button
                size="xs"
                variant="default"
                aria-pressed={webhook.id === shownId}
                onClick={() => onShow(webhook.id)}
              >
                Deliveries
              </Button>
            )}
            <Menu position="bottom-end">
              <Menu.Target>
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  aria-label={`Actions for ${webhook.name}`}
                >
                  <MoreHorizontal size={16} />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => onEdit(webhook)}>Edit …</Menu.Item>
                {webhook.enabled && (
                  <Menu.Item onClick={() => change.mutate({ id: webhook.id, enabled: false })}>
                    Disable
                  </Menu.Item>
                )}
                {webhook.kind === "standard" && (
                  <Menu.Item onClick={() => setAsked({ webhook, act: "rotate" })}>New secret …</Menu.Item>
                )}
                <Menu.Item color="danger" onClick={() => setAsked({ webhook, act: "delete" })}>
                  Delete …
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </li>
        ))}
      </ul>
      {asked?.act === "delete" && (
        <ConfirmDialog
          title={`Delete ${asked.webhook.name}`}
          action="Delete webhook"
          isDangerous
          run={async () => {
            await deleteWebhook(org, asked.webhook.id);
            await onChanged(null);
          }}
          onClose={close}
        >
          <p>Pending messages are not sent any more, and the list of deliveries is removed.</p>
        </ConfirmDialog>
      )}
      {asked?.act === "rotate" && (
        <ConfirmDialog
          title={`New secret for ${asked.webhook.name}`}
          action="Create secret"
          run={() => rotateSecret(org, asked.webhook.id)}
          onDone={({ secret }) => {
            close();
            void onChanged(secret);
          }}
          onClose={close}
        >
          <p>For 24 hours, messages are signed by the previous secret as well.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const badges = {
  working: { tone: "ok", label: "enabled" },
  failing: { tone: "warn", label: "failing" },
  disabled: { tone: "danger", label: "disabled" },
} as const;

function State({ webhook }: { webhook: Webhook }) {
  const { name, kind, url, events, state, disabled, error, deliveredAt, waiting, previousSecretUntil } =
    webhook;
  const { tone, label } = badges[state];
  return (
    <div className="stack grow clip">
      <div className="row wrap">
        <b className="wrap-text">{name}</b>
        <span className="badge">{kindLabels[kind]}</span>
        <span className={`badge ${tone}`}>{label}</span>
      </div>
      <p className="mono wrap-text">{url}</p>
      <p className="meta wrap-text">
        {events === null ? "All events" : countText(events.length, "event", "events")}
        {waiting > 0 && `, ${countText(waiting, "message", "messages")} waiting`}
        {deliveredAt !== null && (
          <>
            , last delivery <Time value={deliveredAt} />
          </>
        )}
      </p>
      {error !== null && disabled?.reason !== "gone" && <p className="wrap-text">{error}</p>}
      {disabled && (
        <p className="wrap-text">
          {disabled.reason === "gone"
            ? "The receiver responded that it is gone"
            : "The receiver has accepted no message for three days"}
          , so the webhook was disabled <Time value={disabled.at} />. Waiting messages are sent once you
          enable it.
        </p>
      )}
      {previousSecretUntil !== null && (
        <p className="meta">
          Messages are also signed by the previous secret until <Time value={previousSecretUntil} />.
        </p>
      )}
    </div>
  );
}
