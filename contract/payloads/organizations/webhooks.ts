/** Webhooks of organizations, and what was sent to their receivers. */
import { z } from "zod";
import {
  webhookDeliveryStates,
  webhookDisablings,
  webhookEvents,
  webhookKinds,
} from "../../events/webhook-events.ts";

export const WebhookPayload = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(webhookKinds),
    url: z.string().meta({ description: "of a chat only the host, since the address is a secret" }),
    events: z
      .array(z.enum(webhookEvents))
      .nullable()
      .meta({
        description: "null: all, also those that later releases add",
        examples: [["skill.version_created"]],
      }),
    enabled: z.boolean().meta({ description: "false: events are not sent" }),
    disabled: z
      .object({
        reason: z.enum(webhookDisablings).meta({
          description: "failing: nothing was taken for three days; gone: the receiver responded with 410",
        }),
        at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: "set if the service has disabled it" }),
    state: z.enum(["working", "failing", "disabled"]),
    failingSince: z.iso.datetime().nullable().meta({ description: "first failure since the last delivery" }),
    error: z
      .string()
      .nullable()
      .meta({
        description: "why the last attempt failed",
        examples: ["The receiver responded with status 503."],
      }),
    deliveredAt: z.iso.datetime().nullable().meta({ description: "time of the last delivery" }),
    waiting: z.number().int().meta({ description: "pending messages, counted up to 10,000" }),
    previousSecretUntil: z.iso
      .datetime()
      .nullable()
      .meta({ description: "messages are also signed by the previous secret until then" }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Webhook" });
export type WebhookPayload = z.infer<typeof WebhookPayload>;

export const CreatedWebhookPayload = z
  .object({
    ...WebhookPayload.shape,
    secret: z
      .string()
      .nullable()
      .meta({ description: "secret by which messages are signed, shown this once; null for a chat" }),
  })
  .meta({ id: "CreatedWebhook" });
export type CreatedWebhookPayload = z.infer<typeof CreatedWebhookPayload>;

const attempt = z.object({
  at: z.iso.datetime(),
  durationMs: z.number().int().meta({ description: "time until the response, in milliseconds" }),
  status: z
    .number()
    .int()
    .nullable()
    .meta({ description: "HTTP status; null without a response", examples: [204] }),
  error: z
    .string()
    .nullable()
    .meta({
      description: "null if the receiver took the message",
      examples: ["The receiver responded with status 503."],
    }),
});

const delivery = {
  id: z.string(),
  type: z.string().meta({ description: "event, or webhook.test", examples: ["skill.version_created"] }),
  createdAt: z.iso.datetime().meta({ description: "time of the event" }),
  state: z.enum(webhookDeliveryStates),
  attemptCount: z.number().int().meta({ description: "attempts so far" }),
  lastAttempt: attempt.nullable().meta({ description: "null before the first attempt" }),
  nextAttemptAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: "time of the next attempt, in the past if it is due; null if there is none" }),
};

export const WebhookDeliveryPayload = z.object(delivery).meta({ id: "WebhookDelivery" });
export type WebhookDeliveryPayload = z.infer<typeof WebhookDeliveryPayload>;

export const WebhookDeliveryDetailPayload = z
  .object({
    ...delivery,
    messageId: z.string().meta({
      description: "header webhook-id, the same in repetitions",
      examples: ["msg_6b02d165c63c0e6e04677682"],
    }),
    body: z.string().meta({ description: "what is sent", examples: ['{"type":"skill.version_created"}'] }),
    response: z
      .string()
      .nullable()
      .meta({ description: "the first 4096 characters of the last response", examples: ["OK"] }),
    attempts: z.array(attempt).max(20).meta({ description: "the last ones, oldest first" }),
  })
  .meta({ id: "WebhookDeliveryDetail" });
export type WebhookDeliveryDetailPayload = z.infer<typeof WebhookDeliveryDetailPayload>;
