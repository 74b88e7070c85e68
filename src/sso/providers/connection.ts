/** The connection of a provider, from the input of an owner to what is stored. */
import { RepoError } from "../../../repos/errors.ts";
import { mayBeUnencrypted } from "../../../repos/transport/connections.ts";
import { fetchJson } from "../../../repos/transport/fetch-json.ts";
import type { OidcConnection, SamlConnection } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { readCertificates } from "../saml/certificates.ts";
import { fetchMetadata, readMetadata, requireSsoUrl } from "../saml/metadata.ts";
import type { SamlInput } from "../schema.ts";

const discoveryLimits = { maxBytes: 256 * 1024, requestMs: 10_000 };

/** Throws `refused` for settings that can't be used. */
export async function samlConnection(app: App, input: SamlInput): Promise<SamlConnection> {
  if ("metadataUrl" in input) {
    const metadata = await fetchMetadata(app, input.metadataUrl);
    return { ...metadata, metadataUrl: input.metadataUrl, metadataReadAt: app.now() };
  }
  if ("metadataXml" in input) return readMetadata(app, input.metadataXml);
  return {
    entityId: input.entityId,
    ssoUrl: requireSsoUrl(app, input.ssoUrl),
    certificates: readCertificates(input.certificates),
  };
}

/**
 * The connection to an OpenID Connect issuer, whose discovery document is read once to report a wrong address now.
 * Throws `refused`.
 */
export async function oidcConnection(
  app: App,
  providerId: string,
  input: { issuer: string; clientId: string; clientSecret?: string; sealedSecret?: string },
): Promise<OidcConnection> {
  const issuer = requireIssuer(app, input.issuer);
  await checkDiscovery(app, issuer);
  const { clientId, clientSecret, sealedSecret } = input;
  const sealed =
    clientSecret === undefined ? sealedSecret : app.secrets.seal(clientSecret, secretRecord(providerId));
  if (sealed === undefined) throw refused("Send the client secret again, since the issuer was changed.");
  return { issuer, clientId, sealedSecret: sealed };
}

/** The record for which a client secret is sealed. */
export const secretRecord = (providerId: string) => `sso-client:${providerId}`;

function requireIssuer(app: App, text: string): string {
  const url = new URL(text);
  const isAllowed =
    url.protocol === "https:" ||
    (url.protocol === "http:" && (app.config.ssoPrivateNetwork || mayBeUnencrypted(url)));
  if (!isAllowed || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw refused("The issuer must be an https URL without user name, query and fragment.");
  return text;
}

/** The address of the discovery document (OpenID Connect Discovery 1.0, section 4). */
export const discoveryUrl = (issuer: string) =>
  `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

/** Reads the discovery document of an issuer, which has to name it. Throws `refused`. */
export async function checkDiscovery(app: Pick<App, "config">, issuer: string): Promise<void> {
  const allowPrivateNetwork = app.config.ssoPrivateNetwork;
  let found: unknown;
  try {
    found = await fetchJson(discoveryUrl(issuer), { ...discoveryLimits, allowPrivateNetwork });
  } catch (error) {
    if (!(error instanceof RepoError)) throw error;
    throw refused(`The discovery document of the issuer could not be read: ${error.message}.`, error);
  }
  const named = (found as { issuer?: unknown } | null)?.issuer;
  if (named !== issuer)
    throw refused(
      typeof named === "string" && named.length < 500
        ? `The discovery document is that of the issuer "${named}": enter exactly this text.`
        : "The discovery document names no issuer.",
    );
}

const refused = (message: string, cause?: unknown) =>
  new ServiceError("refused", message, { kind: "provider" }, { cause });
