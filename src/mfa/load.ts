/** The caller's own account with its factors. */
import type { Credentials } from "../../storage/users/users.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { forbidden, unauthenticated } from "../errors.ts";
import { requireUnrestricted } from "../users/load.ts";

export type SessionActor = UserActor & { via: Extract<UserActor["via"], { kind: "session" }> };

/** Requires a browser session: a token must not change how its account signs in. Throws `forbidden`. */
export function requireSession(actor: Actor, act: string): SessionActor {
  const caller = requireUnrestricted(actor, act);
  if (caller.via.kind === "session") return caller as SessionActor;
  throw forbidden(`You can ${act} in a browser session, not with an API token.`);
}

export async function loadOwn(app: App, caller: UserActor): Promise<Credentials> {
  const user = await app.storage.users.findCredentialsById(caller.userId);
  if (!user) throw unauthenticated("This account no longer exists.");
  return user;
}
