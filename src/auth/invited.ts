/** Whom an invitation lets make an account where that is not open to everybody (`SIGN_UP=invite`). */
import type { App } from "../app.ts";
import { forbidden } from "../errors.ts";
import { loadInvitation } from "../orgs/join.ts";
import { foldName } from "../users/schema.ts";

/** Throws `forbidden`, or what is wrong with the invitation, unless an account of this address may be made. */
export async function requireWelcome(app: App, email: string, token: string | undefined): Promise<void> {
  if (app.config.signUp === "open") return;
  if (token !== undefined && (await invitedBy(app, token)) === foldName(email)) return;
  throw forbidden(
    "Accounts of this service are made by invitation only: use the link of an invitation's mail, with its address.",
  );
}

/** The folded address that an open invitation's link was sent to; undefined where it is not one's link. */
export async function invitedBy(app: App, token: string): Promise<string | undefined> {
  const { invitation, isByLink } = await loadInvitation(app, token);
  return isByLink ? invitation.emailKey : undefined;
}

/** The token of the invitation that a sign-up goes on to. */
export function invitationIn(returnTo: string): string | undefined {
  return /^\/invitations\/([\w.-]{1,200})$/.exec(returnTo)?.[1];
}
