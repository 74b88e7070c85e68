import { Checkbox, Modal, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import {
  webhookEventGroups,
  webhookEventTitles,
  type WebhookEvent,
  type WebhookEventGroup,
  type WebhookKind,
} from "../../../../contract/events/webhook-events.ts";
import { createWebhook, updateWebhook, type Webhook } from "../../api/organization/webhooks.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../parts/forms/form.tsx";

export const kindLabels: Record<WebhookKind, string> = {
  standard: "Signed JSON",
  slack: "Slack",
  teams: "Microsoft Teams",
};

const groupLabels: Record<WebhookEventGroup, string> = {
  skills: "Skills",
  versions: "Versions",
  folders: "Folders",
  members: "Members and teams",
  sync: "Repository sync",
  conflicts: "Conflicts",
  findings: "Findings",
};

interface Props {
  org: string;
  /** Undefined for a new one. */
  webhook?: Webhook;
  /** `secret`: of a new webhook whose messages are signed. */
  onSaved: (id: string, secret: string | null) => void;
  onClose: () => void;
}

/** The form of a webhook. The address of a chat is a secret: it can be replaced, and is not shown. */
export function WebhookDialog({ org, webhook, onSaved, onClose }: Props) {
  const [kind, setKind] = useState<WebhookKind>(webhook?.kind ?? "standard");
  const [events, setEvents] = useState<WebhookEvent[] | null>(webhook ? webhook.events : null);
  const save = useMutation({
    async mutationFn({ name = "", url = "" }: Record<string, string>) {
      const address = url.trim();
      if (!webhook) return createWebhook(org, { name, url: address, kind, events });
      const isKept = address === "" || address === webhook.url;
      return {
        ...(await updateWebhook(org, webhook.id, { name, url: isKept ? undefined : address, events })),
        secret: null,
      };
    },
    onSuccess: ({ id, secret }) => onSaved(id, secret),
  });
  const title = webhook ? `Edit ${webhook.name}` : "New webhook";
  const isHidden = webhook !== undefined && webhook.kind !== "standard";
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
      <DialogForm
        label={title}
        action={webhook ? "Save" : "Create webhook"}
        isReady={events === null || events.length > 0}
        isPending={save.isPending}
        error={save.error}
        fields={["name", "url"]}
        onSubmit={(values) => save.mutate(values)}
        onClose={onClose}
      >
        <TextInput
          name="name"
          label="Name"
          defaultValue={webhook?.name}
          error={fieldError(save.error, "name")}
          required
          data-autofocus
        />
        {!webhook && (
          <Select
            label="Format"
            data={Object.entries(kindLabels).map(([value, label]) => ({ value, label }))}
            value={kind}
            allowDeselect={false}
            onChange={(next) => setKind((next ?? "standard") as WebhookKind)}
          />
        )}
        <TextInput
          name="url"
          label="Address"
          placeholder={isHidden ? "Leave empty to keep the address" : "https://hooks.example.com/skills"}
          defaultValue={isHidden ? "" : webhook?.url}
          error={fieldError(save.error, "url")}
          required={!webhook}
          spellCheck={false}
          autoComplete="off"
        />
        <EventChoice events={events} onChange={setEvents} />
      </DialogForm>
    </Modal>
  );
}

interface ChoiceProps {
  events: WebhookEvent[] | null;
  onChange: (events: WebhookEvent[] | null) => void;
}

function EventChoice({ events, onChange }: ChoiceProps) {
  const chosen = new Set(events ?? []);
  const toggle = (changed: readonly WebhookEvent[], isOn: boolean) => {
    const rest = [...chosen].filter((event) => !changed.includes(event));
    onChange(isOn ? [...rest, ...changed] : rest);
  };
  return (
    <fieldset className="stack gap-3 event-choice">
      <legend>Events</legend>
      <Checkbox
        label="All events, also those that later releases add"
        checked={events === null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? null : [])}
      />
      {events !== null && (
        <div className="event-groups">
          {(Object.keys(webhookEventGroups) as WebhookEventGroup[]).map((group) => {
            const all = webhookEventGroups[group];
            const count = all.filter((event) => chosen.has(event)).length;
            return (
              <div key={group} className="stack" role="group" aria-label={groupLabels[group]}>
                <Checkbox
                  label={<b>{groupLabels[group]}</b>}
                  checked={count === all.length}
                  indeterminate={count > 0 && count < all.length}
                  onChange={({ currentTarget }) => toggle(all, currentTarget.checked)}
                />
                {all.map((event) => (
                  <Checkbox
                    key={event}
                    className="event"
                    label={webhookEventTitles[event]}
                    checked={chosen.has(event)}
                    onChange={({ currentTarget }) => toggle([event], currentTarget.checked)}
                  />
                ))}
              </div>
            );
          })}
        </div>
      )}
    </fieldset>
  );
}
