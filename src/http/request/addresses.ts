/** The network addresses of callers, as limits and logs use them. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIPv4, type Socket } from "node:net";
import { parseAddress, parseNetwork, type TrustedProxies } from "../../network-address.ts";

export interface Caller {
  /** In the form of `parseAddress`, or `unknownAddress`. */
  address: string;
  /** Whether a trusted proxy has sent the request, so that its other headers about the caller count too. */
  isForwarded: boolean;
  /** Whether no limits per address apply to the caller. */
  isExempt: boolean;
}

/** Stands for everything that is not an address: such callers share their limits, and the text is not kept. */
export const unknownAddress = "unknown";

/**
 * A function that finds the caller of a request. Each proxy adds the address that it has seen to the end of
 * `X-Forwarded-For`: the caller's is the last one that no trusted proxy has, since callers can write those before it.
 */
export function findCallerBehind(
  trusted: TrustedProxies,
  exempt: readonly string[] = [],
): (request: IncomingMessage) => Caller {
  const exempts = within(exempt);
  const isTrusted =
    typeof trusted === "number" ? (_: unknown, hop: number) => hop < trusted : within(trusted);
  return ({ socket, headers }) => {
    let address = parseAddress(socket.remoteAddress ?? "");
    const isForwarded = isTrusted(address, 0);
    const forwarded = isForwarded ? String(headers["x-forwarded-for"] ?? "") : "";
    const seen = forwarded === "" ? [] : forwarded.split(",");
    for (let hop = 0; seen.length > 0 && isTrusted(address, hop); hop++)
      address = parseAddress(seen.pop()!.trim());
    return {
      address: address ?? unknownAddress,
      isForwarded,
      isExempt: exempt.length > 0 && exempts(address),
    };
  };
}

function within(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const { address, bits } = parseNetwork(network)!;
    list.addSubnet(address, bits, isIPv4(address) ? "ipv4" : "ipv6");
  }
  return (address) => address !== undefined && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/**
 * The network that counts as one caller: an IPv4 address, or the first 64 bits of an IPv6 address, since one subscriber
 * has all addresses behind them.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return unknownAddress;
  if (isIPv4(address)) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  return `${[...left, ...gap, ...right].slice(0, 4).join(":")}::/64`;
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
