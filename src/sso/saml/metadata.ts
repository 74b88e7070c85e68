/** Metadata of SAML identity providers: read from a text, or from an address within the rules for requests. */
import { limits } from "../../../contract/limits.ts";
import { RepoError } from "../../../repos/errors.ts";
import { mayBeUnencrypted } from "../../../repos/transport/connections.ts";
import { fetchText } from "../../../repos/transport/fetch-text.ts";
import type { StoredCertificate } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { readCertificates } from "./certificates.ts";
import { childrenOf, descendantsOf, parseXml, textOf, type XmlElement } from "./xml.ts";

const metadataNs = "urn:oasis:names:tc:SAML:2.0:metadata";
const signatureNs = "http://www.w3.org/2000/09/xmldsig#";
const redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const requestMs = 10_000;

export interface SamlMetadata {
  entityId: string;
  ssoUrl: string;
  certificates: StoredCertificate[];
  validUntil?: Date;
}

/** Reads metadata with exactly one identity provider. Throws `refused`. */
export async function readMetadata(app: Pick<App, "config" | "now">, text: string): Promise<SamlMetadata> {
  let root: XmlElement;
  try {
    root = await parseXml(text);
  } catch (error) {
    throw refused(`The metadata ${(error as Error).message}.`);
  }
  const entities =
    root.localName === "EntitiesDescriptor"
      ? descendantsOf(root, metadataNs, "EntityDescriptor")
      : [root].filter((one) => one.localName === "EntityDescriptor" && one.namespaceURI === metadataNs);
  const providers = entities.flatMap((entity) =>
    childrenOf(entity, metadataNs, "IDPSSODescriptor").map((descriptor) => ({ entity, descriptor })),
  );
  const [only] = providers;
  if (!only || providers.length > 1)
    throw refused(
      `The metadata describes ${providers.length} identity providers: use the metadata of one of them.`,
    );
  const validUntil = requireValid(only.descriptor, app.now());
  const entityId = (only.entity.getAttribute("entityID") ?? "").trim();
  if (entityId === "" || entityId.length > limits.ssoEntityId)
    throw refused("The metadata has no usable entityID.");
  const ssoUrl = childrenOf(only.descriptor, metadataNs, "SingleSignOnService")
    .find((service) => service.getAttribute("Binding") === redirectBinding)
    ?.getAttribute("Location");
  if (!ssoUrl) throw refused("The metadata has no single sign-on service with the HTTP-Redirect binding.");
  return {
    entityId,
    ssoUrl: requireSsoUrl(app, ssoUrl),
    certificates: readCertificates(certificatesIn(only.descriptor)),
    validUntil,
  };
}

/** End of the validity of an element, which it or one around it declares. Throws `refused` if it has passed. */
function requireValid(descriptor: XmlElement, now: Date): Date | undefined {
  let end: Date | undefined;
  for (let element: XmlElement | null = descriptor; element?.nodeType === 1; element = element.parentNode) {
    const until = element.getAttribute("validUntil");
    if (!until) continue;
    const date = new Date(until);
    if (!(date > now))
      throw refused(
        `The metadata is valid until ${until.slice(0, 40)} only, which has passed: get its current version.`,
      );
    if (!end || date < end) end = date;
  }
  return end;
}

/** Certificates for signatures: those of keys without a use are for both uses. */
function certificatesIn(descriptor: XmlElement): string[] {
  return childrenOf(descriptor, metadataNs, "KeyDescriptor")
    .filter((key) => key.getAttribute("use") !== "encryption")
    .flatMap((key) => descendantsOf(key, signatureNs, "X509Certificate").map(textOf))
    .slice(0, limits.ssoCertificates);
}

/** The address to which browsers are sent. Throws `refused`. */
export function requireSsoUrl(app: Pick<App, "config">, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" && (app.config.ssoPrivateNetwork || mayBeUnencrypted(url)));
  if (!url || !isAllowed || url.username !== "" || url.password !== "" || url.hash !== "")
    throw refused("The sign-in address of the provider must be an https URL without user name and fragment.");
  return url.href;
}

/** Reads metadata from its address, without the end of its validity: it is read again every day. Throws `refused`. */
export async function fetchMetadata(app: Pick<App, "config" | "now">, url: string): Promise<SamlMetadata> {
  let text: string;
  try {
    text = await fetchText(url, {
      allowPrivateNetwork: app.config.ssoPrivateNetwork,
      maxBytes: limits.ssoMetadataBytes,
      requestMs,
    });
  } catch (error) {
    if (!(error instanceof RepoError)) throw error;
    throw refused(`The metadata could not be read: ${error.message}.`, error);
  }
  const { validUntil: _, ...metadata } = await readMetadata(app, text);
  return metadata;
}

const refused = (message: string, cause?: unknown) =>
  new ServiceError("refused", message, { kind: "provider" }, { cause });
