/** Settings of the service that its administrators change: one document, which every process of the service shares. */
import type { Collection, Filter } from "mongodb";
import type { AnonymousMcpMode, SignUpMode } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";
import { outboxUpdate, type EventRow, type WithOutbox } from "../outbox.ts";

export interface ServiceSettingsDoc extends WithOutbox {
  _id: "service";
  /** Absent while the configuration decides. */
  signUp?: SignUpMode;
  /** Absent while the configuration decides. */
  anonymousMcp?: AnonymousMcpMode;
  /** Collection whose skills the root index for other clients has; absent: there is no such index. */
  rootCollection?: { tenantId: string; collectionId: string } | null;
  /** Number of changes of administrators that have begun. */
  administratorChanges?: number;
  /** The change that is under way: the next one completes it first. */
  administratorChange?: AdministratorChange;
  /** A counter that the Git root has as well (`src/epoch/`). */
  epoch?: StoredEpoch;
  /** The last backup. */
  backup?: StoredBackup;
}

export interface StoredBackup {
  endedAt: Date;
  /** Why it failed, or the number of its faults. */
  problem?: string;
  /** End of the last one without a problem. */
  succeededAt?: Date;
}

export interface StoredEpoch {
  /** Id of the service, which never changes. */
  service: string;
  number: number;
}

/** A change of an account's right to administer the service. */
export interface AdministratorChange {
  userId: string;
  isAdministrator: boolean;
  event: EventRow;
}

const _id = "service";

export const serviceSettingsCollection = defineCollection({
  name: "service_settings",
  outbox: true,
  open: (settings: Collection<ServiceSettingsDoc>) => ({
    find: () => settings.findOne({ _id }),
    /** False if the setting has this value already. */
    async set(
      chosen:
        | Pick<ServiceSettingsDoc, "signUp">
        | Pick<ServiceSettingsDoc, "anonymousMcp">
        | Pick<ServiceSettingsDoc, "rootCollection">,
      events: EventRow[],
    ): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const change = { $set: { ...chosen, ...outbox.$set }, $push: outbox.$push };
      const filter: Filter<ServiceSettingsDoc> = { _id, $nor: [chosen] };
      try {
        const { modifiedCount, upsertedCount } = await settings.updateOne(filter, change, { upsert: true });
        return modifiedCount + upsertedCount === 1;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        // The document exists with this value, or was created concurrently.
        return (await settings.updateOne(filter, change)).modifiedCount === 1;
      }
    },
    /** Begins a change of administrators and returns its number, or null while another change is under way. */
    async beginAdministratorChange(change: AdministratorChange): Promise<number | null> {
      try {
        const begun = await settings.findOneAndUpdate(
          { _id, administratorChange: { $exists: false } },
          { $set: { administratorChange: change }, $inc: { administratorChanges: 1 } },
          { upsert: true, returnDocument: "after" },
        );
        return begun?.administratorChanges ?? null;
      } catch (error) {
        if (isDuplicate(error)) return null;
        throw error;
      }
    },
    async endAdministratorChange(number: number): Promise<void> {
      await settings.updateOne(
        { _id, administratorChanges: number },
        { $unset: { administratorChange: true } },
      );
    },
    /** Records the end of a backup. */
    async noteBackup(endedAt: Date, problem: string | undefined): Promise<void> {
      const change =
        problem === undefined
          ? {
              $set: { "backup.endedAt": endedAt, "backup.succeededAt": endedAt },
              $unset: { "backup.problem": true } as const,
            }
          : { $set: { "backup.endedAt": endedAt, "backup.problem": problem } };
      await settings.updateOne({ _id }, change, { upsert: true });
    },
    ...epochOperations(settings),
  }),
});

function epochOperations(settings: Collection<ServiceSettingsDoc>) {
  /** Stores the first epoch; the stored one if there is one already. */
  async function claimEpoch(epoch: StoredEpoch): Promise<StoredEpoch> {
    try {
      await settings.updateOne({ _id, epoch: { $exists: false } }, { $set: { epoch } }, { upsert: true });
    } catch (error) {
      // The document exists with an epoch, or was created concurrently.
      if (!isDuplicate(error)) throw error;
      await settings.updateOne({ _id, epoch: { $exists: false } }, { $set: { epoch } });
    }
    return (await settings.findOne({ _id }))!.epoch!;
  }
  return {
    claimEpoch,
    /** The next epoch; null if the epoch is of another service. */
    async advanceEpoch(service: string): Promise<StoredEpoch | null> {
      const changed = await settings.findOneAndUpdate(
        { _id, "epoch.service": service },
        { $inc: { "epoch.number": 1 } },
        { returnDocument: "after" },
      );
      return changed?.epoch ?? null;
    },
    /** Replaces the epoch. False if it is not `expected` any more. */
    async replaceEpoch(
      expected: StoredEpoch | undefined,
      epoch: StoredEpoch,
      events: EventRow[],
    ): Promise<boolean> {
      if (!expected) await claimEpoch({ ...epoch, number: 0 });
      const outbox = outboxUpdate(events);
      const { modifiedCount } = await settings.updateOne(
        { _id, "epoch.service": expected?.service ?? epoch.service, "epoch.number": expected?.number ?? 0 },
        { $set: { epoch, ...outbox.$set }, $push: outbox.$push },
      );
      return modifiedCount === 1;
    },
  };
}
