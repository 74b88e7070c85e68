/** Syslog over TLS (RFC 5425): messages of RFC 5424, each preceded by its length. */
import { isIP } from "node:net";
import tls from "node:tls";
import { hiddenCharacters } from "../../../contract/checks/unsafe-characters.ts";
import type { AuditEntryPayload } from "../../../contract/payloads/organizations/audit.ts";
import { assertPublicHost, publicLookup } from "../../../repos/transport/address.ts";
import { asUnreachable } from "../../../repos/transport/http-errors.ts";
import { deadlineMs, ReceiverError } from "../../webhooks/send.ts";

export const syslogPort = 6514;
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
  if (!privateNetwork) assertPublicHost(host);
  await new Promise<void>((resolve, reject) => {
    const socket = tls.connect({
      host,
      port: Number(port || syslogPort),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(privateNetwork ? {} : { lookup: publicLookup }),
      minVersion: "TLSv1.2",
    });
    // Not a timeout of the socket, which each byte of the receiver would prolong.
    const late = setTimeout(() => socket.destroy(ReceiverError.late()), deadlineMs);
    let isSent = false;
    socket.once("error", (error) =>
      reject(error instanceof ReceiverError ? error : asUnreachable(error, host)),
    );
    socket.once("close", () => {
      clearTimeout(late);
      if (isSent) resolve();
      else reject(new ReceiverError("The receiver closed the connection before it had the entries."));
    });
    socket.once("secureConnect", () => {
      const frames = Buffer.concat(entries.map((entry) => frameOf(service, entry)));
      socket.once("finish", () => (isSent = true));
      socket.end(frames);
      socket.resume();
    });
  });
}

/** Characters that end a line or hide others where a receiver writes the text as it is. */
const escaped = (characters: string) =>
  characters
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** RFC 5424, 6: the text is UTF-8, which its first three bytes say. */
function frameOf(service: string, entry: AuditEntryPayload): Buffer {
  const header = `<${priority}>1 ${entry.createdAt} ${service} svc - ${entry.action.slice(0, 32)} - `;
  const message = Buffer.concat([
    Buffer.from(header, "ascii"),
    Buffer.from([0xef, 0xbb, 0xbf]),
    Buffer.from(JSON.stringify(entry).replaceAll(hiddenCharacters, escaped)),
  ]);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}
