/** An organization on a service whose TXT records are a table of the test. */
import assert from "node:assert/strict";
import type { SsoDomainPayload } from "../../contract/payloads/accounts/sso-domains.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Answer, TestOrg, TestService, TestUser } from "../support/service.ts";
import { setUpOrganization, type Clock, type ServiceSetUp } from "../support/set-up.ts";

/** TXT records by name; an error is thrown. A name without an entry does not exist. */
export type Zone = Map<string, string[][] | Error>;

export const dnsError = (code: string) => Object.assign(new Error(`queryTxt ${code}`), { code });

export interface Fixture {
  service: TestService;
  zone: Zone;
  clock: Clock;
  owner: TestUser;
  org: TestOrg;
}

/** A service with an organization, its owner and an empty zone. */
export async function setUpDomains(options: ServiceSetUp = {}): Promise<Fixture> {
  const zone: Zone = new Map();
  const resolveTxt = (name: string) => {
    const found = zone.has(name) ? zone.get(name) : dnsError("ENOTFOUND");
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found!);
  };
  return { zone, ...(await setUpOrganization({ ...options, resolveTxt })) };
}

export const pathOf = (org: TestOrg, rest = "") => `/api/tenants/${org.id}/sso/domains${rest}`;

export function claim(
  { service }: Fixture,
  org: TestOrg,
  by: TestUser,
  domain: string,
): Promise<Answer<SsoDomainPayload>> {
  return service.call<SsoDomainPayload>("POST", pathOf(org), { cookie: by.cookie, body: { domain } });
}

export function verify(
  { service }: Fixture,
  org: TestOrg,
  by: TestUser,
  id: string,
): Promise<Answer<SsoDomainPayload>> {
  return service.call<SsoDomainPayload>("POST", pathOf(org, `/${id}/verify`), { cookie: by.cookie });
}

/** Claims a domain, publishes its record and verifies it. */
export async function verifiedDomain(
  fixture: Fixture,
  org: TestOrg,
  by: TestUser,
  domain: string,
): Promise<SsoDomainPayload> {
  const { data, status, body } = await claim(fixture, org, by, domain);
  assert.equal(status, 201, JSON.stringify(body));
  fixture.zone.set(data.record.name, [[data.record.value]]);
  const verified = await verify(fixture, org, by, data.id);
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  return verified.data;
}

/** The events of an organization whose names begin with `group`, oldest first. */
export async function eventsOf({ service }: Fixture, org: TestOrg, group: string): Promise<EventRow[]> {
  await service.settled();
  const rows = service.app.storage.database.collection<EventRow>("audit_events");
  return rows
    .find({ tenantId: org.id, name: { $regex: `^${group.replaceAll(".", "\\.")}` } })
    .sort({ _id: 1 })
    .toArray();
}
