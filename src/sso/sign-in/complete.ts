/** The completion of a sign-in in the browser that began it. */
import { limits } from "../../../contract/limits.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoAttemptDoc, SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Actor, Origin } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { SignedIn } from "../../auth/sign-in.ts";
import type { RequestInfo } from "../../http/route.ts";
import { isSameBrowser } from "../browser.ts";
import { firstFailure } from "../checks.ts";
import { createAccount, linkIdentity } from "./create-account.ts";
import { enter } from "./enter.ts";
import { failSignIn, SignInRefused, unknownAttempt } from "./failure.ts";
import { logSignIn } from "./log.ts";
import { matchPerson, type Match } from "./match.ts";
import { findAttempt } from "./receive.ts";
import { finishTest } from "./test-sign-in.ts";

export type Completed =
  | { kind: "signed-in"; signedIn: SignedIn; returnTo: string }
  | { kind: "link" }
  | { kind: "test"; attempt: SsoAttemptDoc; provider: SsoProviderDoc };

/** Completes a sign-in whose response was received. Throws `sso_failed`. */
export async function completeAttempt(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { providerId, state }: { providerId: string; state: string },
): Promise<Completed> {
  const { provider, tenant, attempt } = await findAttempt(app, providerId, state);
  await requireBrowser(app, request, provider, attempt);
  const { result } = attempt;
  if (!result || attempt.linkUserId !== undefined) throw unknownAttempt();
  if (attempt.purpose === "test")
    return { kind: "test", provider, attempt: await finishTest(app, provider, tenant, attempt) };
  const { subject } = result;
  if (!subject) {
    await takeAttempt(app, attempt);
    const failed = firstFailure(result.checks);
    throw await failSignIn(app, provider, {
      reason: failed?.name ?? "response",
      message: failed?.message ?? "The response is not valid.",
    });
  }
  return translateRefusal(app, provider, subject, () =>
    proceed(app, actor, request, { provider, tenant, attempt, subject }),
  );
}

export async function requireBrowser(
  app: App,
  request: RequestInfo,
  provider: SsoProviderDoc,
  attempt: SsoAttemptDoc,
): Promise<void> {
  if (isSameBrowser(app, request, attempt)) return;
  throw await failSignIn(app, provider, {
    reason: "browser",
    message: "The sign-in was begun in another browser, or the browser did not keep the cookie.",
  });
}

/** Ends an attempt, once. */
export async function takeAttempt(app: App, { _id }: SsoAttemptDoc): Promise<void> {
  if (!(await app.storage.ssoAttempts.take(_id, app.now()))) throw unknownAttempt();
}

/** Turns a refusal into the error for the visitor. */
export async function translateRefusal<T>(
  app: App,
  provider: SsoProviderDoc,
  subject: SsoSubject,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    throw await failSignIn(app, provider, error, subject);
  }
}

interface Proceeding {
  provider: SsoProviderDoc;
  tenant: TenantDoc;
  attempt: SsoAttemptDoc;
  subject: SsoSubject;
}

async function proceed(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { provider, tenant, attempt, subject }: Proceeding,
): Promise<Completed> {
  const match = await matchPerson(app, provider, tenant, subject);
  if (match.kind === "link") {
    const until = new Date(app.now().getTime() + limits.ssoAttemptMs);
    await app.storage.ssoAttempts.offerLink(attempt._id, match.account._id, until);
    await logSignIn(app, provider, {
      outcome: "link_offered",
      subject: subject.subject,
      email: subject.email || undefined,
      userId: match.account._id,
    });
    return { kind: "link" };
  }
  await takeAttempt(app, attempt);
  const account = await accountOf(app, provider, subject, match, actor.origin);
  const { member, invitationId } = match;
  const entering = { provider, tenant, subject, account, member, invitationId };
  const signedIn = await enter(app, actor, request, entering);
  return { kind: "signed-in", signedIn, returnTo: pathAfter(invitationId, attempt) };
}

/** Path to which a signed-in person goes: their invitation, if they have to accept one. */
export const pathAfter = (invitationId: string | undefined, { returnTo }: SsoAttemptDoc) =>
  invitationId === undefined ? returnTo : `/invitations/${invitationId}`;

async function accountOf(
  app: App,
  provider: SsoProviderDoc,
  subject: SsoSubject,
  match: Exclude<Match, { kind: "link" }>,
  origin: Origin,
): Promise<Account> {
  if (match.kind === "new") return createAccount(app, provider, subject, origin);
  if (match.kind === "own") await linkIdentity(app, provider, subject, match.account);
  return match.account;
}
