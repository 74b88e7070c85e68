/**
 * Rules for the addresses of remotes. A name is resolved once, all its addresses are checked, and the connection goes
 * to one of them: a later answer of the name server is not used.
 */
import { lookup as resolve, type LookupAddress } from "node:dns";
import * as dns from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { withinTime } from "../../contract/concurrency/within-time.ts";
import { RepoError } from "../errors.ts";
import { isAllowedAddress } from "./outbound-allow.ts";

/** Not reached over the internet: this machine, private networks, and what maps or tunnels to them. */
const blocked4 = new BlockList();
/** A list of its own: in one with both, an address of version 4 counts as the mapped one of version 6. */
const blocked6 = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  blocked4.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  blocked6.addSubnet(network, bits, "ipv6");

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  // A zone names an interface of this machine.
  if (address.includes("%")) return false;
  return family === 6 ? !blocked6.check(address, "ipv6") : !blocked4.check(address, "ipv4");
}

const forbidden = (host: string) =>
  new RepoError("remote_forbidden", `${host} leads to this machine or a private network`);

const mayReach = (host: string, address: string) =>
  isPublicAddress(address) || isAllowedAddress(host, address);

/** Throws `remote_forbidden` for a literal address; a connection to one asks no name server. */
export function assertPublicHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !mayReach(host, host)) throw forbidden(host);
}

/** Time that a name server has where a proxy looks up the name anyway. */
const lookupMs = 2000;

/**
 * Throws `remote_forbidden` for a host that a proxy must not be asked for: one that this machine finds at a private
 * address. A name that it doesn't find is the proxy's to judge, since many networks resolve public names there only.
 */
export async function assertPublicName(hostname: string): Promise<void> {
  assertPublicHost(hostname);
  const found = dns.lookup(hostname, { all: true }).catch((): LookupAddress[] => []);
  const addresses = await withinTime(found, lookupMs, () => []);
  if (!addresses.every(({ address }) => mayReach(hostname, address))) throw forbidden(hostname);
}

/** For `net.connect`: one private address among those of a name, unless it is allowed, is enough to refuse it. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const first = addresses?.[0];
    if (error !== null || first === undefined)
      return callback(error ?? new Error("the name has no address"), "", 0);
    if (!addresses.every(({ address }) => mayReach(hostname, address)))
      return callback(forbidden(hostname), "", 0);
    if (options.all === true) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};
