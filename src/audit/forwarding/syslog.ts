/** Syslog over TLS (RFC 5425): messages of RFC 5424, each preceded by its length. */
import { isIP } from "node:net";
import tls from "node:tls";
import type { AuditEntryPayload } from "../../../contract/payloads/audit.ts";
import { assertPublicHost, publicLookup } from "../../../repos/transport/address.ts";

export const syslogPort = 6514;
const timeoutMs = 10_000;
/** Facility 13 (log audit), severity 6 (informational). */
const priority = 13 * 8 + 6;

interface SyslogMessages {
  /** Host name of the service. */
  service: string;
  entries: readonly AuditEntryPayload[];
  /** Allows addresses of this machine and of private networks. */
  privateNetwork: boolean;
}

/**
 * Sends entries through a connection of their own, and ends it. Syslog has no acknowledgment: entries count as taken
 * once the receiver has closed its side after ours, without an error.
 */
export async function sendSyslog(
  url: string,
  { service, entries, privateNetwork }: SyslogMessages,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (!privateNetwork) assertPublicHost(hostname);
  await new Promise<void>((resolve, reject) => {
    const socket = tls.connect({
      host,
      port: Number(port || syslogPort),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(privateNetwork ? {} : { lookup: publicLookup }),
      minVersion: "TLSv1.2",
    });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(`The receiver ${host} ${reason}.`));
    };
    socket.setTimeout(timeoutMs, () => fail("takes too long"));
    socket.once("error", (error: NodeJS.ErrnoException) => fail(describe(error)));
    socket.once("close", (hadError) => {
      if (!hadError) resolve();
    });
    socket.once("secureConnect", () => {
      socket.end(Buffer.concat(entries.map((entry) => frameOf(service, entry))));
      socket.resume();
    });
  });
}

function describe({ code = "" }: NodeJS.ErrnoException): string {
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code))
    return `has a certificate that is not trusted (${code})`;
  return `can't be reached (${code || "the connection was lost"})`;
}

/** RFC 5424, 6: the text is UTF-8, which its first three bytes say. */
function frameOf(service: string, entry: AuditEntryPayload): Buffer {
  const header = `<${priority}>1 ${entry.createdAt} ${service} svc - ${entry.action.slice(0, 32)} - `;
  const message = Buffer.concat([
    Buffer.from(header, "ascii"),
    Buffer.from([0xef, 0xbb, 0xbf]),
    Buffer.from(JSON.stringify(entry)),
  ]);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}
