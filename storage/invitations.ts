/**
 * Invitations to organizations, each bound to an address. One write takes an invitation out of `pending`, so it is
 * used once however many try; the membership follows from it.
 */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface InvitationDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** As it was written by whoever invited. */
  email: string;
  /** The same folded for comparison. */
  emailKey: string;
  /** A built-in role, or the id of a custom one. */
  role: string;
  teamIds: string[];
  invitedBy: { id: string; name: string };
  state: "pending" | "accepted" | "declined" | "revoked";
  /** With `state` pending: at most one in an organization for an address. */
  pending?: true;
  /** Counts the changes: each is made on what its writer has seen. */
  revision: number;
  createdAt: Date;
  expiresAt: Date;
  /** Since when a mail waits to be sent; gone once it was, or can't be. */
  mailDueSince?: Date;
  mailedAt?: Date;
  mailFailedAt?: Date;
  acceptedBy?: string;
  endedAt?: Date;
}

export const invitationIndexes: IndexDescription[] = [
  {
    key: { tenantId: 1, emailKey: 1 },
    unique: true,
    name: "invitation_pending",
    partialFilterExpression: { pending: true },
  },
  { key: { tenantId: 1, pending: 1, _id: -1 } },
  { key: { emailKey: 1, pending: 1 } },
  { key: { tenantId: 1, role: 1, pending: 1 } },
  { key: { expiresAt: 1 } },
  { key: { mailDueSince: 1 }, sparse: true },
  { key: { unsettledAt: 1 }, sparse: true },
];

/** What an invitation offers, and until when. */
export type InvitationOffer = Pick<
  InvitationDoc,
  "email" | "role" | "teamIds" | "invitedBy" | "createdAt" | "expiresAt" | "mailDueSince"
>;

export type Invitations = ReturnType<typeof openInvitations>;

export function openInvitations(database: Database) {
  const invitations = database.collection<InvitationDoc>("invitations");
  const withoutOutbox = { projection: { outbox: 0 } } as const;
  return {
    /** Throws a duplicate error of index `invitation_pending` when the address is invited already. */
    async insert(invitation: InvitationDoc): Promise<void> {
      await invitations.insertOne(invitation);
    },
    find: (id: string) => invitations.findOne({ _id: id }, withoutOutbox),
    findPending: (tenantId: string, emailKey: string) =>
      invitations.findOne({ tenantId, emailKey, pending: true }, withoutOutbox),
    /** A page of an organization's pending ones, newest first; those that ran out are among them until they are purged. */
    list: (tenantId: string, after: string | undefined, limit: number) =>
      invitations
        .find(
          { tenantId, pending: true, ...(after === undefined ? {} : { _id: { $lt: after } }) },
          withoutOutbox,
        )
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    /** What an address is invited to at a time. */
    listOfAddress: (emailKey: string, now: Date, limit: number) =>
      invitations
        .find({ emailKey, pending: true, expiresAt: { $gt: now } }, withoutOutbox)
        .limit(limit)
        .toArray(),
    countPending: (tenantId: string, now: Date) =>
      invitations.countDocuments({ tenantId, pending: true, expiresAt: { $gt: now } }),
    listWithRole: (tenantId: string, role: string, limit: number) =>
      invitations.find({ tenantId, role, pending: true }, withoutOutbox).limit(limit).toArray(),

    /** Replaces what a pending invitation offers, as it was at `revision`; null when it has changed meanwhile. */
    renew(
      id: string,
      revision: number,
      offer: InvitationOffer,
      events: EventRow[],
    ): Promise<InvitationDoc | null> {
      const outbox = outboxUpdate(events);
      return invitations.findOneAndUpdate(
        { _id: id, revision, pending: true },
        {
          $set: { ...offer, ...outbox.$set },
          ...(offer.mailDueSince ? { $unset: { mailedAt: true, mailFailedAt: true } } : {}),
          $inc: { revision: 1 },
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Takes an invitation out of `pending`, as it was at `revision`; null when somebody was faster. */
    end(
      id: string,
      revision: number,
      end: Pick<InvitationDoc, "state" | "acceptedBy" | "endedAt">,
      events: EventRow[],
    ): Promise<InvitationDoc | null> {
      const outbox = outboxUpdate(events);
      return invitations.findOneAndUpdate(
        { _id: id, revision, pending: true },
        {
          $set: { ...end, ...outbox.$set },
          $unset: { pending: true, mailDueSince: true },
          $inc: { revision: 1 },
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Notes what became of the mail that was due; one that became due meanwhile still is. */
    async noteMail(
      id: string,
      due: Date,
      outcome: Pick<InvitationDoc, "mailedAt" | "mailFailedAt">,
    ): Promise<void> {
      await invitations.updateOne(
        { _id: id, mailDueSince: due },
        { $set: outcome, $unset: { mailDueSince: true } },
      );
    },
    /** Ids of pending ones whose mail waits since before a time. */
    async listMailsDue(before: Date, limit: number): Promise<string[]> {
      const rows = await invitations
        .find({ mailDueSince: { $lt: before } }, { projection: { _id: 1 } })
        .sort({ mailDueSince: 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },
    /** Takes a deleted team off what is pending. */
    async dropTeam(tenantId: string, teamId: string): Promise<void> {
      await invitations.updateMany(
        { tenantId, teamIds: teamId, pending: true },
        { $pull: { teamIds: teamId } },
      );
    },
    /** Removes what ran out before a time and has its events in the log; answers how many went. */
    removeExpired: (before: Date) =>
      removeSlice(invitations, { expiresAt: { $lte: before }, unsettledAt: { $exists: false } }),
    removeOfTenant: (tenantId: string) => removeSlice(invitations, { tenantId }),

    ...outboxOperations(invitations),
  };
}
