/** Private networks and hosts that the operator allows for all outbound requests (`OUTBOUND_ALLOW`). */
import { BlockList, isIP } from "node:net";

interface AllowedHosts {
  /** Networks by the family of their addresses. */
  networks: { 4: BlockList; 6: BlockList };
  /** Names of hosts, in lower case. */
  names: ReadonlySet<string>;
}

/** Private networks in which a host that is allowed by its name may be; none with addresses of metadata services. */
const [private4, private6, metadata4, metadata6] = Array.from({ length: 4 }, () => new BlockList());
for (const [network, bits] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  private4!.addSubnet(network, bits, "ipv4");
private6!.addAddress("::1", "ipv6");
private6!.addSubnet("fc00::", 7, "ipv6");
metadata4!.addAddress("100.100.100.200", "ipv4");
for (const address of ["fd00:ec2::254", "fd20:ce::254"]) metadata6!.addAddress(address, "ipv6");

/** Comma-separated addresses, networks and host names. Undefined if a text is neither, or stands for every address. */
export function parseAllowedHosts(text: string): AllowedHosts | undefined {
  const networks = { 4: new BlockList(), 6: new BlockList() };
  const names = new Set<string>();
  for (const entry of text.split(",").map((one) => one.trim())) {
    const [, address = "", digits] = /^([^/]+?)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const family = isIP(address);
    const maxBits = family === 4 ? 32 : 128;
    const bits = digits === undefined ? maxBits : Number(digits);
    if (family === 4 || family === 6) {
      if (bits < 1 || bits > maxBits || address.includes("%")) return undefined;
      networks[family].addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
    } else if (isHostName(entry)) names.add(entry.toLowerCase());
    else return undefined;
  }
  return { networks, names };
}

/** Whether a URL has the text as its host in the same form: digits and dots alone would be an address. */
const isHostName = (text: string) =>
  /^[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d])?$/i.test(text) &&
  URL.canParse(`https://${text}/`) &&
  new URL(`https://${text}/`).hostname === text.toLowerCase();

let allowed: AllowedHosts | undefined;

/** Sets the list for all outbound requests of this process; without one, private addresses are refused. */
export function allowOutbound(list: string | undefined): void {
  allowed = list === undefined ? undefined : parseAllowedHosts(list);
}

/**
 * Whether a private address of a host may be reached: it is in a network of the list, or the list has the host's name
 * and the address is one of a private network. Addresses of metadata services have to be in a network of the list.
 */
export function isAllowedAddress(host: string, address: string): boolean {
  const family = isIP(address);
  if (!allowed || (family !== 4 && family !== 6) || address.includes("%")) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  if (allowed.networks[family].check(address, type)) return true;
  const [within, metadata] = family === 4 ? [private4!, metadata4!] : [private6!, metadata6!];
  return isNamed(allowed, host) && within.check(address, type) && !metadata.check(address, type);
}

/** Whether the list has a host itself, by its name or its address: requests to it may be unencrypted. */
export function isAllowedHost(hostname: string): boolean {
  if (!allowed) return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? isNamed(allowed, host) : isAllowedAddress(host, host);
}

const isNamed = ({ names }: AllowedHosts, host: string) => names.has(host.toLowerCase().replace(/\.$/, ""));
