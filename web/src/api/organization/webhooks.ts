/** Webhooks of an organization, and the messages to their receivers. */
import type { WebhookEvent, WebhookKind } from "../../../../contract/events/webhook-events.ts";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";

export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["WebhookDelivery"];

const base = "/api/tenants/{tenant}/webhooks";
const at = (tenant: string, webhook: string) => ({ params: { path: { tenant, webhook } } });

export const webhooksQuery = (org: string) => query(base, { tenant: org });

export const deliveriesQuery = (org: string, webhook: string, state?: Delivery["state"]) =>
  pages(`${base}/{webhook}/deliveries`, { tenant: org, webhook, state });

export const deliveryQuery = (org: string, webhook: string, delivery: string) =>
  query(`${base}/{webhook}/deliveries/{delivery}`, { tenant: org, webhook, delivery });

export interface WebhookFields {
  name: string;
  /** Undefined: the address stays. */
  url?: string;
  events: WebhookEvent[] | null;
}

export const createWebhook = (tenant: string, body: WebhookFields & { url: string; kind: WebhookKind }) =>
  dataOf(api.POST(base, { params: { path: { tenant } }, body }));

export const updateWebhook = (
  tenant: string,
  webhook: string,
  body: Partial<WebhookFields> & { enabled?: boolean },
) => dataOf(api.PATCH(`${base}/{webhook}`, { ...at(tenant, webhook), body }));

export const deleteWebhook = (tenant: string, webhook: string) =>
  ok(api.DELETE(`${base}/{webhook}`, at(tenant, webhook)));

export const rotateSecret = (tenant: string, webhook: string) =>
  dataOf(api.POST(`${base}/{webhook}/secret`, at(tenant, webhook)));

export const testWebhook = (tenant: string, webhook: string) =>
  dataOf(api.POST(`${base}/{webhook}/test`, at(tenant, webhook)));

export const resendDelivery = (tenant: string, webhook: string, delivery: string) =>
  dataOf(
    api.POST(`${base}/{webhook}/deliveries/{delivery}/resend`, {
      params: { path: { tenant, webhook, delivery } },
    }),
  );
