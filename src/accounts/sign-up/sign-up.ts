/** Creates accounts. */
import { isDuplicate } from "../../../storage/database.ts";
import type { UserDoc } from "../../../storage/users/users.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { startSignedIn, type SignedIn } from "../../auth/sign-in.ts";
import type { RequestInfo } from "../../http/route.ts";
import { queueMails } from "../../mail/notice.ts";
import { nameTaken } from "../../users/load.ts";
import { foldName } from "../../users/schema.ts";
import { consumeConfirmation, newConfirmation, returnConfirmation } from "../email-address.ts";
import { mailDue } from "../mails/account-mails.ts";
import type { SignUp } from "../schema.ts";
import { requireInvitation } from "./require-invitation.ts";
import { checkFirstSignUp, forgetSetupLink } from "./setup.ts";

/**
 * Creates an account and signs it in. The first account of a service becomes its administrator: of several concurrent
 * sign-ups, the unique index accepts one, and the others become ordinary accounts. Throws `forbidden` or
 * `already_exists`.
 */
export async function signUp(app: App, actor: Actor, input: SignUp, request: RequestInfo): Promise<SignedIn> {
  const isFirst = !(await app.storage.users.hasAny());
  if (isFirst) await checkFirstSignUp(app, input.setupToken, request);
  else await requireInvitation(app, input.email, input.invitationToken);

  const emailKey = foldName(input.email);
  await consumeConfirmation(app, emailKey);
  const user = await insertAccount(app, input, { emailKey, isFirst }).catch(async (error: unknown) => {
    // No mail was sent: a stranger's sign-ups with the address of an account must not use up its budget.
    await returnConfirmation(app, emailKey);
    throw error;
  });
  queueMails(app, user._id);
  return startSignedIn(app, user, actor, request, { methods: ["password"] });
}

async function insertAccount(
  app: App,
  input: SignUp,
  { emailKey, isFirst }: { emailKey: string; isFirst: boolean },
): Promise<UserDoc> {
  const now = app.now();
  const verification = newConfirmation(app);
  const account: UserDoc = {
    _id: app.newId(),
    email: input.email,
    emailKey,
    username: input.username,
    name: input.name,
    passwordHash: await app.passwords.hash(input.password),
    isAdministrator: false,
    verification,
    mailsDue: [mailDue(app, "confirm-email", input.email, verification.expiresAt)],
    createdAt: now,
    updatedAt: now,
  };
  return isFirst ? insertFirst(app, account, Boolean(input.setupToken)) : insert(app, account);
}

/**
 * Where mails are files, the set-up link confirms the address: a person who can read the link in the log can read the
 * folder of the mails too.
 */
async function insertFirst(app: App, account: UserDoc, byLink: boolean): Promise<UserDoc> {
  const { verification, mailsDue, ...rest } = account;
  const address =
    byLink && app.mail.kind === "file" ? { emailVerifiedAt: account.createdAt } : { verification, mailsDue };
  try {
    const user = await insert(app, { ...rest, ...address, isAdministrator: true, founder: true });
    forgetSetupLink(app);
    return user;
  } catch (error) {
    if (!isDuplicate(error, "user_founder")) throw error;
    await requireInvitation(app, account.email, undefined);
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
