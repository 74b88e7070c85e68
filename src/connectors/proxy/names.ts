/** Names and addresses under which the entries of connected servers are offered, and back. */
import { createHash } from "node:crypto";

const longestName = 128;
const separator = "__";
/** The end of a name that stands for another one: `_h` and 8 hexadecimal digits of the SHA-256 of the original. */
const substitute = /_h[0-9a-f]{8}$/;
const hashLength = 10;

/**
 * `<connector>__<name>`. Names that clients might refuse, or that are too long, get a substitute: what is readable of
 * them, and a hash of the original.
 */
export function offeredName(connector: string, name: string): string {
  const direct = connector + separator + name;
  const fits = /^[A-Za-z0-9_.-]+$/.test(name) && direct.length <= longestName && !substitute.test(name);
  if (fits) return direct;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  const room = longestName - connector.length - separator.length - hashLength;
  const readable = name.replace(/[^A-Za-z0-9.-]+/g, "_").slice(0, room);
  return `${connector}${separator}${readable}_h${hash}`;
}

/** The connector, and the name or its substitute. Slugs of connectors have no underscores. */
export function splitName(offered: string): { connector: string; name: string } | undefined {
  const at = offered.indexOf(separator);
  if (at < 1 || at + separator.length === offered.length) return undefined;
  return { connector: offered.slice(0, at), name: offered.slice(at + separator.length) };
}

/** Whether only the list of the server has the original of a name. */
export function isSubstitute(name: string): boolean {
  return substitute.test(name);
}

/** The address or template of a resource with its connector in the scheme: `central.<connector>:<original>`. */
export function offeredUri(connector: string, uri: string): string {
  return `central.${connector}:${uri}`;
}

export function splitUri(offered: string): { connector: string; uri: string } | undefined {
  const [, connector, uri] = /^central\.([a-z0-9-]+):(.+)$/s.exec(offered) ?? [];
  return connector === undefined || uri === undefined ? undefined : { connector, uri };
}
