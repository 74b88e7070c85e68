/** Accounts as actors: who a session, a token or an approved device acts as. */
import { isDuplicate } from "../../storage/database.ts";
import type { Account } from "../../storage/users.ts";
import type { Actor, Membership, Origin, UserActor } from "../access/actor.ts";
import { limitsOf } from "../access/decide.ts";
import { permissionsOfRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, unauthenticated } from "../errors.ts";

/** The user with what they may do now. Undefined when the account is gone. */
export async function loadUserActor(
  app: App,
  userId: string,
  via: UserActor["via"],
  origin: Origin,
): Promise<UserActor | undefined> {
  const [user, memberships] = await Promise.all([
    app.storage.users.find(userId),
    loadMemberships(app, userId),
  ]);
  return user ? userActor(user, memberships, via, origin) : undefined;
}

export async function loadMemberships(app: App, userId: string): Promise<Membership[]> {
  const rows = await app.storage.memberships.listOfUser(userId);
  return rows.map(({ tenantId, tenantSlug, tenantName, role }) => ({
    tenantId,
    tenantSlug,
    tenantName,
    role,
    teamIds: [],
    permissions: permissionsOfRole(role),
  }));
}

export function userActor(
  user: Account,
  memberships: readonly Membership[],
  via: UserActor["via"],
  origin: Origin,
): UserActor {
  return {
    kind: "user",
    userId: user._id,
    username: user.username,
    name: user.name,
    isAdministrator: user.isAdministrator,
    memberships,
    via,
    origin,
  };
}

/** The caller as a user. Throws `unauthenticated` for anybody else. */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind !== "user") throw unauthenticated();
  return actor;
}

/**
 * The caller as a user whose token, if they came by one, is not narrowed in any way: what belongs to the account
 * itself is out of a restricted token's reach. Throws `forbidden` with the act in its sentence.
 */
export function requireUnrestricted(actor: Actor, act: string): UserActor {
  const user = requireUser(actor);
  const { scopes, allowedFolderIds } = limitsOf(user);
  if (scopes || allowedFolderIds) throw forbidden(`A restricted token can't ${act}.`);
  return user;
}

/** Tells a person what of theirs is taken; any other error is handed back as it is. */
export function nameTaken(error: unknown, names: { username?: string; email?: string }): unknown {
  for (const [index, field, word] of [
    ["user_username", "username", "user name"],
    ["user_email", "email", "e-mail address"],
  ] as const) {
    if (!isDuplicate(error, index)) continue;
    const message = `The ${word} "${names[field] ?? ""}" is taken: choose another, or sign in.`;
    return new ServiceError("already_exists", message, { field }, { cause: error });
  }
  return error;
}
