/** Second factors of test accounts. The codes are computed here from RFC 6238, without the library of the service. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { AccountsService, Answer } from "../support/accounts-app.ts";

function bytesOf(base32: string): Buffer {
  const bits = Array.from(base32, (letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  ).join("");
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

/** The code of a time (RFC 6238, section 4; RFC 4226, section 5.3). */
export function totpCode(secret: string, at: Date, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000)));
  const digest = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const value = digest.readUInt32BE(digest.at(-1)! & 15) & 0x7fffffff;
  return String(value % 10 ** digits).padStart(digits, "0");
}

export interface Enrolled {
  secret: string;
  /** The code that confirmed the app. */
  usedCode: string;
  recoveryCodes: string[];
  /** The session after the enrolment, which replaces the previous one. */
  cookie: string;
  /** The code of the next time step that was not used. */
  nextCode(): string;
}

/** The last cookie of a name that an answer sets, as a browser would send it. */
export function cookieNamed(answer: Pick<Answer, "headers">, name: string): string | undefined {
  const set = answer.headers.getSetCookie().filter((cookie) => cookie.startsWith(`${name}=`));
  return set.at(-1)?.split(";")[0];
}

/** Adds an authenticator app. Each code that `nextCode` returns advances the clock by a time step. */
export async function enrolTotp(service: AccountsService, session: string): Promise<Enrolled> {
  const begun = await service.call("POST", "/api/auth/mfa/totp", { cookie: session });
  assert.equal(begun.status, 200, begun.text);
  const secret = String(begun.body.data["secret"]);
  const usedCode = totpCode(secret, service.app.now());
  const json = { code: usedCode };
  const confirmed = await service.call("POST", "/api/auth/mfa/totp/confirm", { cookie: session, json });
  assert.equal(confirmed.status, 200, confirmed.text);
  return {
    secret,
    usedCode,
    recoveryCodes: confirmed.body.data["recoveryCodes"] as string[],
    cookie: cookieNamed(confirmed, "svc_session") ?? session,
    nextCode() {
      service.advance(30_000);
      return totpCode(secret, service.app.now());
    },
  };
}

/** The first step of a sign-in with a second factor: the ticket, and the cookie of the browser that it is bound to. */
export async function beginSignIn(
  service: AccountsService,
  credentials: { email: string; password: string },
): Promise<{ answer: Answer; ticket: string; cookie: string }> {
  const answer = await service.call("POST", "/api/auth/sign-in", { json: credentials });
  assert.equal(answer.status, 200, answer.text);
  return { answer, ticket: String(answer.body.data["ticket"]), cookie: cookieNamed(answer, "svc_device")! };
}
