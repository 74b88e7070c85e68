import { domainToUnicode } from "node:url";
import type { SsoDomainPayload } from "../../../contract/payloads/accounts/sso-domains.ts";
import type { SsoDomainDoc } from "../../../storage/sso/domains.ts";
import { recordName } from "./check-record.ts";

export function presentDomain(claim: SsoDomainDoc): SsoDomainPayload {
  const { domain, verifiedAt, checkedAt, problem, lapsesAt } = claim;
  return {
    id: claim._id,
    domain,
    displayName: domainToUnicode(domain),
    state: claim.verified ? (lapsesAt ? "failing" : "verified") : "pending",
    record: { type: "TXT", name: recordName(domain), value: claim.challenge },
    verifiedAt: verifiedAt?.toISOString(),
    checkedAt: checkedAt?.toISOString(),
    problem,
    lapsesAt: lapsesAt?.toISOString(),
    createdAt: claim.createdAt.toISOString(),
  };
}
