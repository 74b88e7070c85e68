/** Checks of the response as it arrived, before its signature is verified: node-saml makes none of them. */
import type { Checks } from "../checks.ts";
import {
  assertionNs,
  digestMethods,
  protocolNs,
  signatureMethods,
  signatureNs,
  successStatus,
  type SamlCheck,
} from "./names.ts";
import { childrenOf, descendantsOf, parseXml, textOf, type XmlElement } from "./xml.ts";

export interface Expected {
  acs: string;
  idpEntityId: string;
  requestId: string;
}

export interface ReadResponse {
  xml: string;
  root: XmlElement;
}

/** The text of a response. Throws `CheckFailed` for what no parser should see. */
export async function readResponse(checks: Checks<SamlCheck>, base64: string): Promise<ReadResponse> {
  const compact = base64.replace(/\s+/g, "");
  if (compact === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact))
    checks.require("format", "SAMLResponse is empty or not base64.");
  let xml = "";
  let root: XmlElement | undefined;
  try {
    xml = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(compact, "base64"));
    root = await parseXml(xml);
  } catch (error) {
    const problem = error instanceof TypeError ? "is not UTF-8" : (error as Error).message;
    checks.require("format", `The response ${problem}.`);
  }
  checks.note("format", undefined);
  return { xml, root: root! };
}

/** Notes the results of all checks. Throws `CheckFailed` if there is nothing whose signature could be verified. */
export function checkResponse(checks: Checks<SamlCheck>, root: XmlElement, expected: Expected): void {
  checks.require("root", rootProblem(root));
  checks.note("ids", idProblem(root));
  checks.note("status", statusProblem(root));
  checks.note("destination", destinationProblem(root, expected.acs));
  checks.note("issuer", issuerProblem(root, expected.idpEntityId));
  checks.note("algorithms", algorithmProblem(root));
  checks.note("request", requestProblem(root, expected.requestId));
}

function rootProblem(root: XmlElement): string | undefined {
  if (root.localName !== "Response" || root.namespaceURI !== protocolNs)
    return "The document is not a SAML response.";
  if (root.getAttribute("Version") !== "2.0") return "The response is not of SAML version 2.0.";
  const find = (list: (name: string) => XmlElement[]) => ["Assertion", "EncryptedAssertion"].flatMap(list);
  const assertions = find((name) => descendantsOf(root, "*", name));
  const own = find((name) => childrenOf(root, assertionNs, name));
  const status = statusOf(root);
  if (assertions.length === 0 && status !== successStatus && status !== "")
    return `The provider reports a failure: ${status.split(":").at(-1)}. Its own log has the reason.`;
  if (assertions.length !== 1 || own.length !== 1)
    return `The response has ${assertions.length} assertions, or one in the wrong place: it needs exactly one.`;
  return undefined;
}

export function idProblem(root: XmlElement): string | undefined {
  const seen = new Set<string>();
  for (const element of [root, ...descendantsOf(root, "*", "*")])
    for (const name of ["ID", "Id", "id"]) {
      const id = element.getAttribute(name);
      if (!id) continue;
      if (seen.has(id)) return "Two elements have the same ID, as in a response that was tampered with.";
      seen.add(id);
    }
  return undefined;
}

function statusOf(root: XmlElement): string {
  const [status] = childrenOf(root, protocolNs, "Status");
  const [code] = status ? childrenOf(status, protocolNs, "StatusCode") : [];
  return code?.getAttribute("Value") ?? "";
}

function statusProblem(root: XmlElement): string | undefined {
  const status = statusOf(root);
  if (status === successStatus) return undefined;
  return `The status is "${status.split(":").at(-1)}", not Success: the provider's own log has the reason.`;
}

function destinationProblem(root: XmlElement, acs: string): string | undefined {
  const destination = root.getAttribute("Destination");
  if (!destination || destination === acs) return undefined;
  return `The response is addressed to "${shown(destination)}": enter ${acs} as the ACS URL at the provider.`;
}

function issuerProblem(root: XmlElement, entityId: string): string | undefined {
  const issuers = childrenOf(root, assertionNs, "Issuer");
  if (issuers.length === 0 || (issuers.length === 1 && textOf(issuers[0]) === entityId)) return undefined;
  return otherIssuer("response", textOf(issuers[0]), entityId);
}

export const otherIssuer = (what: string, actual: string, entityId: string) =>
  `The ${what} is from "${shown(actual)}", and the configured entity id is "${entityId}".`;

export function algorithmProblem(root: XmlElement): string | undefined {
  // An encrypted key has a DigestMethod too, which is no digest of a signature.
  const used = (name: string) =>
    descendantsOf(root, signatureNs, name)
      .filter((one) => one.parentNode?.localName !== "EncryptionMethod")
      .map((one) => one.getAttribute("Algorithm") ?? "");
  const weak =
    used("SignatureMethod").find((method) => !signatureMethods.has(method)) ??
    used("DigestMethod").find((method) => !digestMethods.has(method));
  if (weak === undefined) return undefined;
  return `The algorithm "${shown(weak.split("#").at(-1) ?? "")}" is not accepted: use RSA with SHA-256 at the provider.`;
}

function requestProblem(root: XmlElement, requestId: string): string | undefined {
  const answered = root.getAttribute("InResponseTo");
  if (answered === requestId) return undefined;
  return answered
    ? "The response answers another request: start the sign-in again, in one window."
    : "The response answers no request: start the sign-in at this service, not at the provider.";
}

export const shown = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
