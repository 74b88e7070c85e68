/**
 * The log of sign-ins through providers. A visitor sees the number of a failed one, and owners find the reason under
 * it. It has no tokens, responses or addresses of callers.
 */
import { randomInt } from "node:crypto";
import type { SsoSignInPayload } from "../../../contract/payloads/accounts/sso.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { SsoSignInDoc } from "../../../storage/sso/sign-ins.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { type Page } from "../../http/route.ts";
import { loadTenant } from "../../orgs/service.ts";
import { SignInCursor, type SignInsQuery } from "../schema.ts";

type Entry = Pick<SsoSignInDoc, "outcome"> &
  Partial<Pick<SsoSignInDoc, "reason" | "message" | "subject" | "email" | "userId">>;

/** Characters of a text from a provider or a visitor. */
const textLength = 300;

/** Records a sign-in and returns its number. Of a flood of failures of one provider, only the first are recorded. */
export async function logSignIn(
  app: App,
  { _id: providerId, tenantId }: Pick<SsoProviderDoc, "_id" | "tenantId">,
  entry: Entry,
): Promise<string> {
  const number = String(randomInt(100_000_000)).padStart(8, "0");
  if (entry.outcome === "failed")
    try {
      await app.rateLimits.consume("sso-log", providerId);
    } catch (error) {
      if (error instanceof ServiceError) return number;
      throw error;
    }
  const { outcome, ...texts } = entry;
  const kept: Omit<Entry, "outcome"> = {};
  for (const name of ["reason", "message", "subject", "email", "userId"] as const)
    if (texts[name] !== undefined) kept[name] = texts[name].slice(0, textLength);
  await app.storage.ssoSignIns.insert({
    _id: app.newId(),
    number,
    tenantId,
    providerId,
    at: app.now(),
    outcome,
    ...kept,
  });
  return number;
}

/** A page of the log, newest first, for owners. */
export async function listSignIns(
  app: App,
  actor: Actor,
  tenantRef: string,
  { limit, cursor, provider, number }: SignInsQuery,
): Promise<Page<SsoSignInPayload>> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "sso:manage");
  const [before] = decodeCursor(cursor, SignInCursor) ?? [];
  const query = { tenantId, providerId: provider, number, before, limit: limit + 1 };
  const [rows, providers] = await Promise.all([
    app.storage.ssoSignIns.list(query),
    app.storage.ssoProviders.list(tenantId),
  ]);
  const names = new Map(providers.map((one) => [one._id, one.name]));
  const page = pageOf(rows, limit, (last) => [last._id]);
  return page.map((row) => present(row, names.get(row.providerId)));
}

function present(row: SsoSignInDoc, provider: string | undefined): SsoSignInPayload {
  return {
    id: row._id,
    number: numberText(row.number),
    providerId: row.providerId,
    provider: provider ?? null,
    at: row.at.toISOString(),
    outcome: row.outcome,
    reason: row.reason ?? null,
    message: row.message ?? null,
    subject: row.subject ?? null,
    email: row.email ?? null,
    userId: row.userId ?? null,
  };
}

/** A number as people read it: `1234-5678`. */
export const numberText = (number: string) => `${number.slice(0, 4)}-${number.slice(4)}`;
