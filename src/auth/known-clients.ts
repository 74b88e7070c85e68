/**
 * Browsers and network addresses that have signed in to an account before. A stranger's failed sign-ins don't count
 * against them, and a browser that is not among them is reported to the account's owner. They are kept per account as
 * hashes that belong to it alone, so that no two accounts show a common browser or address.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { KnownClient, KnownClients } from "../../storage/credentials/known-clients.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { Cookie, RequestInfo } from "../http/route.ts";
import { hashSecret } from "../secrets.ts";

/** The client of a request, as far as it identifies itself. */
export interface ClientFacts {
  ipHash: string | undefined;
  /** Value of the browser's long-lived cookie. */
  deviceSecret: string | undefined;
}

/** Name of the cookie by which a browser is recognized: host-bound where the service is reached by https. */
function deviceCookieName(baseUrl: string): string {
  return baseUrl.startsWith("https:") ? "__Host-svc_device" : "svc_device";
}

export function clientFacts(app: App, actor: Actor, request: Pick<RequestInfo, "cookie">): ClientFacts {
  const cookie = request.cookie(deviceCookieName(app.config.baseUrl)) ?? "";
  return {
    ipHash: actor.origin.ipHash,
    deviceSecret: /^[\w-]{43}$/.test(cookie) ? cookie : undefined,
  };
}

export const newBrowserSecret = (): string => randomBytes(32).toString("base64url");

/** The cookie by which a browser is recognized. It alone makes no account remember the browser. */
export function browserCookie(app: App, deviceSecret: string): Cookie {
  const name = deviceCookieName(app.config.baseUrl);
  return { name, value: deviceSecret, maxAgeMs: limits.knownDeviceMs };
}

const hashFor = (userId: string, fact: string) => hashSecret(`${userId}\n${fact}`);

/** The known client of an account that a caller is: its browser, else its address; undefined if it is neither. */
export function knownClient(
  app: App,
  account: ({ _id: string } & KnownClients) | null,
  { ipHash, deviceSecret }: ClientFacts,
): { kind: "device" | "address"; hash: string } | undefined {
  if (!account) return undefined;
  const now = app.now().getTime();
  const isAmong = (known: readonly KnownClient[] | undefined, hash: string, keptMs: number) =>
    known?.some((one) => one.hash === hash && one.seenAt.getTime() + keptMs > now) ?? false;
  const device = deviceSecret === undefined ? undefined : hashFor(account._id, deviceSecret);
  if (device !== undefined && isAmong(account.knownDevices, device, limits.knownDeviceMs))
    return { kind: "device", hash: device };
  const address = ipHash === undefined ? undefined : hashFor(account._id, ipHash);
  if (address !== undefined && isAmong(account.knownAddresses, address, limits.knownAddressMs))
    return { kind: "address", hash: address };
  return undefined;
}

/** Remembers a client that has signed in, and returns the cookie by which its browser is recognized next time. */
export async function rememberClient(app: App, userId: string, facts: ClientFacts): Promise<Cookie> {
  // A browser keeps its secret for all of its accounts: a fresh one would make it unknown to the others.
  const deviceSecret = facts.deviceSecret ?? newBrowserSecret();
  const now = app.now();
  const hashes = {
    device: hashFor(userId, deviceSecret),
    address: facts.ipHash === undefined ? undefined : hashFor(userId, facts.ipHash),
  };
  await app.storage.users.noteClient(userId, hashes, now);
  return browserCookie(app, deviceSecret);
}

/** The known clients of an account whose password was reset: the address of the reset alone. */
export function clientsAfterReset(
  app: App,
  userId: string,
  ipHash: string | undefined,
): Required<KnownClients> {
  const knownAddresses = ipHash === undefined ? [] : [{ hash: hashFor(userId, ipHash), seenAt: app.now() }];
  return { knownDevices: [], knownAddresses };
}
