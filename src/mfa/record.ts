/** Audit events and mails about second factors. */
import type { EventName } from "../../contract/vocabulary.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Account, MailDue } from "../../storage/users/users.ts";
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";

const noticeMs = 24 * 3_600_000;

/** An event about an account by its owner, who may be in the middle of the sign-in. */
export function ownEvent(
  app: App,
  user: Pick<Account, "_id" | "username">,
  origin: Origin,
  name: Extract<EventName, `mfa.${string}`>,
  metadata: Record<string, unknown> = {},
): EventRow {
  const subject = { resourceType: "user", resourceId: user._id, metadata } as const;
  const event = makeEvent(app, { kind: "anonymous", origin }, name, subject);
  return { ...event, userId: user._id, actor: { type: "user", id: user._id, name: user.username } };
}

/** A mail that reports a change of the factors to the owner of the account. */
export function factorMail(
  app: App,
  user: Pick<Account, "email">,
  kind: Extract<MailDue["kind"], `factor${string}` | "recovery-code-used">,
  factor?: string,
): MailDue {
  const createdAt = app.now();
  const expiresAt = new Date(createdAt.getTime() + noticeMs);
  return { id: app.newId(), kind, to: user.email, createdAt, expiresAt, factor: factor || undefined };
}
