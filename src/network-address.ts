/** Network addresses as sockets, proxies and operators write them. */
import { isIPv4, isIPv6 } from "node:net";

/** Number of proxies in front of the service, or their addresses and networks. */
export type TrustedProxies = number | readonly string[];

/**
 * One spelling of an address as a socket or a proxy writes it: without port, brackets and zone, IPv4 also if it was
 * mapped to IPv6. Undefined for a text that is not an address.
 */
export function parseAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1];
  const bare = bracketed ?? text.replace(/^([\d.]+):\d{1,5}$/, "$1");
  if (isIPv4(bare)) return bare;
  const address = bare.replace(/%.*$/, "");
  if (!isIPv6(address)) return undefined;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical)?.slice(1);
  if (!mapped) return canonical;
  return mapped
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

/** The subnet of an address or of a network such as 10.0.0.0/8; undefined for a text that is neither. */
export function parseNetwork(text: string): { address: string; bits: number } | undefined {
  const [, before = "", digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = isIPv4(before) || isIPv6(before) ? parseAddress(before) : undefined;
  if (address === undefined) return undefined;
  const allBits = isIPv4(address) ? 32 : 128;
  const bits = digits === undefined ? allBits : Number(digits);
  return bits > allBits ? undefined : { address, bits };
}
