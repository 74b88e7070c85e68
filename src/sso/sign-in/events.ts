/** Audit events about a person who signs in through a provider. */
import type { EventName } from "../../../contract/vocabulary.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Origin } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeSystemEvent } from "../../audit/events.ts";

/** An event by the person themselves, in the log of the provider's organization. */
export function personEvent(
  app: App,
  user: Pick<Account, "_id" | "username">,
  origin: Origin,
  name: EventName,
  provider: Pick<SsoProviderDoc, "_id" | "tenantId" | "name">,
  metadata: Record<string, unknown> = {},
): EventRow {
  const event = makeSystemEvent(app, name, {
    tenantId: provider.tenantId,
    resourceType: "user",
    resourceId: user._id,
    metadata: { provider: provider.name, ...metadata },
  });
  const actor = { type: "user", id: user._id, name: user.username } as const;
  return { ...event, userId: user._id, actor, ipHash: origin.ipHash };
}
