import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { findCallerBehind, networkOf } from "../../src/http/request/addresses.ts";
import { parseAddress, type TrustedProxies } from "../../src/network-address.ts";
import { startService } from "../support/service.ts";

describe("the caller's network", () => {
  it("is an IPv4 address, or the first 64 bits of an IPv6 address in any spelling", () => {
    const cases: [string, string][] = [
      ["203.0.113.7", "203.0.113.7"],
      ["::ffff:203.0.113.7", "203.0.113.7"],
      ["::FFFF:cb00:7107", "203.0.113.7"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
      ["2001:db8::1", "2001:db8:0:0::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"],
      ["::1", "0:0:0:0::/64"],
      ["::", "0:0:0:0::/64"],
      ["unknown", "unknown"],
      ["<script>", "unknown"],
    ];

    for (const [address, network] of cases) assert.equal(networkOf(address), network, address);
  });
});

describe("an address in a header", () => {
  it("is read with the port and the brackets that proxies add", () => {
    const cases: [string, string | undefined][] = [
      ["203.0.113.7", "203.0.113.7"],
      ["203.0.113.7:51544", "203.0.113.7"],
      ["[2001:DB8::1]:443", "2001:db8::1"],
      ["[2001:db8::1]", "2001:db8::1"],
      ["2001:0db8:0:0::1", "2001:db8::1"],
      ["[::ffff:203.0.113.7]:80", "203.0.113.7"],
      ["fe80::1%eth0", "fe80::1"],
      ["", undefined],
      ["unknown", undefined],
      ["_hidden", undefined],
      ["203.0.113", undefined],
      ["203.0.113.007", undefined],
      ["203.0.113.7:port", undefined],
      ["203.0.113.7:51544:1", undefined],
      ["2001:db8::1]:443", undefined],
      ["[example.org]:443", undefined],
      ["1".repeat(8000), undefined],
    ];

    for (const [text, address] of cases) assert.equal(parseAddress(text), address, text);
  });
});

describe("a caller behind proxies", () => {
  const find = (trusted: TrustedProxies, remoteAddress: string, forwarded?: string) =>
    findCallerBehind(trusted)({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    } as IncomingMessage).address;

  it("is found by the number of proxies, whatever the caller wrote", () => {
    const cases: [number, string | undefined, string][] = [
      [0, "198.51.100.1", "10.0.0.1"],
      [1, undefined, "10.0.0.1"],
      [1, "198.51.100.1", "198.51.100.1"],
      [1, "192.0.2.66, 198.51.100.1:4711", "198.51.100.1"],
      [2, "192.0.2.66, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
      [2, "198.51.100.1", "198.51.100.1"],
      [2, "no address, 198.51.100.1,10.0.0.2", "198.51.100.1"],
      [1, "192.0.2.66, no address", "unknown"],
      [1, "198.51.100.1,", "unknown"],
    ];

    for (const [hops, forwarded, address] of cases)
      assert.equal(find(hops, "::ffff:10.0.0.1", forwarded), address, `${hops} of ${forwarded}`);
  });

  it("is found by the networks of proxies, and direct callers can't claim another address", () => {
    const networks = ["10.0.0.0/8", "2001:db8:cd::/48", "192.0.2.5"];
    const cases: [string, string | undefined, string][] = [
      ["10.0.0.1", undefined, "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
      ["10.0.0.1", "203.0.113.9, 198.51.100.1, 192.0.2.5, [2001:db8:cd::7]:443", "198.51.100.1"],
      ["10.0.0.1", "10.1.2.3, 10.3.2.1", "10.1.2.3"],
      ["10.0.0.1", "203.0.113.9, no address, 10.3.2.1", "unknown"],
      ["198.51.100.1", "203.0.113.9", "198.51.100.1"],
      ["2001:db8:cd::1", "203.0.113.9", "203.0.113.9"],
    ];

    for (const [socket, forwarded, address] of cases)
      assert.equal(find(networks, socket, forwarded), address, `${socket} with ${forwarded}`);
  });

  it("counts as one for its limits with any port, and as one with all callers whose address can't be read", async () => {
    const service = await startService({ trustProxy: 1, rateLimits: true });
    const statusFrom = async (address: string) =>
      (await service.call("POST", "/api/auth/sign-up", { body: {}, headers: { "x-forwarded-for": address } }))
        .status;
    try {
      for (const addressOf of [
        (i: number) => `203.0.113.7:${51_000 + i}`,
        (i: number) => `not an address ${i}`,
      ]) {
        const statuses: number[] = [];
        for (let i = 0; i < 11; i++) statuses.push(await statusFrom(addressOf(i)));
        assert.deepEqual(statuses, [...Array<number>(10).fill(400), 429], addressOf(0));
      }
      assert.equal(await statusFrom("203.0.113.8:51000"), 400);
    } finally {
      await service.close();
    }
  });
});

describe("TRUST_PROXY", () => {
  it("is a number of proxies, or their networks", () => {
    const cases: [string, TrustedProxies][] = [
      ["", 0],
      ["false", 0],
      ["0", 0],
      ["true", 1],
      ["1", 1],
      ["3", 3],
      ["10.0.0.0/8, 2001:db8::/32,192.0.2.1", ["10.0.0.0/8", "2001:db8::/32", "192.0.2.1"]],
    ];

    for (const [text, expected] of cases)
      assert.deepEqual(readConfig({ TRUST_PROXY: text }).trustProxy, expected, text);
  });

  it("is refused with what it can be", () => {
    const faulty = [
      "-1",
      "21",
      "two",
      "10.0.0.0/33",
      "10.0.0.0/",
      "0.0.0.0/0",
      "::/0",
      "10.0.0.1:80",
      "10.0.0.1,",
      "proxy.example",
    ];
    for (const text of faulty)
      assert.throws(
        () => readConfig({ TRUST_PROXY: text }),
        /must be true for one proxy, the number of proxies .*at TRUST_PROXY/s,
        text,
      );
  });
});

describe("BASE_URL", () => {
  it("is the origin of the service in one spelling", () => {
    assert.equal(
      readConfig({ BASE_URL: "https://Skills.Example.com:443/" }).baseUrl,
      "https://skills.example.com",
    );
  });

  it("is refused with anything after the host, and with credentials", () => {
    const faulty = ["/svc", "/svc/", "//", "/?a=b", "/#top"].map(
      (rest) => `https://skills.example.com${rest}`,
    );
    for (const url of [...faulty, "https://user:password@skills.example.com"])
      assert.throws(
        () => readConfig({ BASE_URL: url }),
        /must have nothing after the host and port.*at BASE_URL/s,
        url,
      );
  });

  it("is required if the service listens on all addresses", () => {
    for (const HOST of ["0.0.0.0", "::"]) {
      assert.throws(() => readConfig({ HOST }), /at BASE_URL/, HOST);
      assert.equal(readConfig({ HOST, BASE_URL: "http://skills.example" }).host, HOST);
    }
  });
});
