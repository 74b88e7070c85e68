/** Responses that have to be refused, each for one reason. */
import { swap, type ResponseFacts, type Writing } from "./identity-provider.ts";

const writes = (...changes: Parameters<typeof swap>): Writing => ({ write: swap(...changes) });
export const forges = (...changes: Parameters<typeof swap>): Writing => ({ forge: swap(...changes) });
const signature = /<ds:Signature .*?<\/ds:Signature>/s;
const sha1 = "http://www.w3.org/2000/09/xmldsig#";
const longTags = (tag: string, count: number) => tag.repeat(count) + "</a>".repeat(count);

/** Case, the check that has to refuse it, and the response. */
export const refused: [string, string, Writing, Partial<ResponseFacts>?][] = [
  ["unsigned", "signature", { signs: [] }],
  ["signature removed", "signature", forges(signature, "")],
  ["another key, with its own KeyInfo", "signature", { key: 1 }],
  ["changed NameID", "signature", forges(">mallory@", ">alice@")],
  ["changed attribute", "signature", forges("<saml:AttributeValue>", "<saml:AttributeValue>x")],
  ["changed signature value", "signature", forges(/<ds:SignatureValue>..../, "<ds:SignatureValue>AAAA")],
  ["SHA-1 signature", "algorithms", { signatureAlgorithm: `${sha1}rsa-sha1` }],
  ["SHA-1 digest", "algorithms", { digestAlgorithm: `${sha1}sha1` }],
  [
    "HMAC with the certificate",
    "algorithms",
    forges(/SignatureMethod Algorithm="[^"]*"/, `SignatureMethod Algorithm="${sha1}hmac-sha1"`),
  ],
  ["conditions ended", "conditions", {}, { conditionsUntil: -180 }],
  ["conditions ended just now", "conditions", {}, { conditionsUntil: -121 }],
  ["conditions begin later", "conditions", {}, { notBefore: 180 }],
  ["confirmation ended", "confirmation", {}, { confirmationUntil: -180 }],
  ["issued long ago", "confirmation", {}, { issuedAt: -1200 }],
  ["no Conditions", "conditions", writes(/<saml:Conditions.*<\/saml:Conditions>/, "")],
  ["two Conditions", "signature", writes("</saml:Conditions>", "</saml:Conditions><saml:Conditions/>")],
  ["time that can't be read", "conditions", writes(/NotBefore="[^"]*"/, 'NotBefore="soon"')],
  ["other audience", "audience", {}, { audience: "https://other.example.com" }],
  ["no audience", "audience", writes(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, "")],
  [
    "second restriction for others",
    "audience",
    writes(
      "</saml:Conditions>",
      "<saml:AudienceRestriction><saml:Audience>https://other.example.com</saml:Audience></saml:AudienceRestriction></saml:Conditions>",
    ),
  ],
  [
    "other Destination",
    "destination",
    writes(/Destination="[^"]*"/, 'Destination="https://other.example.com/acs"'),
  ],
  [
    "other Recipient",
    "confirmation",
    writes(/Recipient="[^"]*"/, 'Recipient="https://other.example.com/acs"'),
  ],
  ["no Recipient", "confirmation", writes(/ Recipient="[^"]*"/, "")],
  ["other Issuer of the response", "issuer", writes("<saml:Issuer>https://", "<saml:Issuer>https://other.")],
  [
    "other Issuer of the assertion",
    "assertion-issuer",
    writes(/(?<=<saml:Assertion [^>]*>)<saml:Issuer>/, "<saml:Issuer>https://other.example.com/"),
  ],
  ["unknown request", "request", writes(/ InResponseTo="[^"]*"/, ' InResponseTo="_unknown"')],
  ["no request", "request", writes(/ InResponseTo="[^"]*"/, "")],
  [
    "confirmation of another request",
    "request",
    writes(/(?<=Recipient="[^"]*") InResponseTo="[^"]*"/, ' InResponseTo="_unknown"'),
  ],
  ["confirmation of no request", "confirmation", writes(/(?<=Recipient="[^"]*") InResponseTo="[^"]*"/, "")],
  [
    "confirmation with NotBefore",
    "confirmation",
    writes(
      "<saml:SubjectConfirmationData ",
      '<saml:SubjectConfirmationData NotBefore="2020-01-01T00:00:00Z" ',
    ),
  ],
  [
    "no SubjectConfirmation",
    "confirmation",
    writes(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, ""),
  ],
  ["no bearer", "confirmation", writes("cm:bearer", "cm:sender-vouches")],
  ["no AuthnStatement", "authentication", writes(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, "")],
  ["transient subject", "subject", writes("1.1:nameid-format:emailAddress", "2.0:nameid-format:transient")],
  ["no NameID", "subject", writes(/<saml:NameID.*<\/saml:NameID>/, "")],
  ["status Responder", "status", writes("status:Success", "status:Responder")],
  ["status that was forged", "status", forges("status:Success", "status:Requester")],
  ["SAML 1.1", "root", forges('Version="2.0"', 'Version="1.1"')],
  ["other root", "root", forges(/samlp:Response/g, "samlp:ArtifactResponse")],
  [
    "encrypted assertion beside",
    "root",
    forges("</samlp:Response>", "<saml:EncryptedAssertion/></samlp:Response>"),
  ],
  [
    "two assertions",
    "root",
    { forge: (xml) => xml.replace(/<saml:Assertion .*<\/saml:Assertion>/s, "$&$&") },
  ],
  ["two roots", "format", { forge: (xml) => xml + xml }],
  ["text after the root", "format", { forge: (xml) => `${xml}more` }],
  ["text before the root", "format", { forge: (xml) => `more${xml}` }],
  ["a section after the root", "format", { forge: (xml) => `${xml}<![CDATA[more]]>` }],
  ["repeated ID", "ids", forges("<samlp:Status>", '<samlp:Status ID="_same"><x ID="_same"/>')],
  ["document type", "format", { forge: (xml) => `<!DOCTYPE x>${xml}` }],
  ["entity", "format", { forge: (xml) => `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xml}` }],
  [
    "XML bomb",
    "format",
    { forge: (xml) => `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${xml}` },
  ],
  ["nesting", "format", forges("<samlp:Status>", `${longTags("<a>", 100)}<samlp:Status>`)],
  [
    "nesting hidden by attributes",
    "format",
    forges("<samlp:Status>", `${longTags('<a b="/>">', 2000)}<samlp:Status>`),
  ],
  ["too many elements", "format", forges("<samlp:Status>", `${"<a/>".repeat(25_000)}<samlp:Status>`)],
  ["no XML", "format", { forge: () => "hello" }],
  ["nothing", "format", { forge: () => "" }],
];
