/** Creation, change and deletion of provisioned users. */
import { retryLost, type Retries } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import { isDuplicate, isId } from "../../../storage/database.ts";
import { outboxFields, type EventRow } from "../../../storage/outbox.ts";
import type { ScimUserChange, ScimUserDoc } from "../../../storage/scim/users.ts";
import { ownerRole } from "../../access/permissions.ts";
import { ServiceError } from "../../errors.ts";
import { requirePrecondition } from "../conditional.ts";
import { scimEvent, type ScimContext } from "../context.ts";
import { ScimError, uniqueness, unknownResource } from "../errors.ts";
import { readOperations } from "../patch/operations.ts";
import { isDeactivation } from "../patch/removals.ts";
import { patchUser, type UserAttributes } from "../patch/user.ts";
import { findAccount } from "./account.ts";
import { activate, linkOf, noLink, notInvited, resultOf, prepareAccount } from "./activate.ts";
import { applyUser, completeUser } from "./apply.ts";
import { attributesOf, changesOf, fieldsOf, isWanted, readUser, type UserFields } from "./attributes.ts";
import { flushUserEvent } from "./events.ts";
import { revokeInvitationOf } from "./invitation.ts";
import { hasRoom } from "./room.ts";

const retries: Retries = {
  attempts: 10,
  pauseMs: (attempt) => 5 * attempt,
  exhausted: () => new ServiceError("conflict", "This user is being changed concurrently: try again."),
};

/** Throws `uniqueness`, `invalidValue`, or an error of a service. */
export async function createUser(context: ScimContext, body: unknown): Promise<ScimUserDoc> {
  const { app, tenant } = context;
  const fields = fieldsOf(readUser(body, context.noted.ignored), true);
  context.noted.subject = { name: fields.userName };
  const { scimUsers } = app.storage;
  const [isRoom, isNamed, found, former] = await Promise.all([
    hasRoom(app, "users", tenant._id, limits.scimUsers, () => scimUsers.count(tenant._id)),
    scimUsers.hasName(tenant._id, fields.userNameKey),
    fields.active ? findAccount(app, tenant._id, fields) : undefined,
    fields.active ? scimUsers.findDeactivated(tenant._id, fields.emailKey) : undefined,
  ]);
  const returned = await takeBack(context, fields, former, isNamed);
  if (returned) return returned;
  // Before the decision about the account, which would report another reason, or send an invitation.
  if (isNamed) throw nameTaken(fields);
  if (!isRoom)
    throw new ScimError(
      403,
      `The organization has ${limits.scimUsers} provisioned users, which is the limit.`,
    );
  const decision = found && (await prepareAccount(context, fields, found));
  const id = app.newId();
  const event = scimEvent(context, "scim.user_provisioned", {
    resourceType: "user",
    resourceId: id,
    metadata: { userName: fields.userName, active: fields.active, account: resultOf(decision) },
  });
  const now = app.now();
  const { externalId, ...rest } = fields;
  const user: ScimUserDoc = {
    _id: id,
    tenantId: tenant._id,
    ...rest,
    externalId,
    ...linkOf(decision),
    teamIds: [],
    revision: 1,
    present: true,
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
  try {
    await scimUsers.insert(user);
  } catch (error) {
    throw taken(error, fields);
  }
  context.noted.subject.id = id;
  context.noted.changes = [resultOf(decision)];
  await applyUser(app, user, { tenant, isCreation: decision?.kind === "create" });
  flushUserEvent(app, id, event);
  return user;
}

/** If a user name changes during deactivation, Okta creates the person again: the existing user is activated. */
async function takeBack(
  context: ScimContext,
  fields: UserFields,
  former: ScimUserDoc | null | undefined,
  isNamed: boolean,
): Promise<ScimUserDoc | undefined> {
  if (!former || (isNamed && former.userNameKey !== fields.userNameKey)) return undefined;
  context.noted.subject = { id: former._id, name: fields.userName };
  return changeOnce(context, former, fields);
}

/** Replaces the attributes of a user; `active` stays unless it is given. */
export function replaceUser(context: ScimContext, id: string, body: unknown): Promise<ScimUserDoc> {
  return changeUser(context, id, body, () => readUser(body, context.noted.ignored));
}

/** Applies the operations of a PATCH, all or none, except for a deactivation. */
export function updateUser(context: ScimContext, id: string, body: unknown): Promise<ScimUserDoc> {
  const { ignored } = context.noted;
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
      context.noted.reason = error.message;
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
  const change: ScimUserChange = {
    ...fields,
    externalId: fields.externalId ?? null,
    ...(decision ? { ...noLink, ...linkOf(decision) } : {}),
    ...(fields.active ? {} : { ...notInvited, userId }),
  };
  let changed: ScimUserDoc | null;
  try {
    changed = await scimUsers.change(user._id, user.revision, change, app.now(), [event]);
  } catch (error) {
    throw taken(error, fields);
  }
  if (!changed) return undefined;
  if (isPending && (decision?.kind !== "invite" || fields.emailKey !== user.emailKey))
    await revokeInvitationOf(context, user.emailKey);
  context.noted.changes = changes.length > 0 ? changes : [resultOf(decision)];
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

/**
 * Owners can't be deactivated or deleted by SCIM. Returns the user with its account: an invited one has none, although
 * its person may have become a member in another way.
 */
async function refuseOwner({ app, tenant }: ScimContext, user: ScimUserDoc): Promise<ScimUserDoc> {
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
    context.noted.changes = ["deleted"];
    return true;
  });
}

export async function loadUser({ app, tenant, noted }: ScimContext, id: string): Promise<ScimUserDoc> {
  const user = isId(id) ? await app.storage.scimUsers.find(tenant._id, id) : null;
  if (!user) throw unknownResource("User", id);
  noted.subject = { id, name: user.userName };
  return user;
}

const nameTaken = ({ userName }: UserFields) => uniqueness(`There is a user "${userName}" already.`);

function taken(error: unknown, fields: UserFields): unknown {
  if (isDuplicate(error, "scim_user_name")) return nameTaken(fields);
  if (isDuplicate(error, "scim_user_account"))
    return uniqueness(
      `Another user already has the account with the address "${fields.email}": change that user, or delete it first.`,
    );
  return error;
}
