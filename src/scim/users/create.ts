/** Creation of provisioned users. */
import { limits } from "../../../contract/limits.ts";
import { outboxFields } from "../../../storage/outbox.ts";
import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import { scimEvent, type ScimContext } from "../context.ts";
import { ScimError } from "../errors.ts";
import { findAccount } from "./account.ts";
import { linkOf, prepareAccount, resultOf } from "./activate.ts";
import { applyUser } from "./apply.ts";
import { fieldsOf, readUser, type UserFields } from "./attributes.ts";
import { hasCapacity } from "./capacity.ts";
import { changeOnce } from "./change.ts";
import { flushUserEvent } from "./events.ts";
import { nameTaken, taken } from "./uniqueness.ts";

/** Throws `uniqueness`, `invalidValue`, or an error of a service. */
export async function createUser(context: ScimContext, body: unknown): Promise<ScimUserDoc> {
  const { app, tenant } = context;
  const fields = fieldsOf(readUser(body, context.logEntry.ignored), true);
  context.logEntry.subject = { name: fields.userName };
  const { scimUsers } = app.storage;
  const [isRoom, isNamed, found, previous] = await Promise.all([
    hasCapacity(app, "users", tenant._id, limits.scimUsers, () => scimUsers.count(tenant._id)),
    scimUsers.hasName(tenant._id, fields.userNameKey),
    fields.active ? findAccount(app, tenant._id, fields) : undefined,
    fields.active ? scimUsers.findDeactivated(tenant._id, fields.emailKey) : undefined,
  ]);
  const returned = await takeBack(context, fields, previous, isNamed);
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
  context.logEntry.subject.id = id;
  context.logEntry.changes = [resultOf(decision)];
  await applyUser(app, user, { tenant, isCreation: decision?.kind === "create" });
  flushUserEvent(app, id, event);
  return user;
}

/** If a user name changes during deactivation, Okta creates the person again: the existing user is activated. */
async function takeBack(
  context: ScimContext,
  fields: UserFields,
  previous: ScimUserDoc | null | undefined,
  isNamed: boolean,
): Promise<ScimUserDoc | undefined> {
  if (!previous || (isNamed && previous.userNameKey !== fields.userNameKey)) return undefined;
  context.logEntry.subject = { id: previous._id, name: fields.userName };
  return changeOnce(context, previous, fields);
}
