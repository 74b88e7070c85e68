/** Provisioned users whose person has to accept an invitation before they are active. */
import type { Collection } from "mongodb";
import { isDuplicate } from "../database.ts";
import { withoutOutbox } from "../outbox.ts";
import type { ScimUserDoc } from "./user-document.ts";

const invitationFields = { invited: true, inviteReason: true, invitationEnded: true } as const;
export function invitationOperations(users: Collection<ScimUserDoc>) {
  return {
    /** Activates the user who was invited by an address, and links it to the account that has become a member. */
    async linkInvited(
      tenantId: string,
      { emailKey, userId }: { emailKey: string; userId: string },
      now: Date,
    ): Promise<ScimUserDoc | null> {
      const invited = { tenantId, emailKey, present: true, invited: true } as const;
      if (!(await users.findOne(invited, { projection: { _id: 1 } }))) return null;
      await releaseAccount(users, tenantId, userId);
      const $set = { active: true, userId, updatedAt: now };
      const update = { $set, $unset: invitationFields, $inc: { revision: 1 } };
      try {
        return await users.findOneAndUpdate(invited, update, { returnDocument: "after", ...withoutOutbox });
      } catch (error) {
        // Another user of this person is active.
        if (!isDuplicate(error, "scim_user_account")) throw error;
        return null;
      }
    },
    /** The user of an address whom the identity provider has deactivated, if there is one. */
    findDeactivated: (tenantId: string, emailKey: string): Promise<ScimUserDoc | null> =>
      users.findOne(
        { tenantId, emailKey, present: true, active: false, invited: { $exists: false } },
        { ...withoutOutbox, sort: { updatedAt: -1 } },
      ),
    /** Ends the links of deactivated users to an account, so that another user can have it. */
    releaseAccount: (tenantId: string, userId: string) => releaseAccount(users, tenantId, userId),
    /** Records that the invitation of an address was declined or revoked. */
    async noteInvitationEnded(
      tenantId: string,
      emailKey: string,
      invitationEnded: NonNullable<ScimUserDoc["invitationEnded"]>,
      now: Date,
    ): Promise<void> {
      await users.updateMany(
        { tenantId, emailKey, present: true, invited: true },
        { $set: { invitationEnded, updatedAt: now }, $inc: { revision: 1 } },
      );
    },
    /** A page of the invited users of an organization whose invitation was not declined or revoked. */
    listInvited: (tenantId: string, after: string | undefined, limit: number): Promise<ScimUserDoc[]> =>
      users
        .find(
          {
            tenantId,
            present: true,
            invited: true,
            invitationEnded: { $exists: false },
            ...(after === undefined ? {} : { userNameKey: { $gt: after } }),
          },
          withoutOutbox,
        )
        .sort({ userNameKey: 1 })
        .limit(limit)
        .toArray(),
  };
}

/** Users of earlier versions. */
export function olderOperations(users: Collection<ScimUserDoc>) {
  return {
    /** Deactivates invited users of an earlier version, who were active already. */
    async deactivateInvited(now: Date): Promise<void> {
      await users.updateMany(
        { invited: true, active: true },
        { $set: { active: false, inviteReason: "account", updatedAt: now }, $inc: { revision: 1 } },
      );
    },
  };
}

async function releaseAccount(
  users: Collection<ScimUserDoc>,
  tenantId: string,
  userId: string,
): Promise<void> {
  await users.updateMany(
    { tenantId, userId, present: true, active: false },
    { $unset: { userId: true, createsAccount: true, restore: true }, $inc: { revision: 1 } },
  );
}
