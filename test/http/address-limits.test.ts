import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRateLimits, type CallerAddress } from "../../src/http/request/rate-limit.ts";
import { startService, type ServiceOptions, type TestService } from "../support/service.ts";

const office = "192.0.2.7";

async function withService(options: ServiceOptions, run: (service: TestService) => Promise<void>) {
  const service = await startService({ rateLimits: true, trustProxy: 1, ...options });
  try {
    await run(service);
  } finally {
    await service.close();
  }
}

/** Statuses of requests from an address, one after another. */
async function statusesOf(
  service: TestService,
  { path, count, from, body = {} }: { path: string; count: number; from: string; body?: object },
): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) {
    const answer = await service.call("POST", path, { body, headers: { "x-forwarded-for": from } });
    statuses.push(answer.status);
  }
  return statuses;
}

const repeated = (count: number, status: number) => Array<number>(count).fill(status);

describe("the factor of limits per address", () => {
  it("lets 2,000 people of one address sign up within an hour, and no more", async () => {
    const limits = openRateLimits({ enabled: true, addressFactor: 200 });
    const caller: CallerAddress = { ipHash: "office" };

    for (let i = 0; i < 2000; i++) await limits.consume("sign-up", caller);

    await assert.rejects(limits.consume("sign-up", caller), { code: "rate_limited" });
    await limits.consume("sign-up", { ipHash: "another" });
  });

  it("leaves limits per account, recipient and credential as they are", async () => {
    const limits = openRateLimits({ enabled: true, addressFactor: 200 });
    for (const [budget, points] of [
      ["mail", 5],
      ["password", 10],
      ["factor", 10],
      ["ticket", 5],
    ] as const) {
      for (let i = 0; i < points; i++) await limits.consume(budget, "user:ada");
      await assert.rejects(limits.consume(budget, "user:ada"), { code: "rate_limited" }, budget);
    }
  });

  it("applies to requests", () =>
    withService({ addressLimits: { factor: 2, exempt: [] } }, async (service) => {
      const asked = { path: "/api/auth/sign-up", count: 21, from: office };
      assert.deepEqual(await statusesOf(service, asked), [...repeated(20, 400), 429]);
    }));
});

describe("an exempt network", () => {
  const addressLimits = { factor: 1, exempt: ["192.0.2.0/24", "2001:db8:12::/48"] };

  it("has no limits per address, unlike others", () =>
    withService({ addressLimits }, async (service) => {
      for (const path of ["/api/auth/sign-up", "/sign-up", "/api/auth/sign-in"])
        for (const from of [office, "2001:db8:12:3::4"]) {
          const statuses = await statusesOf(service, { path, count: 25, from });
          assert.ok(!statuses.includes(429), `${path} from ${from}: ${statuses.join()}`);
        }
      const others = { path: "/api/auth/sign-up", count: 11, from: "203.0.113.7" };
      assert.deepEqual(await statusesOf(service, others), [...repeated(10, 400), 429]);
      const claimed = { ...others, from: `${office}, 203.0.113.7`, count: 1 };
      assert.deepEqual(await statusesOf(service, claimed), [429]);
    }));

  it("has the limits of each account, which are those of an unknown one, too", () =>
    withService({ addressLimits }, async (service) => {
      const body = { email: "ada@example.com", password: "a wrong guess" };
      const guess = { path: "/api/auth/sign-in", count: 11, from: office, body };
      assert.deepEqual(await statusesOf(service, guess), [...repeated(10, 401), 429]);
    }));
});
