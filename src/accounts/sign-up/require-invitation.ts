/** Sign-up by invitation (`signUpMode`). */
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { loadInvitation } from "../../orgs/invitations/load.ts";
import { foldName } from "../../users/schema.ts";
import { signUpMode } from "../../users/sign-up-mode.ts";

/** Throws `forbidden`, or the error of the invitation, unless an account with this address may be created. */
export async function requireInvitation(app: App, email: string, token: string | undefined): Promise<void> {
  if ((await signUpMode(app)) === "open") return;
  if (token !== undefined && (await invitedBy(app, token)) === foldName(email)) return;
  throw forbidden(
    "Accounts of this service are made by invitation only: use the link of an invitation's mail, with its address.",
  );
}

/** The folded address that the link of an open invitation is for; undefined if the token is only an id. */
export async function invitedBy(app: App, token: string): Promise<string | undefined> {
  const { invitation, link } = await loadInvitation(app, token);
  return link && invitation.emailKey;
}

/** The token of the invitation to which a sign-up returns. */
export function invitationIn(returnTo: string): string | undefined {
  return /^\/invitations\/([\w.-]{1,200})$/.exec(returnTo)?.[1];
}
