/** Forms of the values of environment variables. */
import { accessSync, constants } from "node:fs";
import { z } from "zod";
import { limits } from "../contract/limits.ts";
import { parseNetwork, type TrustedProxies } from "./network-address.ts";

/** Addresses for reports of vulnerabilities (RFC 9116). */
export const contacts = z
  .string()
  .transform((text) => text.split(",").map((one) => one.trim().replace(/^(?=[^\s:@]+@[^\s:@]+$)/, "mailto:")))
  .refine(
    (list) => list.every((one) => /^(https:\/\/|mailto:|tel:)[\x21-\x7e]+$/.test(one) && URL.canParse(one)),
    "must be comma-separated e-mail addresses, or addresses with https:, mailto: or tel:",
  );

export const port = z.coerce.number().int().min(0).max(65_535);
export const flag = z.stringbool();

export const webAddress = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ""));

/** Addresses of OpenID Connect issuers, which are compared as texts. Only those of this machine may be http. */
export const issuers = z
  .string()
  .transform((text) => text.split(",").map((issuer) => issuer.trim()))
  .refine(
    (list) => list.every((issuer) => URL.canParse(issuer) && isIssuer(new URL(issuer), issuer)),
    "must be comma-separated addresses without a slash at the end, with https",
  )
  .refine((list) => list.length <= limits.oidcIssuers, `must be at most ${limits.oidcIssuers} addresses`);

function isIssuer({ protocol, hostname, username, search, hash }: URL, text: string): boolean {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const isPlain = username === "" && search === "" && hash === "" && !text.endsWith("/");
  return isPlain && (protocol === "https:" || (protocol === "http:" && isLocal));
}

/** True also for a text that is no URL at all, which another check reports. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, pathname, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === "") && pathname === "/";
}

/** For `repos/transport/connections.ts`, which has these variables read by the usual rules. */
export const proxy = z.url({ protocol: /^https?$/, error: "must start with http:// or https://" }).optional();

export function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

const proxiesInUse = 20;

/** Networks that hold all addresses would make what callers write themselves count. */
export const proxies = z.string().transform((text, context): TrustedProxies => {
  const given = text.trim();
  const flagged = flag.safeParse(given);
  if (/^\d{1,2}$/.test(given) && Number(given) <= proxiesInUse) return Number(given);
  if (flagged.success) return flagged.data ? 1 : 0;
  const networks = given.split(",").map((network) => network.trim());
  if (networks.every((network) => (parseNetwork(network)?.bits ?? 0) > 0)) return networks;
  context.addIssue(
    `must be true for one proxy, the number of proxies (at most ${proxiesInUse}), or their comma-separated addresses and networks, such as 10.0.0.0/8`,
  );
  return z.NEVER;
});

/** The network of all addresses would end the limits of all callers. */
export const networks = z
  .string()
  .transform((text) => text.split(",").map((network) => network.trim()))
  .refine(
    (list) => list.every((network) => (parseNetwork(network)?.bits ?? 0) > 0),
    "must be comma-separated addresses and networks, such as 192.0.2.0/24 or 2001:db8::/32",
  );

/** As files of environment variables can hold it. */
export function readPrivateKey(text: string): string {
  const pem = text.includes("-----BEGIN") ? text : Buffer.from(text, "base64").toString("utf8");
  return pem.replaceAll("\\n", "\n").trim();
}

/** Headers as OpenTelemetry has them: comma-separated, values percent-encoded. Undefined if they are not. */
export function readHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const part of text.split(",")) {
    const [, name, value] = /^\s*([\w-]+)=([\x21-\x7e]*)\s*$/.exec(part) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      headers[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return headers;
}

const addressPart = '[^\\s\\p{C}@<>"(),:;\\\\]+';
export const sender = new RegExp(
  `^(?:([^\\p{C}<>]*)<(${addressPart}@${addressPart})>|${addressPart}@${addressPart})$`,
  "u",
);
