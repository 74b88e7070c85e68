/** The errors of links in account mails, and the audit events of those who follow them. */
import type { EventName } from "../../../contract/vocabulary.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Origin } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";

const sentences = {
  invalid: "This link is not valid: open it as it is in the mail, or ask for another.",
  expired: "This link has expired: ask for another.",
  used: "This link was used already, or a newer one took its place.",
};

export function badLink(reason: keyof typeof sentences): ServiceError {
  return new ServiceError("refused", sentences[reason], { reason });
}

/** An event by the holder of a link that only the account's owner was sent, signed in or not. */
export function eventOfOwner(
  app: App,
  user: Pick<Account, "_id" | "username">,
  origin: Origin,
  name: EventName,
  metadata: Record<string, unknown> = {},
): EventRow {
  const event = makeEvent(app, { kind: "anonymous", origin }, name, {
    resourceType: "user",
    resourceId: user._id,
    metadata,
  });
  return { ...event, userId: user._id, actor: { type: "user", id: user._id, name: user.username } };
}
