/**
 * Domains that organizations have claimed by a TXT record. Any number of organizations may claim a domain; a unique
 * index allows one to have it verified. A removed claim keeps a marked document until its event is in the audit log.
 */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { withoutOutbox, type EventRow, type WithOutbox } from "../outbox.ts";

export interface SsoDomainDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** In lower-case ASCII (`xn--…` for other scripts), without a dot at the end. */
  domain: string;
  /** Value of the TXT record, made for this claim. */
  challenge: string;
  /** Slot of the organization, from 0 up to `limits.ssoDomains`. */
  slot: number;
  /** Number of changes; a change names the revision that its writer has read. */
  revision: number;
  active?: true;
  verified?: true;
  verifiedAt?: Date;
  /** Time of the last look-up of the TXT record, and the problem that it found. */
  checkedAt?: Date;
  problem?: string;
  /** Time of the next scheduled look-up; only of verified domains. */
  checkAt?: Date;
  /** Time at which the verification lapses unless the TXT record is found again. */
  lapsesAt?: Date;
  /** Time of a verification whose follow-up has not run: invited users whom it concerns are not members yet. */
  followUpSince?: Date;
  createdBy: string;
  createdAt: Date;
  removedAt?: Date;
}

const onlyActive = { partialFilterExpression: { active: true } };

export const ssoDomainsCollection = defineCollection({
  name: "sso_domains",
  indexes: [
    {
      key: { domain: 1 },
      unique: true,
      name: "sso_domain_verified",
      partialFilterExpression: { verified: true },
    },
    { key: { tenantId: 1, domain: 1 }, unique: true, name: "sso_domain_claim", ...onlyActive },
    { key: { tenantId: 1, slot: 1 }, unique: true, name: "sso_domain_slot", ...onlyActive },
    { key: { tenantId: 1 } },
    { key: { checkAt: 1 }, sparse: true },
    { key: { followUpSince: 1 }, sparse: true },
    { key: { removedAt: 1 }, sparse: true },
  ],
  outbox: true,
  open: (domains: Collection<SsoDomainDoc>) => ({
    find: (tenantId: string, id: string) =>
      domains.findOne({ _id: id, tenantId, active: true }, withoutOutbox),
    /** All claims of an organization by name: there are at most `limits.ssoDomains`. */
    list: (tenantId: string): Promise<SsoDomainDoc[]> =>
      domains.find({ tenantId, active: true }, withoutOutbox).sort({ domain: 1 }).toArray(),
    /** The claim of the one organization that has a domain verified. */
    findVerified: (domain: string) => domains.findOne({ domain, verified: true }, withoutOutbox),
    async isVerifiedFor(tenantId: string, domain: string): Promise<boolean> {
      const found = await domains.findOne({ domain, verified: true, tenantId }, { projection: { _id: 1 } });
      return found !== null;
    },
    async hasVerified(tenantId: string): Promise<boolean> {
      return (await domains.findOne({ tenantId, verified: true }, { projection: { _id: 1 } })) !== null;
    },

    /** Throws a duplicate error of index `sso_domain_verified` if another organization has the domain verified. */
    change: changeOf(domains, { active: true }, withoutOutbox.projection),
    /** Removes a claim, whose domain is free for others from this write on. Null if it was removed already. */
    markRemoved: (id: string, now: Date, events: EventRow[]) =>
      changeOf(domains, { active: true })(id, {
        set: { removedAt: now },
        unset: ["active", "verified", "checkAt", "followUpSince"],
        inc: { revision: 1 },
        events,
      }),
    /** Makes the look-up of a verified domain due. */
    async checkNow(domain: string, now: Date): Promise<void> {
      await domains.updateOne({ domain, verified: true }, { $min: { checkAt: now } });
    },
    /** Verified domains whose look-up is due, the longest overdue first. */
    listDue: (now: Date, limit: number) =>
      domains
        .find({ checkAt: { $lte: now } }, withoutOutbox)
        .sort({ checkAt: 1 })
        .limit(limit)
        .toArray(),
    /** Organizations with a domain that was verified before a time, and whose follow-up has not run. */
    listFollowUps: (before: Date): Promise<string[]> =>
      domains.distinct("tenantId", { followUpSince: { $lt: before } }),
    /** Records that the follow-up of a verification has run, unless the domain was verified again since. */
    async finishFollowUp(id: string, since: Date): Promise<void> {
      await domains.updateOne({ _id: id, followUpSince: since }, { $unset: { followUpSince: true } });
    },
    /** Frees the storage of removed claims whose events are in the log; returns how many. */
    removeEnded: () =>
      removeSlice(domains, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
  }),
});
