/** The webhook for operators. */
import type {
  OperatorConditionDoc,
  OperatorNotice,
} from "../../../storage/maintenance/operator-conditions.ts";
import type { App } from "../../app.ts";
import { sendSigned } from "../../webhooks/send.ts";

/** Throws unless the receiver responds with 2xx. Does nothing without a webhook. */
export async function sendWebhook(
  app: App,
  { _id, text, since }: OperatorConditionDoc,
  { id, type, at }: OperatorNotice,
): Promise<void> {
  const { operatorWebhook } = app.config;
  if (!operatorWebhook) return;
  const body = JSON.stringify({
    type: `condition.${type}`,
    timestamp: at.toISOString(),
    data: { condition: _id, text, since: since?.toISOString() ?? null, service: app.config.baseUrl },
  });
  await sendSigned(operatorWebhook, { id, body, sentAt: app.now() });
}
