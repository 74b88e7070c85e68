import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPublicMailDomain, isReservedName } from "../../src/sso/domains/public-mail.ts";
import { domainOfAddress, normalizeDomain } from "../../src/users/email-domain.ts";

describe("a domain name", () => {
  const normalized: [string, string | undefined][] = [
    ["acme.com", "acme.com"],
    [" ACME.com ", "acme.com"],
    ["acme.com.", "acme.com"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["faß.de", "xn--fa-hia.de"],
    ["ａcme.com", "acme.com"],
    ["acme.internal", "acme.internal"],
    ["eu.acme.co.uk", "eu.acme.co.uk"],
    ["", undefined],
    ["acme", undefined],
    ["acme..com", undefined],
    [".acme.com", undefined],
    ["acme.com..", undefined],
    ["-acme.com", undefined],
    ["acme-.com", undefined],
    ["ac_me.com", undefined],
    ["ac%6de.com", undefined],
    ["acme.com/path", undefined],
    ["acme.com:443", undefined],
    ["acme.com?x", undefined],
    ["acme.com#x", undefined],
    ["user@acme.com", undefined],
    ["https://acme.com", undefined],
    ["acme .com", undefined],
    ["acme.com\u0000", undefined],
    ["ac\u00adme.com", undefined],
    ["ac\u200bme.com", undefined],
    ["192.0.2.1", undefined],
    ["0x7f.1", undefined],
    ["[::1]", undefined],
    ["*.acme.com", undefined],
    ["xn--a.com", undefined],
    [`${"a".repeat(64)}.com`, undefined],
    [`${"a.".repeat(200)}com`, undefined],
  ];
  for (const [text, expected] of normalized)
    it(`is ${expected ?? "refused"} for ${JSON.stringify(text).slice(0, 40)}`, () => {
      assert.equal(normalizeDomain(text), expected);
    });

  it("of an address is read from the last @, and only in a form that has one meaning", () => {
    assert.equal(domainOfAddress("ada@ACME.com"), "acme.com");
    assert.equal(domainOfAddress("ada@münchen.de"), "xn--mnchen-3ya.de");
    assert.equal(domainOfAddress("ada@xn--mnchen-3ya.de"), "xn--mnchen-3ya.de");
    assert.equal(domainOfAddress('"a@acme.com"@evil.test'), "evil.test");
    assert.equal(domainOfAddress("ada@eu.acme.com"), "eu.acme.com");
    for (const odd of [
      "ada@ａcme.com",
      "ada@acme.com.",
      "ada@acme.com/x",
      "ada@ac%6de.com",
      "ada@acme。com",
      "ada",
    ])
      assert.equal(domainOfAddress(odd), undefined, odd);
  });
});

describe("domains of mail providers", () => {
  it("are refused with their country and subdomains", () => {
    for (const domain of [
      "gmail.com",
      "googlemail.com",
      "yahoo.co.jp",
      "yahoo.com.br",
      "hotmail.fr",
      "outlook.de",
      "gmx.at",
      "proton.me",
      "icloud.com",
      "qq.com",
      "web.de",
      "mailinator.com",
      "any.mailinator.com",
    ])
      assert.equal(isPublicMailDomain(domain), true, domain);
  });

  it("are told apart from others with similar names", () => {
    for (const domain of [
      "acme.com",
      "notgmail.com",
      "gmail.com.acme.com",
      "live-nation.com",
      "mail.acme.com",
    ])
      assert.equal(isPublicMailDomain(domain), false, domain);
  });

  it("and names that are not delegated are refused, internal zones are not", () => {
    for (const domain of ["a.localhost", "x.invalid", "abc.onion", "10.in-addr.arpa"])
      assert.equal(isReservedName(domain), true, domain);
    assert.equal(isReservedName("acme.internal"), false);
  });
});
