/**
 * Tokens in the links of mails: `<id>.<end in seconds, base 36>.<signature>`. They are not stored. A job creates one
 * again from its record, and a link becomes invalid when the data to which its signature is bound changes: a link bound
 * to the password's hash is invalid once the password changes.
 */
import type { App } from "../app.ts";

/** Purpose of a link. A token is valid for one purpose only. */
export type LinkPurpose =
  | "invitation"
  | "copied-invitation"
  | "confirm-email"
  | "reset-password"
  | "end-access"
  | "sign-in"
  | "passkey-registration"
  | "passkey-use"
  | "unsubscribe";

export interface SignedLink {
  /** Id of the record of the link: letters, digits and hyphens. */
  id: string;
  /** When it expires; counted in whole seconds. */
  expiresAt: Date;
  /** Facts of the record that must not have changed. Never part of the token. */
  bind?: string;
}

/** The token of a link. The same link has the same token each time. */
export function signLink(app: App, purpose: LinkPurpose, link: SignedLink): string {
  const end = Math.floor(link.expiresAt.getTime() / 1000).toString(36);
  return `${link.id}.${end}.${app.secrets.sign(`link:${purpose}`, signedText(link.id, end, link.bind))}`;
}

/** The unverified claims of a token. Undefined if it is not a token. */
export function readLink(token: string): { id: string; expiresAt: Date } | undefined {
  const [, id, end] = /^([\w-]{1,64})\.([0-9a-z]{1,9})\.[\w-]{43}$/.exec(token) ?? [];
  if (id === undefined || end === undefined) return undefined;
  return { id, expiresAt: new Date(Number.parseInt(end, 36) * 1000) };
}

/**
 * Whether a token is ours, for this purpose and bound to these facts, and not over: `invalid` is all that is said of
 * one that was made up, altered, or made before the facts changed.
 */
export function checkLink(
  app: App,
  purpose: LinkPurpose,
  token: string,
  bind?: string,
): "valid" | "expired" | "invalid" {
  const read = readLink(token);
  if (!read) return "invalid";
  const [id = "", end = "", signature = ""] = token.split(".");
  if (!app.secrets.verifySignature(`link:${purpose}`, signedText(id, end, bind), signature)) return "invalid";
  return read.expiresAt <= app.now() ? "expired" : "valid";
}

/** Every part in its own quotes: no two links have one text. */
const signedText = (id: string, end: string, bind: string | undefined) =>
  JSON.stringify([id, end, bind ?? null]);
