/** Test sign-ins of owners: they change nothing, and show the result of every check. */
import { limits } from "../../../contract/limits.ts";
import type { SsoTestPayload, SsoTestStartPayload } from "../../../contract/payloads/accounts/sso.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoAttemptDoc, SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { requireUser } from "../../users/load.ts";
import { firstFailure } from "../checks.ts";
import { loadProvider, requireConnection } from "../providers/load.ts";
import { startUrl } from "../urls.ts";
import { SignInRefused } from "./failure.ts";
import { groupsNote } from "./groups.ts";
import { logSignIn } from "./log.ts";
import { matchPerson } from "./match.ts";
import { teamChange } from "./teams.ts";

/**
 * Prepares a test, also of a disabled provider. The caller opens its address in the browser of their session. Throws
 * `not_found`, `forbidden`, or `refused` for a provider without a connection.
 */
export async function prepareTest(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<SsoTestStartPayload> {
  const { provider } = await loadProvider(app, actor, tenantRef, id);
  requireConnection(provider);
  const { userId } = requireUser(actor);
  const createdAt = app.now();
  const attempt: SsoAttemptDoc = {
    _id: app.newId(),
    tenantId: provider.tenantId,
    providerId: id,
    epoch: provider.epoch,
    purpose: "test",
    browserHash: "",
    userId,
    returnTo: "/",
    createdAt,
    expiresAt: new Date(createdAt.getTime() + limits.ssoAttemptMs),
  };
  await app.storage.ssoAttempts.insert(attempt);
  const url = `${startUrl(app, id)}?test=${attempt._id}`;
  return { id: attempt._id, url, expiresAt: attempt.expiresAt.toISOString() };
}

/** The result of a test by its owner. Throws `not_found`. */
export async function readTest(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: { id: string; test: string },
): Promise<SsoTestPayload> {
  const { provider } = await loadProvider(app, actor, tenantRef, input.id);
  const attempt = await app.storage.ssoAttempts.find(input.test, app.now());
  const isOwn = attempt?.userId === requireUser(actor).userId;
  if (!attempt || attempt.purpose !== "test" || attempt.providerId !== provider._id || !isOwn)
    throw notFound("provider", input.test);
  return presentTest(attempt);
}

export function presentTest({ _id, result, outcome, expiresAt }: SsoAttemptDoc): SsoTestPayload {
  const { subject, checks = [] } = result ?? {};
  const isDone = result !== undefined && outcome !== undefined;
  const state = !isDone ? "pending" : subject ? "passed" : "failed";
  return {
    id: _id,
    state,
    checks: isDone ? checks : [],
    subject: subject?.subject ?? null,
    email: subject?.email ?? null,
    name: subject?.name ?? null,
    groups: subject?.groups ?? null,
    groupsProblem: subject?.groupsProblem ?? null,
    attributes: subject?.attributes ?? {},
    outcome: outcome ?? null,
    expiresAt: expiresAt.toISOString(),
  };
}

/** Records the effect that a sign-in would have had. Returns the attempt with it. */
export async function finishTest(
  app: App,
  provider: SsoProviderDoc,
  tenant: TenantDoc,
  attempt: SsoAttemptDoc,
): Promise<SsoAttemptDoc> {
  if (attempt.outcome !== undefined) return attempt;
  const { subject, checks = [] } = attempt.result ?? {};
  const outcome = subject
    ? await describeOutcome(app, provider, tenant, subject)
    : (firstFailure(checks)?.message ?? "The response is not valid.");
  if (subject) await app.storage.ssoProviders.noteSuccess(provider._id, attempt.epoch, app.now(), false);
  await app.storage.ssoAttempts.finishTest(attempt._id, outcome);
  await logSignIn(app, provider, {
    outcome: "tested",
    message: outcome,
    ...(subject ? { subject: subject.subject } : { reason: firstFailure(checks)?.name ?? "response" }),
    email: subject?.email ? subject.email : undefined,
  });
  return { ...attempt, outcome };
}

async function describeOutcome(
  app: App,
  provider: SsoProviderDoc,
  tenant: TenantDoc,
  subject: SsoSubject,
): Promise<string> {
  try {
    const match = await matchPerson(app, provider, tenant, subject);
    const { member, invitationId } = match;
    const { added, removed, names } = await teamChange(app, provider, subject, member ?? { teamIds: [] });
    const list = (ids: string[]) => ids.map((id) => `"${names.get(id) ?? id}"`).join(", ");
    const who =
      match.kind === "new"
        ? "A new account would be created."
        : match.kind === "link"
          ? `The account "${match.account.username}" would be asked to confirm the link by signing in once.`
          : `The account "${match.account.username}" would be signed in.`;
    const joins = invitationId
      ? " It would be asked to accept the open invitation."
      : member
        ? ""
        : " It would become a member.";
    const teams = [
      added.length > 0 ? ` Added to ${list(added)}.` : "",
      removed.length > 0 ? ` Removed from ${list(removed)}.` : "",
    ].join("");
    const problem = groupsNote(subject);
    return `${who}${joins}${teams}${problem ? ` ${problem.message}` : ""}`;
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    return `The response is valid, but this person could not sign in: ${error.message}`;
  }
}
