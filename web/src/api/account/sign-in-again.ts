/** The sign-in over the page: a session that ends in the middle of work does not cost what was typed. */
import { question } from "../ask-user.ts";

/** Id of the user that this tab was loaded for; undefined for a visitor. */
let userId: string | undefined;
const signIn = question();
const verification = question();

export const isSignedIn = (): boolean => userId !== undefined;
export const isUser = (id: string): boolean => userId === id;

export function rememberUser(id: string | undefined): void {
  userId = id;
}

export const onSignInNeeded = signIn.listen;

/** Asks the user to sign in. Resolves to whether they did; after a refusal the tab counts as a visitor's. */
export async function signInAgain(): Promise<boolean> {
  const isDone = await signIn.ask();
  if (!isDone) userId = undefined;
  return isDone;
}

export const onVerificationNeeded = verification.listen;
/** Asks the user to confirm who they are, which the service requires for a change. */
export const verifyAgain = verification.ask;
