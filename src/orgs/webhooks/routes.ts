/** Routes of the webhooks of an organization. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  CreatedWebhookPayload,
  WebhookDeliveryDetailPayload,
  WebhookDeliveryPayload,
  WebhookPayload,
} from "../../../contract/payloads/organizations/webhooks.ts";
import type { App } from "../../app.ts";
import { Enveloped, routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../schema.ts";
import { listDeliveries, loadDelivery, resendDelivery, testWebhook } from "./deliveries.ts";
import { presentCreated, presentDelivery, presentDeliveryDetail, presentWebhook } from "./present.ts";
import { CreateWebhook, DeliveryParams, DeliveryQuery, UpdateWebhook, WebhookParams } from "./schema.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  loadWebhook,
  rotateSecret,
  updateWebhook,
} from "./service.ts";

const route = routesOf({ tag: "Webhooks", auth: "required" });
const base = "/api/tenants/:tenant/webhooks";

export function webhookRoutes(app: App): Route[] {
  return [...readRoutes(app), ...changeRoutes(app), ...deliveryRoutes(app)];
}

function readRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: base,
      id: "listWebhooks",
      summary: "List the webhooks of an organization, oldest first",
      params: TenantParams,
      data: z
        .array(WebhookPayload)
        .max(limits.webhooksPerOrganization)
        .meta({ description: "all of them, unless `limit` is lower: an organization has at most as many" }),
      async handle({ actor, params }) {
        const webhooks = await listWebhooks(app, actor, params.tenant);
        return Promise.all(webhooks.map((webhook) => presentWebhook(app, webhook)));
      },
    }),
    route({
      method: "get",
      path: `${base}/:webhook`,
      id: "getWebhook",
      summary: "Read a webhook",
      params: WebhookParams,
      data: WebhookPayload,
      handle: async ({ actor, params }) => presentWebhook(app, await loadWebhook(app, actor, params)),
    }),
  ];
}

function changeRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: base,
      id: "createWebhook",
      failures: ["already_exists", "limit_reached"],
      summary: "Send events of an organization to a receiver from now on",
      params: TenantParams,
      body: CreateWebhook,
      status: 201,
      data: CreatedWebhookPayload,
      // In an envelope of its own, so that the secret is not kept for repeated calls.
      handle: async ({ actor, params, body }) =>
        new Enveloped(await presentCreated(app, await createWebhook(app, actor, params.tenant, body))),
    }),
    route({
      method: "patch",
      path: `${base}/:webhook`,
      id: "updateWebhook",
      failures: ["already_exists", "conflict"],
      summary: "Change a webhook, or disable or enable it",
      params: WebhookParams,
      body: UpdateWebhook,
      data: WebhookPayload,
      handle: async ({ actor, params, body }) =>
        presentWebhook(app, await updateWebhook(app, actor, params, body)),
    }),
    route({
      method: "delete",
      path: `${base}/:webhook`,
      id: "deleteWebhook",
      summary: "Delete a webhook with its deliveries",
      params: WebhookParams,
      data: null,
      handle: ({ actor, params }) => deleteWebhook(app, actor, params),
    }),
    route({
      method: "post",
      path: `${base}/:webhook/secret`,
      id: "rotateWebhookSecret",
      failures: ["refused", "conflict"],
      summary: "Replace the secret; messages are also signed by the previous one for a day",
      params: WebhookParams,
      data: CreatedWebhookPayload,
      handle: async ({ actor, params }) =>
        new Enveloped(await presentCreated(app, await rotateSecret(app, actor, params))),
    }),
    route({
      method: "post",
      path: `${base}/:webhook/test`,
      id: "testWebhook",
      summary: "Send a message without an event",
      params: WebhookParams,
      data: WebhookDeliveryPayload,
      budget: "search",
      handle: async ({ actor, params }) => presentDelivery(await testWebhook(app, actor, params)),
    }),
  ];
}

function deliveryRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: `${base}/:webhook/deliveries`,
      id: "listWebhookDeliveries",
      summary: "List the messages to the receiver of a webhook, newest first",
      params: WebhookParams,
      query: DeliveryQuery,
      data: WebhookDeliveryPayload,
      page: true,
      handle: async ({ actor, params, query }) =>
        (await listDeliveries(app, actor, params, query)).map(presentDelivery),
    }),
    route({
      method: "get",
      path: `${base}/:webhook/deliveries/:delivery`,
      id: "getWebhookDelivery",
      summary: "Read a message, its attempts and the last response",
      params: DeliveryParams,
      data: WebhookDeliveryDetailPayload,
      async handle({ actor, params }) {
        const { webhook, message } = await loadDelivery(app, actor, params);
        return presentDeliveryDetail(webhook, message);
      },
    }),
    route({
      method: "post",
      path: `${base}/:webhook/deliveries/:delivery/resend`,
      id: "resendWebhookDelivery",
      summary: "Send a message again, with the same id",
      params: DeliveryParams,
      data: WebhookDeliveryPayload,
      budget: "search",
      handle: async ({ actor, params }) => presentDelivery(await resendDelivery(app, actor, params)),
    }),
  ];
}
