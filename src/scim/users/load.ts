/** Loads a provisioned user for a change, and protects owners from removal. */
import type { Retries } from "../../../contract/concurrency/retry-lost.ts";
import { isId } from "../../../storage/database.ts";
import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import { ownerRole } from "../../access/permissions.ts";
import { ServiceError } from "../../errors.ts";
import type { ScimContext } from "../context.ts";
import { ScimError, unknownResource } from "../errors.ts";

/** Retries of a change to a user who is changed concurrently. */
export const retries: Retries = {
  attempts: 10,
  pauseMs: (attempt) => 5 * attempt,
  exhausted: () => new ServiceError("conflict", "This user is being changed concurrently: try again."),
};

export async function loadUser({ app, tenant, logEntry }: ScimContext, id: string): Promise<ScimUserDoc> {
  const user = isId(id) ? await app.storage.scimUsers.find(tenant._id, id) : null;
  if (!user) throw unknownResource("User", id);
  logEntry.subject = { id, name: user.userName };
  return user;
}

/**
 * Owners can't be deactivated or deleted through SCIM. Returns the user with its account: an invited one has none,
 * although its person may have become a member in another way.
 */
export async function refuseOwner({ app, tenant }: ScimContext, user: ScimUserDoc): Promise<ScimUserDoc> {
  const { userName, invited, emailKey } = user;
  const account = invited ? await app.storage.users.findCredentials(emailKey) : null;
  const userId = account?.emailVerifiedAt ? account._id : user.userId;
  const member = userId === undefined ? null : await app.storage.memberships.find(tenant._id, userId);
  if (member?.role !== ownerRole) return member ? { ...user, userId: member.userId } : user;
  throw new ScimError(
    403,
    `"${userName}" is an owner of the organization, whom SCIM can't remove. Another owner has to change the role first.`,
    { scimType: "mutability" },
  );
}
