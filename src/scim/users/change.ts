/** Changes of provisioned users: PUT and PATCH, with activation and deactivation. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import type { Patch } from "../../../storage/change.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import { requirePrecondition } from "../conditional.ts";
import { scimEvent, type ScimContext } from "../context.ts";
import { ScimError } from "../errors.ts";
import { readOperations } from "../patch/operations.ts";
import { isDeactivation } from "../patch/removals.ts";
import { patchUser, type UserAttributes } from "../patch/user.ts";
import { activate, linkOf, noLink, notInvited, resultOf } from "./activate.ts";
import { applyUser } from "./apply.ts";
import { attributesOf, changesOf, fieldsOf, isWanted, readUser, type UserFields } from "./attributes.ts";
import { flushUserEvent } from "./events.ts";
import { revokeInvitationOf } from "./invitation.ts";
import { loadUser, refuseOwner, retries } from "./load.ts";
import { taken } from "./uniqueness.ts";

/** Replaces the attributes of a user; `active` stays unless it is given. */
export function replaceUser(context: ScimContext, id: string, body: unknown): Promise<ScimUserDoc> {
  return changeUser(context, id, body, () => readUser(body, context.logEntry.ignored));
}

/** Applies the operations of a PATCH, all or none, except for a deactivation. */
export function updateUser(context: ScimContext, id: string, body: unknown): Promise<ScimUserDoc> {
  const { ignored } = context.logEntry;
  return changeUser(context, id, body, (user) =>
    patchUser(id, attributesOf(user), readOperations("User", body, ignored), ignored),
  );
}

/**
 * A deactivation takes effect even if the rest of the body is refused, which the log then reports. Throws what
 * `createUser` throws, 404, 412, or 403 for the deactivation of an owner.
 */
async function changeUser(
  context: ScimContext,
  id: string,
  body: unknown,
  next: (user: ScimUserDoc) => UserAttributes,
): Promise<ScimUserDoc> {
  return retryLost<ScimUserDoc>(retries, async () => {
    const user = await loadUser(context, id);
    requirePrecondition(context, user);
    let changed: ScimUserDoc | undefined;
    try {
      changed = await changeOnce(context, user, fieldsOf(next(user), isWanted(user)));
    } catch (error) {
      if (!(error instanceof ScimError) || !isDeactivation(body)) throw error;
      changed = await changeOnce(context, user, { ...fieldsOf(attributesOf(user), false), active: false });
      context.logEntry.reason = error.message;
    }
    return changed;
  });
}

/** Undefined if the user was changed concurrently. */
export async function changeOnce(
  context: ScimContext,
  user: ScimUserDoc,
  fields: UserFields,
): Promise<ScimUserDoc | undefined> {
  const { app } = context;
  const { scimUsers } = app.storage;
  const wasWanted = isWanted(user);
  const changes = changesOf(fieldsOf(attributesOf(user), wasWanted), fields);
  const isPending = user.invited === true;
  // An identity provider that repeats itself renews an invitation that has expired.
  if (changes.length === 0 && !isPending) return user;
  const { userId } = wasWanted && !fields.active ? await refuseOwner(context, user) : user;
  const isActivated = fields.active && !user.active;
  const decision = isActivated ? await activate(context, user, fields) : undefined;
  if (changes.length === 0 && decision?.kind === "invite") return user;
  const event = changeEvent(context, user, fields, changes);
  const patch: Patch<ScimUserDoc> = {
    ...fields,
    externalId: fields.externalId ?? null,
    ...(decision ? { ...noLink, ...linkOf(decision) } : {}),
    ...(fields.active ? {} : { ...notInvited, userId }),
  };
  let changed: ScimUserDoc | null;
  try {
    const change = { revision: user.revision, patch, now: app.now(), events: [event] };
    changed = await scimUsers.change(user._id, change);
  } catch (error) {
    throw taken(error, fields);
  }
  if (!changed) return undefined;
  if (isPending && (decision?.kind !== "invite" || fields.emailKey !== user.emailKey))
    await revokeInvitationOf(context, user.emailKey);
  context.logEntry.changes = changes.length > 0 ? changes : [resultOf(decision)];
  if (fields.active !== wasWanted || decision) await applyUser(app, changed);
  flushUserEvent(app, user._id, event);
  return changed;
}

function changeEvent(
  context: ScimContext,
  user: ScimUserDoc,
  fields: UserFields,
  changes: string[],
): EventRow {
  const { _id, userId } = user;
  const name =
    isWanted(user) === fields.active
      ? "scim.user_updated"
      : fields.active
        ? "scim.user_provisioned"
        : "scim.user_deprovisioned";
  return scimEvent(context, name, {
    resourceType: "user",
    resourceId: _id,
    metadata: { userName: fields.userName, userId: userId || undefined, changed: changes },
  });
}
