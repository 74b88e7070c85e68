/**
 * Tells administrators about conditions of the service, by mail and by a webhook: once when one begins, once a day
 * while it lasts, and when it is over. What is told is decided by the document of the condition, once for all
 * processes. A process that crashes between sending and recording that sends a notice twice, and loses none.
 */
import type {
  OperatorConditionDoc,
  OperatorNotice,
} from "../../../storage/maintenance/operator-conditions.ts";
import type { App } from "../../app.ts";
import { queueMails } from "../../mail/notice.ts";
import { findConditions, isElsewhere } from "./find-conditions.ts";
import { sendWebhook } from "./webhook.ts";

const dayMs = 24 * 3_600_000;
const maxConditions = 500;
const mailedAdministrators = 20;
/** A notice that the webhook does not take for so long is dropped. */
const webhookMs = dayMs;
const keptMs = 30 * dayMs;

export async function watchConditions(app: App): Promise<void> {
  const { operatorConditions } = app.storage;
  const at = app.now();
  const found = await findConditions(app);
  for (const { key, text } of found)
    await operatorConditions.apply(key, text, { id: app.newId(), at }, new Date(at.getTime() - dayMs));
  const keys = new Set(found.map(({ key }) => key));
  for (const condition of await operatorConditions.listApplying(maxConditions))
    if (!keys.has(condition._id) && !isElsewhere(condition, at))
      await operatorConditions.end(condition, { id: app.newId(), at });
  await sendPending(app);
  await operatorConditions.removeBefore(new Date(at.getTime() - keptMs));
}

async function sendPending(app: App): Promise<void> {
  for (;;) {
    const condition = await app.storage.operatorConditions.takePending(app.now());
    if (!condition?.pending) return;
    await send(app, condition, condition.pending);
  }
}

async function send(
  app: App,
  condition: OperatorConditionDoc,
  { mailed, ...notice }: NonNullable<OperatorConditionDoc["pending"]>,
): Promise<void> {
  const { operatorConditions } = app.storage;
  const { _id } = condition;
  if (!mailed) {
    await mailAdministrators(app, condition, notice);
    await operatorConditions.noteMailed(_id, notice.id);
  }
  try {
    await sendWebhook(app, condition, notice);
  } catch (error) {
    app.log.warn({ error, condition: _id }, "the webhook for operators was not accepted");
    // The claim ends in a few minutes, and another run tries again.
    if (app.now().getTime() - notice.at.getTime() < webhookMs) return;
  }
  await operatorConditions.noteSent(_id, notice.id);
}

const beginnings = { begun: "Attention", continues: "Still", ended: "Over" } as const;

async function mailAdministrators(
  app: App,
  { _id, text }: OperatorConditionDoc,
  { id, type, at }: OperatorNotice,
): Promise<void> {
  const administrators = await app.storage.users.list({
    by: "username",
    isAdministrator: true,
    suspended: false,
    limit: mailedAdministrators,
  });
  const operation = { subject: `${beginnings[type]}: ${_id}`, text, isOver: type === "ended" };
  for (const { _id: userId, email } of administrators) {
    const expiresAt = new Date(at.getTime() + dayMs);
    await app.storage.users.addMails(userId, [
      { id, kind: "operator-notice", to: email, createdAt: app.now(), expiresAt, operation },
    ]);
    queueMails(app, userId);
  }
}
