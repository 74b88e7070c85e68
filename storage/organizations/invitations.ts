/**
 * Invitations to organizations, each bound to an address. One write takes an invitation out of `pending`, so it is
 * used once, even by concurrent calls; the membership is derived from it.
 */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { listIds } from "../ids.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { withoutOutbox, type EventRow, type WithOutbox } from "../outbox.ts";

export interface InvitationDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** As entered by the sender. */
  email: string;
  /** The address folded for comparison. */
  emailKey: string;
  /** A built-in role, or the id of a custom one. */
  role: string;
  teamIds: string[];
  invitedBy: { id: string; name: string };
  /** The identity provider has provisioned the person, and may deactivate them until they have accepted. */
  provisioned?: true;
  state: "pending" | "accepted" | "declined" | "revoked";
  /** Set while `state` is pending, at most once per organization and address. */
  pending?: true;
  /** Number of changes; a change names the revision that its writer has read. */
  revision: number;
  createdAt: Date;
  expiresAt: Date;
  /** Time since which a mail is due, or until which it is postponed; removed once it was sent or can't be. */
  mailDueSince?: Date;
  mailedAt?: Date;
  mailFailedAt?: Date;
  acceptedBy?: string;
  endedAt?: Date;
}

/** The offer of an invitation and its expiry. */
export type InvitationOffer = Pick<
  InvitationDoc,
  "email" | "role" | "teamIds" | "invitedBy" | "provisioned" | "createdAt" | "expiresAt" | "mailDueSince"
>;

export const invitationsCollection = defineCollection({
  name: "invitations",
  indexes: [
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
  ],
  outbox: true,
  open: (invitations: Collection<InvitationDoc>) => ({
    find: (id: string) => invitations.findOne({ _id: id }, withoutOutbox),
    findPending: (tenantId: string, emailKey: string) =>
      invitations.findOne({ tenantId, emailKey, pending: true }, withoutOutbox),
    /**
     * A page of an organization's pending invitations, newest first, including expired ones until they are purged.
     */
    list: (tenantId: string, after: string | undefined, limit: number) =>
      invitations
        .find(
          { tenantId, pending: true, ...(after === undefined ? {} : { _id: { $lt: after } }) },
          withoutOutbox,
        )
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    /** Invitations of an address that are open at a time. */
    listOfAddress: (emailKey: string, now: Date, limit: number) =>
      invitations
        .find({ emailKey, pending: true, expiresAt: { $gt: now } }, withoutOutbox)
        .limit(limit)
        .toArray(),
    countPending: (tenantId: string, now: Date) =>
      invitations.countDocuments({ tenantId, pending: true, expiresAt: { $gt: now } }),
    listWithRole: (tenantId: string, role: string, limit: number) =>
      invitations.find({ tenantId, role, pending: true }, withoutOutbox).limit(limit).toArray(),

    /** Replaces the offer of a pending invitation as read at `revision`; null if it has changed since. */
    renew: (id: string, revision: number, offer: InvitationOffer, events: EventRow[]) =>
      changeOf(invitations, { pending: true })(id, {
        revision,
        set: offer,
        unset: [
          ...(offer.mailDueSince ? ["mailedAt", "mailFailedAt"] : []),
          ...(offer.provisioned ? [] : ["provisioned"]),
        ],
        events,
      }),
    /** Takes an invitation out of `pending`, as read at `revision`; null if it has changed since. */
    end: (
      id: string,
      revision: number,
      set: Pick<InvitationDoc, "state" | "acceptedBy" | "endedAt">,
      events: EventRow[],
    ) =>
      changeOf(invitations, { pending: true })(id, {
        revision,
        set,
        unset: ["pending", "mailDueSince"],
        events,
      }),
    /** Records the outcome of the mail that was due; a mail that became due concurrently stays due. */
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
    /** Postpones a due mail. */
    async postponeMail(id: string, due: Date, until: Date): Promise<void> {
      await invitations.updateOne({ _id: id, mailDueSince: due }, { $set: { mailDueSince: until } });
    },
    /** Ids of pending invitations whose mail is due since before a time. */
    listMailsDue: (before: Date, limit: number) =>
      listIds(invitations, { mailDueSince: { $lt: before } }, { sort: { mailDueSince: 1 }, limit }),
    /** Removes a deleted team from pending invitations. */
    async dropTeam(tenantId: string, teamId: string): Promise<void> {
      await invitations.updateMany(
        { tenantId, teamIds: teamId, pending: true },
        { $pull: { teamIds: teamId } },
      );
    },
    /**
     * Removes invitations that expired before a time and whose events are in the log; returns how many were removed.
     */
    removeExpired: (before: Date) =>
      removeSlice(invitations, { expiresAt: { $lte: before }, pendingSince: { $exists: false } }),
  }),
});
