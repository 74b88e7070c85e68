/** Removal of all factors of an account, for a person who has lost them, by an administrator of the service. */
import type { EventRow } from "../../storage/outbox.ts";
import type { Account } from "../../storage/users/users.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents, publishEvents } from "../audit/events.ts";
import { serviceLog } from "../audit/fan-out.ts";
import { dropSessions } from "../auth/sessions.ts";
import { ServiceError } from "../errors.ts";
import { queueMails } from "../mail/notice.ts";
import { foldName } from "../users/schema.ts";
import { factorMail } from "./record.ts";

/**
 * Removes the factors and ends all sessions of an account; its owner gets a mail with the reason. Throws `refused` for
 * an account without a factor. The event is in the service's log.
 */
export async function resetFactors(app: App, actor: Actor, user: Account, reason: string): Promise<void> {
  const metadata = { username: user.username, reason };
  const subject = { resourceType: "user", resourceId: user._id, metadata } as const;
  const event = makeEvent(app, actor, "mfa.reset", { ...serviceLog, ...subject });
  await apply(app, user, reason, event);
  flushEvents(app, app.storage.users, user._id, [event]);
  queueMails(app, user._id);
}

/** Resets the factors for the operator at the service's own machine. Returns the user name. Throws an Error. */
export async function resetFactorsByEmail(app: App, email: string, reason: string): Promise<string> {
  const user = await app.storage.users.findCredentials(foldName(email.trim()));
  if (!user) throw new Error(`The address "${email}" belongs to no account.`);
  const origin = { ipHash: undefined, source: "api", client: "api" } as const;
  const metadata = { username: user.username, reason };
  const subject = { resourceType: "user", resourceId: user._id, metadata } as const;
  const made = makeEvent(app, { kind: "anonymous", origin }, "mfa.reset", { ...serviceLog, ...subject });
  const event: EventRow = { ...made, actor: { type: "system", id: null, name: "operator" } };
  await apply(app, user, reason, event);
  await publishEvents(app, app.storage.users, user._id, [event]);
  return user.username;
}

async function apply(app: App, user: Account, reason: string, event: EventRow): Promise<void> {
  const mails = [factorMail(app, user, "factors-reset", reason)];
  const epoch = await app.storage.users.resetFactors(user._id, app.now(), mails, [event]);
  if (epoch === null)
    throw new ServiceError(
      "refused",
      `The account "${user.username}" has no second factor that could be reset.`,
      {
        kind: "factor",
      },
    );
  dropSessions(app, user._id, { epoch, keptSessionId: undefined });
}
