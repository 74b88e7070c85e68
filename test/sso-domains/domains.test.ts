import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { SsoDomainPayload } from "../../contract/payloads/accounts/sso-domains.ts";
import { newMember } from "../support/organization.ts";
import { claim, dnsError, eventsOf, pathOf, setUpDomains, verifiedDomain, verify } from "./fixture.ts";

const fixture = await setUpDomains();

/** Another organization with its owner. */
async function another() {
  const owner = await fixture.service.newUser();
  return { owner, org: await fixture.service.newOrg(owner) };
}

describe("a domain", () => {
  it("is claimed, verified by its TXT record, listed and removed, each with one event", async () => {
    const { service, owner, zone } = fixture;
    const { org } = fixture;
    const claimed = await claim(fixture, org, owner, " ACME.com ");
    const { id, record } = claimed.data;
    assert.equal(claimed.status, 201, JSON.stringify(claimed.body));
    assert.deepEqual([claimed.data.domain, claimed.data.state], ["acme.com", "pending"]);
    assert.deepEqual([record.type, record.name], ["TXT", "_svc-challenge.acme.com"]);
    assert.match(record.value, /^svc-[\w-]{32}$/);

    const early = await verify(fixture, org, owner, id);
    assert.deepEqual([early.status, early.code], [422, "domain_unverified"]);
    assert.deepEqual(early.details?.["record"], record);
    assert.equal(await service.app.storage.ssoDomains.isVerifiedFor(org.id, "acme.com"), false);

    // Providers split long values, and a name may have records of others.
    zone.set(record.name, [["v=spf1 -all"], [record.value.slice(0, 9), record.value.slice(9)]]);
    const verified = await verify(fixture, org, owner, id);
    assert.equal(verified.status, 200, JSON.stringify(verified.body));
    assert.deepEqual([verified.data.state, verified.data.problem], ["verified", undefined]);
    assert.equal((await verify(fixture, org, owner, id)).status, 200);
    const { ssoDomains } = service.app.storage;
    assert.equal((await ssoDomains.findVerified("acme.com"))?.tenantId, org.id);
    assert.equal(await ssoDomains.isVerifiedFor(org.id, "eu.acme.com"), false, "subdomains are separate");

    const listed = await service.call<SsoDomainPayload[]>("GET", pathOf(org), { token: owner.token });
    assert.deepEqual(
      listed.data.map(({ domain, state }) => [domain, state]),
      [["acme.com", "verified"]],
    );
    const removed = await service.call("DELETE", pathOf(org, `/${id}`), { cookie: owner.cookie });
    assert.equal(removed.status, 200, JSON.stringify(removed.body));
    assert.equal(await ssoDomains.findVerified("acme.com"), null);
    assert.equal((await verify(fixture, org, owner, id)).code, "not_found");
    const events = await eventsOf(fixture, org, "sso.domain_");
    assert.deepEqual(
      events.map(({ name }) => name),
      ["sso.domain_claimed", "sso.domain_verified", "sso.domain_removed"],
    );
    assert.ok(events.every(({ metadata }) => metadata["domain"] === "acme.com"));
  });

  it("is shown in its own script", async () => {
    const claimed = await claim(fixture, fixture.org, fixture.owner, "bücher.example");
    assert.deepEqual(
      [claimed.data.domain, claimed.data.displayName, claimed.data.record.name],
      ["xn--bcher-kva.example", "bücher.example", "_svc-challenge.xn--bcher-kva.example"],
    );
    const again = await claim(fixture, fixture.org, fixture.owner, "xn--bcher-kva.example");
    assert.equal(again.code, "already_exists");
  });

  it("is refused if it identifies no organization", async () => {
    const cases: [string, number, string, RegExp][] = [
      ["gmail.com", 422, "refused", /anyone/],
      ["x.localhost", 422, "refused", /reserved/],
      ["acme", 400, "invalid_request", /not a domain/],
      ["192.0.2.1", 400, "invalid_request", /not a domain/],
      ["ada@acme.com", 400, "invalid_request", /after the @/],
      [
        `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(58)}`,
        400,
        "invalid_request",
        /too long/,
      ],
      ["x".repeat(5000), 400, "invalid_request", /domain/],
    ];
    for (const [domain, status, code, message] of cases) {
      const answer = await claim(fixture, fixture.org, fixture.owner, domain);
      assert.deepEqual([answer.status, answer.code], [status, code], domain);
      assert.match(answer.error ?? "", message);
    }
  });

  it("takes an owner, who has verified themselves lately", async () => {
    const { service, org, clock } = fixture;
    const admin = await newMember(service, org, "admin");
    const outsider = await service.newUser();
    const refused = async (cookie: string) =>
      (await service.call("POST", pathOf(org), { cookie, body: { domain: "other.example" } })).code;
    assert.equal(await refused(admin.cookie), "forbidden");
    assert.equal((await service.call("GET", pathOf(org), { cookie: admin.cookie })).code, "forbidden");
    assert.equal(await refused(outsider.cookie), "not_found");
    const orgToken = await service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
      cookie: fixture.owner.cookie,
      body: { name: "t" },
    });
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
    ] as const) {
      const body = method === "POST" ? { domain: "other.example" } : undefined;
      const answer = await service.call(method, pathOf(org, path), { token: orgToken.data.token, body });
      assert.equal(answer.code, "forbidden");
    }

    const { data } = await claim(fixture, org, fixture.owner, "later.example");
    clock.advance(limits.recentVerificationMs + 1000);
    try {
      const { owner } = fixture;
      const late = await claim(fixture, org, owner, "other.example");
      assert.deepEqual([late.status, late.code], [403, "reauthentication_required"]);
      assert.equal((await verify(fixture, org, owner, data.id)).code, "reauthentication_required");
      const removal = await service.call("DELETE", pathOf(org, `/${data.id}`), { cookie: owner.cookie });
      assert.equal(removal.code, "reauthentication_required");
    } finally {
      clock.advance(-limits.recentVerificationMs - 1000);
    }
  });

  it("is limited in number, also for concurrent claims", async () => {
    const { owner, org } = await another();
    const answers = await Promise.all(
      Array.from({ length: limits.ssoDomains + 5 }, (_, i) => claim(fixture, org, owner, `d${i}.example`)),
    );
    const codes = answers.map(({ status, code }) => code ?? status);
    assert.equal(codes.filter((code) => code === 201).length, limits.ssoDomains);
    assert.equal(codes.filter((code) => code === "limit_reached").length, 5);
  });
});

describe("a domain of two organizations", () => {
  it("is verified by the first one, and by the other one after its removal", async () => {
    const [first, second] = [await another(), await another()];
    const won = await verifiedDomain(fixture, first.org, first.owner, "shared.example");
    const { data } = await claim(fixture, second.org, second.owner, "shared.example");
    assert.equal(data.state, "pending", "a claim does not reveal other organizations");
    // The record of the other organization is not one of this claim.
    const foreign = await verify(fixture, second.org, second.owner, data.id);
    assert.equal(foreign.code, "domain_unverified");
    assert.deepEqual(foreign.details?.["found"], [won.record.value]);

    fixture.zone.set(data.record.name, [[won.record.value], [data.record.value]]);
    const late = await verify(fixture, second.org, second.owner, data.id);
    assert.deepEqual([late.status, late.code], [409, "already_exists"]);
    assert.ok(!JSON.stringify(late.body).includes(first.org.slug), "the other organization is not named");
    const due = await fixture.service.app.storage.ssoDomains.listDue(fixture.clock.now(), 100);
    assert.deepEqual(
      due.map(({ tenantId }) => tenantId),
      [first.org.id],
      "the record of the first one is looked up again",
    );

    await fixture.service.call("DELETE", pathOf(first.org, `/${won.id}`), { cookie: first.owner.cookie });
    assert.equal((await verify(fixture, second.org, second.owner, data.id)).status, 200);
    assert.deepEqual(await eventsOf(fixture, second.org, "sso.domain_verified").then((all) => all.length), 1);
  });

  it("is verified by exactly one of those who check at the same time", async () => {
    const claims = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const one = await another();
        return { ...one, ...(await claim(fixture, one.org, one.owner, "race.example")).data };
      }),
    );
    fixture.zone.set(
      claims[0]!.record.name,
      claims.map(({ record }) => [record.value]),
    );
    const answers = await Promise.all(
      // Twice each: a second check of the same claim may find it changed.
      [...claims, ...claims].map(({ org, owner, id }) => verify(fixture, org, owner, id)),
    );
    const winners = new Set<string>();
    for (const [at, { status, code }] of answers.entries()) {
      if (status === 200) winners.add(claims[at % 5]!.org.id);
      else assert.ok(code === "already_exists" || code === "conflict", code);
    }
    assert.equal(winners.size, 1);
    const events = await Promise.all(claims.map(({ org }) => eventsOf(fixture, org, "sso.domain_verified")));
    assert.equal(events.flat().length, 1);
  });
});

describe("answers of name servers", () => {
  it("that are wrong, late, malformed or too large verify nothing and have a clear error", async () => {
    const { owner, org } = await another();
    const { data } = await claim(fixture, org, owner, "dns.example");
    const { name, value } = data.record;
    const many = Array.from({ length: 10_000 }, (_, i) => [`record ${i}`]);
    const cases: [string[][] | Error, "missing" | "unreachable", RegExp][] = [
      [[["svc-wrong"]], "missing", /not the one of this claim/],
      [[[value.toLowerCase()]], "missing", /not the one/],
      [[[`${value}x`]], "missing", /not the one/],
      [[["x", value]], "missing", /not the one/],
      [[], "missing", /no TXT record/],
      [[[]], "missing", /not the one/],
      [[...many, [value]], "missing", /10001 TXT records/],
      [[["\u001b[31m<script>\u202e".repeat(5000)]], "missing", /not the one/],
      [dnsError("ENODATA"), "missing", /no TXT record/],
      [dnsError("ENOTFOUND"), "missing", /no TXT record/],
      [dnsError("ETIMEOUT"), "unreachable", /in time/],
      [dnsError("ECANCELLED"), "unreachable", /in time/],
      [dnsError("ESERVFAIL"), "unreachable", /no usable answer/],
      [dnsError("EBADRESP"), "unreachable", /no usable answer/],
      [new Error("secret of the resolver"), "unreachable", /EUNKNOWN/],
      [undefined as never, "unreachable", /no usable answer/],
      ["text" as never, "unreachable", /no usable answer/],
      [[null] as never, "unreachable", /no usable answer/],
    ];
    for (const [answer, reason, message] of cases) {
      fixture.zone.set(name, answer);
      const result = await verify(fixture, org, owner, data.id);
      assert.deepEqual(
        [result.code, result.details?.["reason"]],
        ["domain_unverified", reason],
        result.error,
      );
      assert.match(result.error ?? "", message);
      const text = JSON.stringify(result.body);
      assert.ok(text.length < 1500, `${text.length} characters`);
      assert.doesNotMatch(text, /secret of|\\u001b|\u202e/);
    }
    assert.equal(await fixture.service.app.storage.ssoDomains.isVerifiedFor(org.id, "dns.example"), false);
    const listed = await fixture.service.call<SsoDomainPayload[]>("GET", pathOf(org), {
      cookie: owner.cookie,
    });
    assert.match(listed.data[0]?.problem ?? "", /no usable answer/);
  });
});
