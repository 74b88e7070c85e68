/** Completion of interrupted changes to documents with an outbox, and of the flush of their events. */
import type { App } from "../../src/app.ts";
import { publishEvents, type OutboxCollection } from "../../src/audit/events.ts";
import { createInvitedMembership } from "../../src/orgs/invitations/membership.ts";
import { enlistOwner, repairOwners } from "../../src/orgs/owners.ts";
import { propagateTenant } from "../../src/orgs/propagate.ts";
import { mailOwnersOnce } from "../../src/orgs/webhooks/disable.ts";
import { propagateUser } from "../../src/users/member-names.ts";
import { repairEach } from "./repair-each.ts";

const batch = 100;

/** A document with events in its outbox. */
interface OutboxDocument {
  _id: string;
  outbox?: Parameters<typeof publishEvents>[3];
}

interface Outbox extends OutboxCollection {
  listUnflushed(before: Date, limit: number): Promise<OutboxDocument[]>;
}

type Storage = App["storage"];
type OutboxName = Storage["outboxes"][number];
type DocumentOf<Name extends OutboxName> = Awaited<ReturnType<Storage[Name]["listUnflushed"]>>[number];

/** Steps that follow the write of a change, which a crash may have prevented. */
const completions: { [Name in OutboxName]?: (app: App, document: DocumentOf<Name>) => Promise<void> } = {
  async tenants(app, tenant) {
    await propagateTenant(app, tenant);
    await repairOwners(app, tenant._id);
  },
  async memberships(app, member) {
    if (member.enlisting) await enlistOwner(app, member);
  },
  async invitations(app, invitation) {
    if (invitation.state === "accepted") await createInvitedMembership(app, invitation);
  },
  users: propagateUser,
  webhooks: mailOwnersOnce,
};

/**
 * Completes the change of each interrupted document, then flushes its events to the log. `before`: documents changed
 * earlier are no longer being written by a live process.
 */
export async function flushOutboxes(app: App, before: Date): Promise<void> {
  for (const name of app.storage.outboxes) {
    const collection: Outbox = app.storage[name];
    const complete = completions[name] as ((app: App, document: OutboxDocument) => Promise<void>) | undefined;
    await repairEach(
      app,
      batch,
      (limit) => collection.listUnflushed(before, limit),
      async (document) => {
        await complete?.(app, document);
        await publishEvents(app, collection, document._id, document.outbox ?? []);
      },
    );
  }
}
