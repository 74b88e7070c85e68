import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SsoDomainPayload } from "../../contract/payloads/accounts/sso-domains.ts";
import { checkDomains } from "../../workers/sso/check-domains.ts";
import { deliverMails } from "../support/mailbox.ts";
import { addMember } from "../support/organization.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { dnsError, eventsOf, pathOf, setUpDomains, verifiedDomain, verify } from "./fixture.ts";

const dayMs = 24 * 3_600_000;
const fixture = await setUpDomains({ stoppedAt: new Date("2026-05-01T12:00:00Z") });
const { owner } = fixture;
let org: TestOrg;

/** Passes time, runs the job, and returns the state of the domain and the mails that were sent. */
async function after(days: number): Promise<{ domain: SsoDomainPayload; mails: string[] }> {
  const { service, clock } = fixture;
  clock.advance(days * dayMs);
  await checkDomains(service.app);
  await service.settled();
  const mails = (await deliverMails(service.app)).map(({ to, subject }) => `${to}: ${subject}`).toSorted();
  const [claim] = await service.app.storage.ssoDomains.list(org.id);
  assert.ok(claim);
  const state = claim.verified ? (claim.lapsesAt ? "failing" : "verified") : "pending";
  return { domain: { state } as SsoDomainPayload, mails };
}

/** A new session: the one that the account was created with ends while time passes. */
async function freshOwner(): Promise<TestUser> {
  const signedIn = await fixture.service.call("POST", "/api/auth/sign-in", {
    body: { email: `${owner.username}@example.com`, password: "correct horse battery" },
  });
  return { ...owner, cookie: signedIn.headers.getSetCookie()[0]!.split(";")[0]! };
}

async function verifiedAgain(domain: string): Promise<SsoDomainPayload> {
  const current = await freshOwner();
  org = await fixture.service.newOrg(await fixture.service.newUser());
  await addMember(fixture.service, org, owner, "owner");
  const made = await verifiedDomain(fixture, org, current, domain);
  await deliverMails(fixture.service.app);
  return made;
}

describe("the weekly check of a verified domain", () => {
  it("changes nothing while the record is there", async () => {
    await verifiedAgain("steady.example");
    assert.equal((await after(6)).domain.state, "verified");
    assert.deepEqual(await after(1.1), { domain: { state: "verified" }, mails: [] });
    assert.deepEqual(await fixture.service.app.storage.ssoDomains.listDue(fixture.clock.now(), 10), []);
  });

  it("warns every owner, and lets the verification lapse a week after the record went missing", async () => {
    const { record, id } = await verifiedAgain("gone.example");
    const second = await fixture.service.newUser();
    await addMember(fixture.service, org, second, "owner");
    await fixture.service.settled();
    await deliverMails(fixture.service.app);
    fixture.zone.set(record.name, dnsError("ENOTFOUND"));

    const first = await after(7.1);
    assert.equal(first.domain.state, "failing");
    const warned = first.mails.filter((mail) =>
      mail.endsWith("The DNS record of gone.example was not found"),
    );
    assert.equal(warned.length, 3, JSON.stringify(first.mails));
    assert.deepEqual((await after(1)).mails, [], "one warning, not one a day");
    const last = await after(5.2);
    assert.equal(last.domain.state, "failing");
    assert.equal(last.mails.length, 3, "a second warning on the last day");
    const { isVerifiedFor } = fixture.service.app.storage.ssoDomains;
    assert.equal(await isVerifiedFor(org.id, "gone.example"), true);

    const lapsed = await after(1);
    assert.equal(lapsed.domain.state, "pending");
    assert.ok(
      lapsed.mails.includes(`${owner.username}@example.com: The verification of gone.example has lapsed`),
    );
    assert.equal(await isVerifiedFor(org.id, "gone.example"), false);
    const names = (await eventsOf(fixture, org, "sso.domain_")).map((event) => event.name);
    assert.deepEqual(names, ["sso.domain_claimed", "sso.domain_verified", "sso.domain_lapsed"]);
    assert.deepEqual((await after(30)).mails, [], "a lapsed domain is not looked up");

    fixture.zone.set(record.name, [[record.value]]);
    const again = await verify(fixture, org, await freshOwner(), id);
    assert.deepEqual(
      [again.status, again.data.state],
      [200, "verified"],
      "the same record verifies it again",
    );
  });

  it("forgets the problem once the record is back", async () => {
    const { record } = await verifiedAgain("back.example");
    fixture.zone.set(record.name, [["svc-other"]]);
    assert.equal((await after(7.1)).domain.state, "failing");
    fixture.zone.set(record.name, [[record.value]]);
    assert.equal((await after(1.1)).domain.state, "verified");
    const { data } = await fixture.service.call<SsoDomainPayload[]>("GET", pathOf(org), {
      cookie: (await freshOwner()).cookie,
    });
    assert.deepEqual([data[0]?.problem, data[0]?.lapsesAt], [undefined, undefined]);
  });

  it("is patient with name servers that do not respond", async () => {
    const { record } = await verifiedAgain("slow.example");
    fixture.zone.set(record.name, dnsError("ETIMEOUT"));
    assert.equal((await after(7.1)).domain.state, "failing");
    for (let day = 0; day < 28; day++) assert.equal((await after(1.01)).domain.state, "failing");
    fixture.zone.set(record.name, dnsError("ENODATA"));
    assert.equal((await after(2)).domain.state, "pending", "a month is over");
  });

  it("does not undo a removal that happens while it waits for an answer", async () => {
    const { id } = await verifiedAgain("raced.example");
    const { service, clock } = fixture;
    const { resolveTxt } = service.app;
    clock.advance(7.1 * dayMs);
    const current = await freshOwner();
    service.app.resolveTxt = async () => {
      service.app.resolveTxt = resolveTxt;
      const removed = await service.call("DELETE", pathOf(org, `/${id}`), { cookie: current.cookie });
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
      throw dnsError("ENOTFOUND");
    };
    await checkDomains(service.app);
    assert.equal(await service.app.storage.ssoDomains.findVerified("raced.example"), null);
    assert.deepEqual(await service.app.storage.ssoDomains.list(org.id), []);
  });
});
