/** The caller's own account: who they are, and what they change of it. */
import type { Account } from "../../storage/users/users.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { unauthenticated } from "../errors.ts";
import { nameTaken, requireUnrestricted, requireUser } from "./load.ts";
import { propagateUser } from "./member-names.ts";
import type { UpdateProfile } from "./schema.ts";

/** The caller's account; a token of any scope may ask who it is. */
export async function loadAccount(app: App, actor: Actor): Promise<Account> {
  const caller = requireUser(actor);
  const user = caller.account ?? (await app.storage.users.find(caller.userId));
  if (!user) throw unauthenticated("This account no longer exists.");
  return user;
}

/** Changes the caller's names. Values that are there already change nothing and are not recorded. */
export async function updateProfile(app: App, actor: Actor, input: UpdateProfile): Promise<Account> {
  const caller = requireUnrestricted(actor, "change the profile");
  const user = await loadAccount(app, actor);
  const changed = (["name", "username"] as const).filter(
    (field) => input[field] !== undefined && input[field] !== user[field],
  );
  if (changed.length === 0) return user;

  const fields = Object.fromEntries(changed.map((field) => [field, input[field]]));
  const event = makeEvent(app, caller, "user.profile_updated", {
    resourceType: "user",
    resourceId: caller.userId,
    metadata: { changed: fields },
  });
  let updated: Account | null;
  try {
    updated = await app.storage.users.change(caller.userId, { set: fields, now: app.now(), events: [event] });
  } catch (error) {
    throw nameTaken(error, { username: input.username });
  }
  if (!updated) throw unauthenticated("This account no longer exists.");
  await propagateUser(app, updated);
  flushEvents(app, app.storage.users, caller.userId, [event]);
  return updated;
}
