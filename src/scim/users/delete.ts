/** Deletion of provisioned users. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { requirePrecondition } from "../conditional.ts";
import { scimEvent, type ScimContext } from "../context.ts";
import { completeUser } from "./apply.ts";
import { revokeInvitationOf } from "./invitation.ts";
import { loadUser, refuseOwner, retries } from "./load.ts";

/** Ends the membership and deletes the record. The account and what the user created stay. */
export async function deleteUser(context: ScimContext, id: string): Promise<void> {
  const { app } = context;
  const { scimUsers } = app.storage;
  await retryLost(retries, async () => {
    const user = await loadUser(context, id);
    requirePrecondition(context, user);
    const { userId } = await refuseOwner(context, user);
    const event = scimEvent(context, "scim.user_deprovisioned", {
      resourceType: "user",
      resourceId: id,
      metadata: { userName: user.userName, userId: user.userId || undefined, deleted: true },
    });
    if (!(await scimUsers.markRemoved(id, user.revision, app.now(), [event]))) return false;
    if (user.invited) await revokeInvitationOf(context, user.emailKey);
    const removed = await scimUsers.findAny(id);
    if (removed) await completeUser(app, { ...removed, userId: userId ?? removed.userId, outbox: [event] });
    context.logEntry.changes = ["deleted"];
    return true;
  });
}
