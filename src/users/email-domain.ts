/** Domain names of e-mail addresses, in the one form by which they are compared. */
import { domainToASCII, domainToUnicode } from "node:url";
import { limits } from "../../contract/limits.ts";
import { foldName } from "./schema.ts";

/** Letters of any script, digits and hyphens: `domainToASCII` would decode `%61`, and cut at `/` or `:`. */
const written = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+$/u;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * A domain name in lower-case ASCII, as the name servers store it. Undefined for anything else: an IP address, a name
 * without a dot, or one that IDNA does not permit.
 */
export function normalizeDomain(text: string): string | undefined {
  const folded = foldName(text.trim()).replace(/\.$/, "");
  if (!written.test(folded)) return undefined;
  const ascii = domainToASCII(folded);
  const labels = ascii.split(".");
  if (ascii.length > limits.domainName || labels.length < 2 || !labels.every((one) => label.test(one)))
    return undefined;
  if (/^\d+$/.test(labels.at(-1)!)) return undefined;
  return domainToASCII(domainToUnicode(ascii)) === ascii ? ascii : undefined;
}

/**
 * The domain of an e-mail address. Undefined unless it is written in the form that name servers or people use: a mail
 * program may map any other spelling to another domain, so that its confirmation would prove nothing.
 */
export function domainOfAddress(email: string): string | undefined {
  const text = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const domain = normalizeDomain(text);
  return domain !== undefined && (domain === text || domainToUnicode(domain) === text) ? domain : undefined;
}
