/**
 * The link between a person at a provider and an existing account. The owner of the account confirms it in a session
 * that they have opened with their own credentials, in the browser of the sign-in through the provider.
 */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoAttemptDoc } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { SignedIn } from "../../auth/sign-in.ts";
import type { RequestInfo } from "../../http/route.ts";
import { isConfined } from "../../users/requirements.ts";
import { translateRefusal, pathAfter, requireBrowser, takeAttempt } from "./complete.ts";
import { linkIdentity } from "./create-account.ts";
import { enter } from "./enter.ts";
import { SignInRefused, unknownAttempt } from "./failure.ts";
import { matchPerson } from "./match.ts";
import { findAttempt } from "./receive.ts";

export interface LinkOffer {
  provider: SsoProviderDoc;
  tenant: TenantDoc;
  attempt: SsoAttemptDoc;
  email: string;
  /** The account of the address, if the caller has signed in to it. */
  account: Account | undefined;
}

/** An offered link in its browser. Throws `sso_failed`. */
export async function findOffer(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { providerId, state }: { providerId: string; state: string },
): Promise<LinkOffer> {
  const { provider, tenant, attempt } = await findAttempt(app, providerId, state);
  await requireBrowser(app, request, provider, attempt);
  const { result, linkUserId } = attempt;
  if (!result?.subject || linkUserId === undefined) throw unknownAttempt();
  const isOwner =
    actor.kind === "user" &&
    actor.userId === linkUserId &&
    actor.via.kind === "session" &&
    actor.account !== undefined &&
    !isConfined(actor.account, actor.via);
  const account = isOwner ? actor.account : undefined;
  return {
    provider,
    tenant,
    attempt,
    email: result.subject.email ?? "",
    account,
  };
}

/** Links the account and completes the sign-in. Throws `sso_failed`. */
export async function confirmLink(
  app: App,
  actor: Actor,
  request: RequestInfo,
  input: { providerId: string; state: string },
): Promise<{ signedIn: SignedIn; returnTo: string }> {
  const { provider, tenant, attempt, account } = await findOffer(app, actor, request, input);
  const subject = attempt.result?.subject;
  if (!account || !subject) throw unknownAttempt();
  await takeAttempt(app, attempt);
  return translateRefusal(app, provider, subject, async () => {
    // Domain, address and membership may have changed since the offer.
    const match = await matchPerson(app, provider, tenant, subject);
    if (match.kind === "new" || match.account._id !== account._id)
      throw new SignInRefused("concurrent", "The account was changed concurrently: try again.");
    await linkIdentity(app, provider, subject, account);
    const { member, invitationId } = match;
    const entering = { provider, tenant, subject, account, member, invitationId };
    const signedIn = await enter(app, actor, request, entering);
    return { signedIn, returnTo: pathAfter(invitationId, attempt) };
  });
}
