import type { SsoProviderPayload } from "../../../contract/payloads/accounts/sso.ts";
import type { SamlConnection, SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { encryptionKeys } from "../saml/encryption-keys.ts";
import { acsUrl, callbackUrl, metadataUrl, startUrl } from "../urls.ts";
import { isEnforced, type LoadedProvider } from "./load.ts";

/** Providers of one organization. */
export async function presentProviders(
  app: App,
  loaded: readonly LoadedProvider[],
): Promise<SsoProviderPayload[]> {
  const [first] = loaded;
  if (!first) return [];
  const [creators, claims] = await Promise.all([
    app.storage.users.listByIds([...new Set(loaded.map(({ provider }) => provider.createdBy))]),
    app.storage.ssoDomains.list(first.tenant._id),
  ]);
  const usernames = new Map(creators.map((user) => [user._id, user.username]));
  const domains = claims.filter(({ verified }) => verified).map(({ domain }) => domain);
  return loaded.map(({ tenant, provider }) => ({
    id: provider._id,
    name: provider.name,
    type: provider.type,
    enabled: provider.enabled,
    enforced: isEnforced(tenant, provider._id),
    jit: provider.jit,
    groupsAttribute: provider.groupsAttribute,
    absentGroups: provider.absentGroups ?? "unchanged",
    groupsOverageAt: shownOverage(provider, app.now())?.toISOString() ?? null,
    ...presentConnection(app, provider),
    encryptionKeys: encryptionKeys(provider).map(({ fingerprint, createdAt }) => ({
      fingerprint,
      createdAt: createdAt.toISOString(),
    })),
    domains,
    testedAt: provider.testedAt?.toISOString() ?? null,
    lastSignInAt: provider.lastSignInAt?.toISOString() ?? null,
    createdBy: usernames.get(provider.createdBy) ?? null,
    createdAt: provider.createdAt.toISOString(),
    updatedAt: provider.updatedAt.toISOString(),
  }));
}

/** Time for which a provider that sends too many groups is shown, if it does not happen again. */
const overageShownMs = 30 * 24 * 3_600_000;
const shownOverage = ({ groupsOverageAt: at }: SsoProviderDoc, now: Date) =>
  at && at.getTime() > now.getTime() - overageShownMs ? at : undefined;

function presentConnection(
  app: App,
  { _id, type, saml, oidc }: SsoProviderDoc,
): Pick<SsoProviderPayload, "saml" | "oidc" | "urls"> {
  const start = startUrl(app, _id);
  if (type === "oidc")
    return {
      oidc: oidc ? { issuer: oidc.issuer, clientId: oidc.clientId, hasClientSecret: true } : undefined,
      urls: { callback: callbackUrl(app, _id), start },
    };
  return {
    saml: saml ? presentSaml(app, saml) : undefined,
    urls: { metadata: metadataUrl(app, _id), acs: acsUrl(app, _id), start },
  };
}

function presentSaml(app: App, saml: SamlConnection): NonNullable<SsoProviderPayload["saml"]> {
  const {
    entityId,
    ssoUrl,
    certificates,
    metadataUrl: url,
    metadataReadAt,
    metadataError,
    validUntil,
  } = saml;
  return {
    entityId,
    ssoUrl,
    certificates: certificates.map(({ fingerprint, subject, notAfter }) => ({
      fingerprint,
      subject,
      notAfter: notAfter.toISOString(),
      expired: notAfter <= app.now(),
    })),
    metadataUrl: url,
    metadataReadAt: metadataReadAt?.toISOString(),
    metadataValidUntil: validUntil?.toISOString(),
    metadataError,
  };
}
