/**
 * Scheduled look-ups of verified domains. A record that is gone is a domain that may have changed hands: the owners are
 * warned, and the verification lapses a week later. Name servers that do not answer are given a month.
 */
import type { SsoDomainDoc } from "../../../storage/sso/domains.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeSystemEvent } from "../../audit/events.ts";
import { mailOwners } from "../../orgs/owner-mails.ts";
import { checkRecord, recordName, type RecordCheck } from "./check-record.ts";
import { checkEveryMs } from "./service.ts";

const dayMs = 24 * 3_600_000;
const lapseAfterMs = { missing: 7 * dayMs, unreachable: 30 * dayMs };
/** Time before the lapse at which the owners are warned again. */
const lastWarningMs = dayMs;

/** Looks up the record of a verified domain that is due. A concurrent change of the claim makes this run void. */
export async function recheckDomain(app: App, claim: SsoDomainDoc): Promise<void> {
  if (!claim.verified) return;
  const check = await checkRecord(app, claim);
  if (!check.isFound) return noteFailure(app, claim, check);
  const now = app.now();
  const set = { checkedAt: now, checkAt: new Date(now.getTime() + checkEveryMs) };
  const unset = ["problem", "lapsesAt"];
  await app.storage.ssoDomains.change(claim._id, { revision: claim.revision, set, unset });
}

async function noteFailure(
  app: App,
  claim: SsoDomainDoc,
  { reason, message }: Extract<RecordCheck, { isFound: false }>,
): Promise<void> {
  const now = app.now();
  if (claim.lapsesAt && claim.lapsesAt <= now) return lapse(app, claim, message);
  const latest = now.getTime() + lapseAfterMs[reason];
  const lapsesAt = new Date(Math.min(latest, claim.lapsesAt?.getTime() ?? Infinity));
  const isNew = lapsesAt.getTime() !== claim.lapsesAt?.getTime();
  const isLast = lapsesAt.getTime() - now.getTime() <= lastWarningMs;
  // The mails first: a crash in between sends a second warning, rather than none.
  if (isNew || isLast) await mail(app, claim, "domain-failing", lapsesAt);
  const next = Math.min(now.getTime() + dayMs, Math.max(lapsesAt.getTime(), now.getTime() + dayMs / 24));
  const set = { checkedAt: now, problem: message, lapsesAt, checkAt: new Date(next) };
  await app.storage.ssoDomains.change(claim._id, { revision: claim.revision, set });
}

/** Ends the verification. The claim stays, so that the same record verifies the domain again. */
async function lapse(app: App, claim: SsoDomainDoc, problem: string): Promise<void> {
  const { ssoDomains } = app.storage;
  const event = makeSystemEvent(app, "sso.domain_lapsed", {
    tenantId: claim.tenantId,
    resourceType: "domain",
    resourceId: claim._id,
    metadata: { domain: claim.domain },
  });
  await mail(app, claim, "domain-lapsed");
  const lapsed = await ssoDomains.change(claim._id, {
    revision: claim.revision,
    set: { checkedAt: app.now(), problem },
    unset: ["verified", "verifiedAt", "checkAt", "lapsesAt"],
    events: [event],
  });
  if (lapsed) flushEvents(app, ssoDomains, claim._id, [event]);
}

async function mail(
  app: App,
  claim: SsoDomainDoc,
  kind: "domain-failing" | "domain-lapsed",
  lapsesAt?: Date,
): Promise<void> {
  const tenant = await app.storage.tenants.find(claim.tenantId);
  if (!tenant || tenant.deletionAt) return;
  const { domain } = claim;
  await mailOwners(app, claim.tenantId, kind, {
    // The same if a crash repeats this, so that a pending mail is not stored twice.
    id: `${claim._id}.${claim.revision}`,
    domain: { name: domain, record: recordName(domain), organization: tenant.slug, lapsesAt },
  });
}
