/** The network addresses of callers, as limits and logs use them. */
import { isIPv6, type Socket } from "node:net";

/**
 * The network that counts as one caller: an IPv4 address, or the first 64 bits of an IPv6 address, since one subscriber
 * has all addresses behind them.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...gap, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(":")}::/64`;
}

/** The last address of each open connection, with its pseudonym. */
const pseudonyms = new WeakMap<Socket, { address: string; pseudonym: string }>();

/** The pseudonym of an address's network. Making one takes longer than finding a route. */
export function pseudonymOf(socket: Socket, address: string, anonymize: (network: string) => string): string {
  const known = pseudonyms.get(socket);
  if (known?.address === address) return known.pseudonym;
  const pseudonym = anonymize(networkOf(address));
  pseudonyms.set(socket, { address, pseudonym });
  return pseudonym;
}
