/** The service as browsers know it: its name and address come from the configuration, never from a request. */
import { isIP } from "node:net";
import { brandName } from "../../contract/dashboard/brand.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";

export interface RelyingParty {
  id: string;
  name: string;
  origin: string;
}

export function relyingParty(app: App): RelyingParty {
  const { hostname, origin } = new URL(app.config.baseUrl);
  return { id: hostname, name: brandName, origin };
}

/** Whether browsers offer passkeys at the address of the service: a name, by https, or on this machine. */
export function offersPasskeys(app: App): boolean {
  const { hostname, protocol } = new URL(app.config.baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
  return protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
}

/** Throws `refused`. */
export function requirePasskeys(app: App): void {
  if (offersPasskeys(app)) return;
  throw new ServiceError(
    "refused",
    `Browsers offer no passkeys at ${app.config.baseUrl}: they need a name and https. Use an authenticator app.`,
  );
}
