import { Button, Modal, Select } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  webhookDeliveryStates,
  type WebhookDeliveryState,
} from "../../../../contract/events/webhook-events.ts";
import { countText } from "../../../../contract/text/count-text.ts";
import {
  deliveriesQuery,
  deliveryQuery,
  resendDelivery,
  testWebhook,
  type Delivery,
  type Webhook,
} from "../../api/organization/webhooks.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";

const tones: Record<WebhookDeliveryState, string> = { pending: "warn", delivered: "ok", failed: "danger" };
/** Interval at which pending messages are read again. */
const pollMs = 2000;
const restMs = 15_000;

const columnsOf = (onOpen: (id: string) => void): Column<Delivery>[] => [
  {
    header: "Event",
    isRowHeader: true,
    className: "wrap-text",
    cell: ({ id, type }) => (
      <button type="button" className="link-button mono" onClick={() => onOpen(id)}>
        {type}
      </button>
    ),
  },
  {
    header: "State",
    cell: ({ state, lastAttempt }) => (
      <>
        <span className={`badge ${tones[state]}`}>{state}</span>{" "}
        <span className="meta mono">{lastAttempt?.status}</span>
      </>
    ),
  },
  {
    header: "Attempts",
    isHiddenOnPhones: true,
    align: "right",
    cell: ({ attemptCount }) => attemptCount.toLocaleString("en"),
  },
  {
    header: "Time",
    isHiddenOnPhones: true,
    className: "meta nowrap",
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
];

/** Messages to the receiver of a webhook, newest first. */
export function Deliveries({ org, webhook }: { org: string; webhook: Webhook }) {
  const client = useQueryClient();
  const [state, setState] = useState<WebhookDeliveryState>();
  const [openId, setOpenId] = useState<string>();
  const found = useInfiniteQuery({
    ...deliveriesQuery(org, webhook.id, state),
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.data.some((one) => one.state === "pending") ? pollMs : restMs,
  });
  const test = useMutation({
    mutationFn: () => testWebhook(org, webhook.id),
    onSuccess: () =>
      client.invalidateQueries({ queryKey: deliveriesQuery(org, webhook.id).queryKey.slice(0, 1) }),
  });
  return (
    <>
      <ListSection
        title={`Deliveries of ${webhook.name}`}
        found={found}
        aside={
          <div className="row wrap">
            <Select
              aria-label="State"
              placeholder="All states"
              w={150}
              size="xs"
              clearable
              clearButtonProps={{ "aria-label": "All states" }}
              data={[...webhookDeliveryStates]}
              value={state ?? null}
              onChange={(next) => setState(next ?? undefined)}
            />
            <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
              Send a test
            </Button>
          </div>
        }
        filter={<Problem error={test.error} />}
        empty={state === undefined ? "Nothing was sent in the last 30 days." : `No message is ${state}.`}
      >
        {(rows) => (
          <DataTable caption="Messages" columns={columnsOf(setOpenId)} rows={rows} keyOf={({ id }) => id} />
        )}
      </ListSection>
      {openId !== undefined && (
        <DeliveryDialog org={org} webhook={webhook} id={openId} onClose={() => setOpenId(undefined)} />
      )}
    </>
  );
}

interface DialogProps {
  org: string;
  webhook: Webhook;
  id: string;
  onClose: () => void;
}

/** A message with its body, its attempts and the last response. */
function DeliveryDialog({ org, webhook, id, onClose }: DialogProps) {
  const client = useQueryClient();
  const found = useQuery({
    ...deliveryQuery(org, webhook.id, id),
    refetchInterval: ({ state: { data } }) => (data?.state === "pending" ? pollMs : false),
  });
  const resend = useMutation({
    mutationFn: () => resendDelivery(org, webhook.id, id),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveryQuery(org, webhook.id, id).queryKey }),
  });
  return (
    <Modal opened onClose={onClose} title={found.data?.type ?? "Message"} size="xl">
      <Loaded found={found} rows={4}>
        {({ messageId, state, body, response, attempts, nextAttemptAt, createdAt }) => (
          <div className="stack gap-4">
            <div className="row wrap">
              <span className={`badge ${tones[state]}`}>{state}</span>
              <span className="mono wrap-text">{messageId}</span>
              <span className="meta">
                <Time value={createdAt} />
              </span>
            </div>
            <section className="stack" aria-label="Body">
              <h3>Body</h3>
              <pre className="message" tabIndex={0} aria-label="Body of the message">
                {indented(body)}
              </pre>
            </section>
            <section className="stack" aria-label="Attempts">
              <h3>{countText(attempts.length, "attempt", "attempts")}</h3>
              <ul className="lines">
                {attempts.map(({ at, status, error, durationMs }) => (
                  <li key={at} className="row wrap">
                    <Time value={at} />
                    <span className="mono">{status ?? "no response"}</span>
                    <span className="meta">{durationMs.toLocaleString("en")} ms</span>
                    {error !== null && <span className="wrap-text">{error}</span>}
                  </li>
                ))}
              </ul>
              {nextAttemptAt !== null && attempts.length > 0 && (
                <p className="meta">
                  Next attempt <Time value={nextAttemptAt} />
                </p>
              )}
            </section>
            {response !== null && response !== "" && (
              <section className="stack" aria-label="Response">
                <h3>Last response</h3>
                <pre className="message" tabIndex={0} aria-label="Body of the response">
                  {response}
                </pre>
              </section>
            )}
            <Problem error={resend.error} />
            <div className="row end">
              <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
                Send again
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Modal>
  );
}

const indented = (json: string) => JSON.stringify(JSON.parse(json), null, 2);
