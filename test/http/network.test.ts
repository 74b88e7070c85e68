import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { networkOf } from "../../src/http/addresses.ts";

describe("the caller's address", () => {
  it("is an IPv4 address, or the first 64 bits of an IPv6 address in any spelling", () => {
    const cases: [string, string][] = [
      ["203.0.113.7", "203.0.113.7"],
      ["::ffff:203.0.113.7", "203.0.113.7"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
      ["2001:db8::1", "2001:db8:0:0::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"],
      ["::1", "0:0:0:0::/64"],
      ["::", "0:0:0:0::/64"],
      ["unknown", "unknown"],
    ];

    for (const [address, network] of cases) assert.equal(networkOf(address), network, address);
  });
});
