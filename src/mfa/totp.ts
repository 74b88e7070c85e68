/** Codes of authenticator apps (RFC 6238): SHA-1, 6 digits, 30 seconds, which all apps support. */
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";

const parameters = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Time steps before and after the current one whose codes are accepted, for clocks that differ. */
const window = 1;

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...parameters, ...names, secret: Secret.fromBase32(secret) });

/** The `otpauth:` URI that apps read, with the names under which they list the account. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return totpOf(secret, { issuer, label }).toString();
}

/** The URI as an SVG document, in black and white as scanners require it. */
export function qrCode(uri: string): string {
  return renderSVG(uri, { ecc: "M", border: 4, pixelSize: 4 });
}

/** The time step of a code; undefined if it is not the code of a step that is accepted now. */
export function stepOf(secret: string, code: string, now: Date): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret).validate({ token: code, timestamp: now.getTime(), window });
  if (delta === null) return undefined;
  return Math.floor(now.getTime() / 1000 / parameters.period) + delta;
}
