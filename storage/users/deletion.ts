/** Deletion of accounts, in steps: mark it, strip it of personal data, remove the document. */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import { listIds } from "../ids.ts";
import type { EventRow } from "../outbox.ts";
import { account, present, type Account, type UserDoc } from "./document.ts";

export function deletionOperations(users: Collection<UserDoc>) {
  return {
    /**
     * Marks an account as deleted, so that no look-up finds it. False if it is marked already, or its password or its
     * right to administer the service has changed.
     */
    async markDeleted(
      seen: Pick<UserDoc, "_id" | "passwordHash" | "isAdministrator">,
      now: Date,
    ): Promise<boolean> {
      const { _id, passwordHash, isAdministrator } = seen;
      const result = await users.updateOne(
        { _id, passwordHash, isAdministrator, ...present },
        { $set: { deletedAt: now } },
      );
      return result.modifiedCount === 1;
    },
    /** Removes the mark, unless the deletion is final. */
    async unmarkDeleted(id: string): Promise<void> {
      await users.updateOne({ _id: id, erasing: { $exists: false } }, { $unset: { deletedAt: true } });
    },
    /** Makes a deletion final: removes personal data, and frees the names. Null if it was final before. */
    commitDeletion: (id: string, events: EventRow[]) => {
      // A real username or address never contains a colon.
      const placeholder = `gone:${id}`;
      const stripped = {
        email: "",
        emailKey: placeholder,
        username: placeholder,
        name: "",
        passwordHash: "",
      };
      return changeOf(users, { deletedAt: { $exists: true }, erasing: { $exists: false } })(id, {
        set: { ...stripped, isAdministrator: false, erasing: true },
        unset: [
          "founder",
          "factors",
          "hasFactor",
          "verification",
          "emailChange",
          "mailsDue",
          "knownDevices",
          "knownAddresses",
        ],
        events,
      });
    },
    findDeleted: (id: string) => users.findOne({ _id: id, deletedAt: { $exists: true } }),
    /** Accounts that were marked before a time, oldest first. */
    listDeleted: (before: Date, limit: number) =>
      listIds(users, { deletedAt: { $lt: before } }, { sort: { deletedAt: 1 }, limit }),
    /** Removes an account's document, once its events are in the log. */
    async removeDeleted(id: string): Promise<void> {
      await users.deleteOne({ _id: id, erasing: true, pendingSince: { $exists: false } });
    },
  };
}

/** Accounts that earlier versions created for provisioned addresses without a verified domain. */
export function unusedOperations(users: Collection<UserDoc>) {
  return {
    /** Accounts that an identity provider has created, and no one has ever signed in to. */
    listUnused: (limit: number): Promise<Account[]> =>
      users
        .find(
          { provisionedBy: { $gt: "" }, passwordless: true, emailVerifiedAt: null as never, ...present },
          { projection: account },
        )
        .limit(limit)
        .toArray(),
    /** Makes an account one that no identity provider has created. */
    async disown(id: string): Promise<void> {
      await users.updateOne({ _id: id }, { $unset: { provisionedBy: true } });
    },
  };
}
