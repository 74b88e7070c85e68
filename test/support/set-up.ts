/**
 * The ladder of set-ups: each starts what the one before it starts, and more. A test file awaits one at its top level,
 * or in its only suite; what was started ends after the tests of that file or suite. node:test knows the suite by the
 * promise that is awaited: a function that returns the promise of another file has to be `async`.
 */
import { after, afterEach } from "node:test";
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

export interface ServiceSetUp extends ServiceOptions {
  /** A time at which the clock stands still until a test advances it; by default the clock runs. */
  stoppedAt?: Date;
  /** Whether every document is removed after each test. */
  isEmptied?: boolean;
}

/** A service, with the clock that it uses. */
export async function setUpService(
  options: ServiceSetUp = {},
): Promise<{ service: TestService; clock: Clock }> {
  const { stoppedAt, isEmptied, ...config } = options;
  const clock = newClock(stoppedAt);
  const service = await closedAfter(startService({ now: () => clock.now(), ...config }));
  if (isEmptied) afterEach(() => service.empty());
  return { service, clock };
}

/** A service with an organization, whose owner is the first account and therefore the service's administrator. */
export async function setUpOrganization(
  options: ServiceSetUp = {},
): Promise<{ service: TestService; clock: Clock; owner: TestUser; org: TestOrg }> {
  const started = await setUpService(options);
  return { ...started, ...(await newOrganization(started.service)) };
}

/** Returns what was started, and closes it after the tests of the file or suite. */
export async function closedAfter<T extends { close(): unknown }>(starting: T | Promise<T>): Promise<T> {
  const started = await starting;
  after(() => started.close());
  return started;
}

/** A new organization, and the new account that owns it. */
export async function newOrganization(service: TestService): Promise<{ owner: TestUser; org: TestOrg }> {
  const owner = await service.newUser();
  return { owner, org: await service.newOrg(owner) };
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
