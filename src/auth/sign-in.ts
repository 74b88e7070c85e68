/** Sign-up, sign-in and sign-out. */
import { isDuplicate } from "../../storage/database.ts";
import type { Account, UserDoc } from "../../storage/users.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import type { Cookie, RequestInfo } from "../http/route.ts";
import { nameTaken } from "../users/load.ts";
import { foldName } from "../users/schema.ts";
import { mailDue, queueMails } from "./account-mails.ts";
import { countGuess } from "./credentials.ts";
import { newConfirmation } from "./email-address.ts";
import { requireWelcome } from "./invited.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import type { SignIn, SignUp } from "./schema.ts";
import { startSession } from "./sessions.ts";
import { checkFirstSignUp, forgetSetupLink } from "./setup.ts";

export interface SignedIn {
  user: Account;
  sessionId: string;
  cookie: Cookie;
}

/**
 * Creates an account and signs it in. The first of a service is its administrator: of several at once, the unique
 * index lets one be it, and the others go on as ordinary accounts. Throws `forbidden` or `already_exists`.
 */
export async function signUp(app: App, actor: Actor, input: SignUp, request: RequestInfo): Promise<SignedIn> {
  const isFirst = !(await app.storage.users.hasAny());
  if (isFirst) await checkFirstSignUp(app, input.setupToken, request);
  else await requireWelcome(app, input.email, input.invitationToken);

  const now = app.now();
  const verification = newConfirmation(app);
  const account: UserDoc = {
    _id: app.newId(),
    email: input.email,
    emailKey: foldName(input.email),
    username: input.username,
    name: input.name,
    passwordHash: await hashPassword(input.password),
    isAdministrator: false,
    verification,
    mailsDue: [mailDue(app, "confirm-email", input.email, verification.expiresAt)],
    createdAt: now,
    updatedAt: now,
  };
  const user = isFirst ? await insertFirst(app, account) : await insert(app, account);
  queueMails(app, user._id);
  return { user, ...(await startSession(app, user, actor, request.userAgent)) };
}

async function insertFirst(app: App, account: UserDoc): Promise<UserDoc> {
  try {
    const user = await insert(app, { ...account, isAdministrator: true, founder: true });
    forgetSetupLink(app);
    return user;
  } catch (error) {
    if (!isDuplicate(error, "user_founder")) throw error;
    await requireWelcome(app, account.email, undefined);
    return insert(app, account);
  }
}

async function insert(app: App, user: UserDoc): Promise<UserDoc> {
  try {
    await app.storage.users.insert(user);
    return user;
  } catch (error) {
    throw nameTaken(error, user);
  }
}

/**
 * Signs in by e-mail and password. An unknown address and a wrong password cost the same work and get the same words.
 * Throws `invalid_credentials` or `rate_limited`.
 */
export async function signIn(app: App, actor: Actor, input: SignIn, request: RequestInfo): Promise<SignedIn> {
  const emailKey = foldName(input.email.trim());
  await countGuess(app, emailKey, actor.origin.ipHash);

  const found = await app.storage.users.findCredentials(emailKey);
  const isRight = await verifyPassword(found?.passwordHash, input.password);
  if (!found || !isRight) {
    throw new ServiceError("invalid_credentials", "The e-mail address or the password is not right.");
  }
  const { passwordHash: _, ...user } = found;
  return { user, ...(await startSession(app, user, actor, request.userAgent)) };
}
