/**
 * Domains of an organization. A claim costs nothing and proves nothing; a TXT record that only the domain's owner can
 * publish verifies it. Code that reads an account's address asks storage for the verified domain (`findVerified`).
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { isDuplicate, isId } from "../../../storage/database.ts";
import { outboxFields } from "../../../storage/outbox.ts";
import type { SsoDomainDoc } from "../../../storage/sso/domains.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { invalidRequest, notFound, ServiceError } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { normalizeDomain } from "../../users/email-domain.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { checkRecord, recordName, type RecordCheck } from "./check-record.ts";
import { isPublicMailDomain, isReservedName } from "./public-mail.ts";

/** Time between two scheduled look-ups of a verified domain. */
export const checkEveryMs = 7 * 24 * 3_600_000;

export async function listDomains(app: App, actor: Actor, tenantRef: string): Promise<SsoDomainDoc[]> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "sso:manage");
  return app.storage.ssoDomains.list(tenantId);
}

/** Throws `invalid_request`, `refused`, `already_exists`, `limit_reached` or `reauthentication_required`. */
export async function claimDomain(
  app: App,
  actor: Actor,
  tenantRef: string,
  text: string,
): Promise<SsoDomainDoc> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "sso:manage");
  const user = requireUser(actor);
  requireRecentVerification(app, user, "claim a domain", tenantId);
  const domain = requireClaimable(text);
  const now = app.now();
  const event = makeEvent(app, actor, "sso.domain_claimed", {
    tenantId,
    resourceType: "domain",
    resourceId: app.newId(),
    metadata: { domain },
  });
  const claim = {
    _id: event.resourceId,
    tenantId,
    domain,
    challenge: `svc-${randomBytes(24).toString("base64url")}`,
    revision: 0,
    active: true,
    createdBy: user.userId,
    createdAt: now,
    ...outboxFields([event]),
  } as const;
  const { ssoDomains } = app.storage;
  for (;;) {
    const slot = await freeSlot(app, tenantId, domain);
    try {
      await ssoDomains.insert({ ...claim, slot });
    } catch (error) {
      // A concurrent claim took the slot, or has the domain: the next round reports that.
      if (isDuplicate(error, "sso_domain_slot") || isDuplicate(error, "sso_domain_claim")) continue;
      throw error;
    }
    flushEvents(app, ssoDomains, claim._id, [event]);
    return { ...claim, slot };
  }
}

function requireClaimable(text: string): string {
  const domain = normalizeDomain(text);
  if (domain === undefined)
    throw invalidRequest(
      `"${text}" is not a domain. Write the part of your e-mail addresses after the @, such as acme.com.`,
    );
  if (recordName(domain).length > limits.domainName)
    throw invalidRequest(`"${domain}" is too long for the name of its TXT record.`);
  if (isReservedName(domain))
    throw new ServiceError("refused", `"${domain}" is a reserved name that no organization owns.`, {
      kind: "domain",
      ref: domain,
    });
  if (isPublicMailDomain(domain))
    throw new ServiceError(
      "refused",
      `"${domain}" gives addresses to anyone, so it does not identify an organization: claim a domain of your own.`,
      { kind: "domain", ref: domain },
    );
  return domain;
}

async function freeSlot(app: App, tenantId: string, domain: string): Promise<number> {
  const claims = await app.storage.ssoDomains.list(tenantId);
  if (claims.some((claim) => claim.domain === domain))
    throw new ServiceError("already_exists", `The organization has claimed "${domain}" already.`, {
      kind: "domain",
      ref: domain,
    });
  const taken = new Set(claims.map((claim) => claim.slot));
  const limit = limits.ssoDomains;
  const slot = Array.from({ length: limit }, (_, at) => at).find((at) => !taken.has(at));
  if (slot !== undefined) return slot;
  const message = `The organization has ${limit} domains, which is the limit: remove one first.`;
  throw new ServiceError("limit_reached", message, { kind: "domain", limit });
}

/**
 * Looks up the TXT record, and verifies the domain. Throws `domain_unverified` with what was found, `already_exists` if
 * another organization has the domain verified, or `conflict` after a concurrent change.
 */
export async function verifyDomain(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<SsoDomainDoc> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "sso:manage");
  requireRecentVerification(app, requireUser(actor), "verify a domain", tenantId);
  const claim = await loadDomain(app, tenantId, id);
  const check = await checkRecord(app, claim);
  const { ssoDomains } = app.storage;
  const now = app.now();
  if (!check.isFound) {
    const set = { checkedAt: now, problem: check.message };
    await ssoDomains.change(id, { revision: claim.revision, set });
    throw unverified(claim, check);
  }
  const events = claim.verified
    ? undefined
    : [
        makeEvent(app, actor, "sso.domain_verified", {
          tenantId,
          resourceType: "domain",
          resourceId: id,
          metadata: { domain: claim.domain },
        }),
      ];
  const set = {
    verified: true,
    verifiedAt: claim.verifiedAt ?? now,
    checkedAt: now,
    checkAt: new Date(now.getTime() + checkEveryMs),
    followUpSince: now,
  } as const;
  let changed: SsoDomainDoc | null;
  try {
    const unset = ["problem", "lapsesAt"];
    changed = await ssoDomains.change(id, { revision: claim.revision, set, unset, events });
  } catch (error) {
    if (!isDuplicate(error, "sso_domain_verified")) throw error;
    throw await takenByAnother(app, claim, error);
  }
  if (!changed)
    throw new ServiceError("conflict", "This domain was changed concurrently: read it again, then retry.", {
      kind: "domain",
      ref: claim.domain,
    });
  if (events) flushEvents(app, ssoDomains, id, events);
  app.background("queue who joins by a domain", () =>
    app.queue.enqueue("sso.domain-verified", { tenantId }, { jobId: tenantId }),
  );
  return changed;
}

function unverified(
  { domain, challenge }: SsoDomainDoc,
  check: Extract<RecordCheck, { isFound: false }>,
): ServiceError {
  return new ServiceError("domain_unverified", check.message, {
    kind: "domain",
    ref: domain,
    reason: check.reason,
    record: { type: "TXT", name: recordName(domain), value: challenge },
    found: check.found,
  });
}

/** The caller has proved to control the domain, so the other organization may have lost it: its record is checked. */
async function takenByAnother(app: App, { domain }: SsoDomainDoc, cause: unknown): Promise<ServiceError> {
  await app.storage.ssoDomains.checkNow(domain, app.now());
  return new ServiceError(
    "already_exists",
    `Another organization has verified "${domain}". Its owners can remove the domain there. ` +
      "If it is not theirs any more, remove its TXT record: their verification then lapses within eight days.",
    { kind: "domain", ref: domain },
    { cause },
  );
}

/** Removes a claim: its domain stops identifying members of the organization at once. */
export async function removeDomain(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "sso:manage");
  requireRecentVerification(app, requireUser(actor), "remove a domain", tenantId);
  const { domain, verified } = await loadDomain(app, tenantId, id);
  const event = makeEvent(app, actor, "sso.domain_removed", {
    tenantId,
    resourceType: "domain",
    resourceId: id,
    metadata: { domain, wasVerified: verified === true },
  });
  const { ssoDomains } = app.storage;
  if (!(await ssoDomains.markRemoved(id, app.now(), [event]))) throw notFound("domain", id);
  flushEvents(app, ssoDomains, id, [event]);
}

async function loadDomain(app: App, tenantId: string, id: string): Promise<SsoDomainDoc> {
  const claim = isId(id) ? await app.storage.ssoDomains.find(tenantId, id) : null;
  if (!claim) throw notFound("domain", id);
  return claim;
}
