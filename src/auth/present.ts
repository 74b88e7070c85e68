import type { App } from "../app.ts";
import { Enveloped } from "../http/route.ts";
import { loadIdentity } from "../users/identity.ts";
import { loadMemberships } from "../users/load.ts";
import type { SignedIn } from "./sign-in.ts";

/** The identity of a user who has just signed in, with the cookies of the session. */
export async function presentSignedIn(app: App, { user, cookies }: SignedIn): Promise<Enveloped> {
  const memberships = await loadMemberships(app, user._id);
  return new Enveloped(await loadIdentity(app, user, memberships), { cookies });
}
