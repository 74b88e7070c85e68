/**
 * Set-ups that many test files share. Each function registers hooks: it is called once, at the top of a file or of a
 * suite, and passes what it started to `use`, so that the tests keep it in variables of their own.
 */
import { after, afterEach, before } from "node:test";
import {
  startService,
  type ServiceOptions,
  type TestOrg,
  type TestService,
  type TestUser,
} from "./service.ts";

/** The clock of a service. */
export interface Clock {
  /** Time that tests have added to the clock. */
  aheadMs: number;
  now(): Date;
  /** Adds to the time, and returns the new one. */
  advance(ms: number): Date;
}

export interface ServiceSetUp extends Omit<ServiceOptions, "now"> {
  /** A time at which the clock stands still until a test advances it; by default the clock runs. */
  stoppedAt?: Date;
  /** Whether every document is removed after each test. */
  isEmptied?: boolean;
}

/** Starts a service before the tests and closes it after them. */
export function setUpService(use: (service: TestService) => void, options: ServiceSetUp = {}): Clock {
  const { stoppedAt, isEmptied, ...config } = options;
  const clock = newClock(stoppedAt);
  let service: TestService;
  before(async () => use((service = await startService({ ...config, now: () => clock.now() }))));
  if (isEmptied)
    afterEach(async () => {
      await service.settled();
      await service.empty();
    });
  after(() => service.close());
  return clock;
}

/** Starts a service with an organization and its owner before the tests, and closes it after them. */
export function setUpOrganization(
  use: (made: { service: TestService; user: TestUser; org: TestOrg }) => void,
): void {
  let service: TestService;
  before(async () => {
    service = await startService();
    const user = await service.newUser();
    use({ service, user, org: await service.newOrg(user) });
  });
  after(() => service.close());
}

export function newClock(stoppedAt?: Date): Clock {
  const clock: Clock = {
    aheadMs: 0,
    now: () => new Date((stoppedAt?.getTime() ?? Date.now()) + clock.aheadMs),
    advance(ms) {
      clock.aheadMs += ms;
      return clock.now();
    },
  };
  return clock;
}
