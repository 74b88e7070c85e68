/**
 * Tickets of sign-ins whose password was right and whose second factor is missing. A ticket is signed over the browser
 * that gave the password, so it is worth nothing elsewhere, and not stored; one use of it is recorded. It has the
 * session epoch of the account: a change of the password invalidates it.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { FactorKind } from "../../contract/payloads/accounts/mfa.ts";
import type { Credentials } from "../../storage/users/users.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import type { Cookie } from "../http/route.ts";
import { checkLink, readLink, signLink } from "../mail/signed-link.ts";
import { browserCookie, newBrowserSecret, type ClientFacts } from "./known-clients.ts";

/** A sign-in that needs a second factor. */
export interface FactorNeeded {
  kinds: FactorKind[];
  ticket: string;
  expiresAt: Date;
  cookies: Cookie[];
}

export interface Ticket {
  userId: string;
  nonce: string;
  expiresAt: Date;
}

/** Ways to prove a sign-in to an account. */
export function kindsOf({ factors }: Pick<Credentials, "factors">): FactorKind[] {
  const kinds: FactorKind[] = [];
  if (factors?.totp) kinds.push("totp");
  if (factors?.passkeys?.length) kinds.push("passkey");
  if (factors?.recovery?.length) kinds.push("recovery");
  return kinds;
}

export function issueTicket(app: App, user: Credentials, { deviceSecret }: ClientFacts): FactorNeeded {
  const secret = deviceSecret ?? newBrowserSecret();
  const expiresAt = new Date(app.now().getTime() + limits.signInTicketMs);
  const id = [user._id, (user.sessionEpoch ?? 0).toString(36), randomBytes(12).toString("hex")].join("-");
  const ticket = signLink(app, "sign-in", { id, expiresAt, bind: secret });
  return { kinds: kindsOf(user), ticket, expiresAt, cookies: [browserCookie(app, secret)] };
}

/** Reads a ticket and its account, without using it. Throws `invalid_credentials`. */
export async function openTicket(
  app: App,
  text: string,
  { deviceSecret }: ClientFacts,
): Promise<{ ticket: Ticket; user: Credentials }> {
  const read = readLink(text);
  const isOurs = deviceSecret !== undefined && checkLink(app, "sign-in", text, deviceSecret) === "valid";
  if (!read || !isOurs) throw badTicket();
  const [userId = "", epoch = "", nonce = ""] = read.id.split("-");
  const user = await app.storage.users.findCredentialsById(userId);
  if (!user || (user.sessionEpoch ?? 0).toString(36) !== epoch) throw badTicket();
  return { ticket: { userId, nonce, expiresAt: read.expiresAt }, user };
}

/** Uses a ticket, once. Throws `invalid_credentials`. */
export async function useTicket(app: App, { nonce, expiresAt }: Ticket): Promise<void> {
  if (!(await app.storage.signatureNonces.claim(`ticket:${nonce}`, expiresAt))) throw badTicket();
}

/** Counts a try with a ticket. Throws `invalid_credentials` when all were used. */
export async function countTry(app: App, { nonce }: Ticket): Promise<void> {
  try {
    await app.rateLimits.consume("ticket", nonce);
  } catch (error) {
    throw error instanceof ServiceError ? badTicket() : error;
  }
}

export function badTicket(): ServiceError {
  return new ServiceError(
    "invalid_credentials",
    "This sign-in has expired, was used, or belongs to another browser: sign in with your password again.",
    { reason: "ticket" },
  );
}
