/** The next expiries: of identity providers, and of the certificate of this service's own address. */
import { connect } from "node:tls";
import type { NextExpiries } from "../../storage/lookups/operation-state.ts";
import type { App } from "../app.ts";

const keptMs = 3_600_000;
const connectMs = 3000;

interface Expiries extends NextExpiries {
  /** The certificate at `BASE_URL`; absent without HTTPS, or if this process can't connect to that address. */
  served?: Date;
}

export async function nextExpiries(app: App): Promise<Expiries> {
  const [next, served] = await Promise.all([app.storage.operationState.nextExpiries(), servedExpiry(app)]);
  return { ...next, served };
}

const read = new WeakMap<App, { at: number; expiry: Promise<Date | undefined> }>();

/** Reads it from a TLS handshake, at most once an hour. */
function servedExpiry(app: App): Promise<Date | undefined> {
  const { protocol, hostname, port } = new URL(app.config.baseUrl);
  if (protocol !== "https:") return Promise.resolve(undefined);
  const now = performance.now();
  const known = read.get(app);
  if (known && now - known.at < keptMs) return known.expiry;
  const expiry = certificateExpiry(hostname.replace(/^\[|\]$/g, ""), Number(port || 443));
  read.set(app, { at: now, expiry });
  return expiry;
}

/** The end of validity of a server's certificate, trusted or not. Undefined if the handshake fails. */
function certificateExpiry(host: string, port: number): Promise<Date | undefined> {
  return new Promise((resolve) => {
    const servername = /^[\d.]+$|:/.test(host) ? undefined : host;
    // Nothing is sent. An expired certificate has to be read, too.
    const socket = connect({ host, port, servername, rejectUnauthorized: false, timeout: connectMs });
    const end = (expiry?: Date) => {
      socket.destroy();
      resolve(expiry);
    };
    socket.once("secureConnect", () => {
      const { valid_to: validTo } = socket.getPeerCertificate();
      end(validTo ? new Date(validTo) : undefined);
    });
    socket.once("timeout", () => end()).once("error", () => end());
  });
}
