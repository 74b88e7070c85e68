import { z } from "zod";
import {
  webhookDeliveryStates,
  webhookEvents,
  webhookKinds,
} from "../../../contract/events/webhook-events.ts";
import { limits } from "../../../contract/limits.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { personName } from "../../users/schema.ts";

const isAddress = (text: string) => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "" && hostname !== "" && hash === "";
};

const name = personName.max(limits.webhookName);
const url = z
  .string()
  .max(limits.webhookUrl)
  .refine(isAddress, "must be https://…, without credentials and fragment (#)")
  .meta({ description: "`https://…`; at most 2000 characters" });
const events = z
  .array(z.enum(webhookEvents))
  .min(1, "must name one: null stands for all")
  .refine((list) => new Set(list).size === list.length, "names one twice")
  .nullable()
  .meta({
    description: "null: all, also those that later releases add",
    examples: [["skill.version_created"]],
  });

export const CreateWebhook = z.strictObject({
  name,
  url,
  kind: z.enum(webhookKinds).default("standard").meta({
    description: "`slack`, `teams`: the format of an incoming webhook of that chat, without a signature",
  }),
  events: events.default(null),
});
export type CreateWebhook = z.output<typeof CreateWebhook>;

export const UpdateWebhook = z
  .strictObject({
    name: name.optional(),
    url: url.optional(),
    events: events.optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({ description: "true: pending messages are sent at once; false: no new ones are kept" }),
  })
  .refine((fields) => Object.keys(fields).length > 0, "needs a field to change");
export type UpdateWebhook = z.output<typeof UpdateWebhook>;

const tenant = z.string().min(1).max(64).meta({ description: "id or slug" });
const webhook = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "id of the webhook", examples: ["6b02d165c63c0e6e04677682"] });
const delivery = z
  .string()
  .min(1)
  .max(200)
  .meta({
    description: "id of the message",
    examples: ["6b02d165c63c0e6e04677682:6b02d165c63c0e6e04677683"],
  });
export const WebhookParams = z.object({ tenant, webhook });
export const DeliveryParams = z.object({ tenant, webhook, delivery });
export const DeliveryQuery = z.object({ ...listQuery, state: z.enum(webhookDeliveryStates).optional() });
export type DeliveryQuery = z.output<typeof DeliveryQuery>;
