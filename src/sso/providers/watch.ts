/**
 * Scheduled care for SAML providers: their metadata is read again every day, and owners are warned before a certificate
 * expires. A provider whose metadata can't be read keeps its connection, and shows the problem.
 */
import type { SamlConnection, SsoProviderDoc, StoredCertificate } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeSystemEvent } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { mailOwners } from "../../orgs/owner-mails.ts";
import { fetchMetadata, type SamlMetadata } from "../saml/metadata.ts";

const dayMs = 24 * 3_600_000;
export const metadataEveryMs = dayMs;
/** Days before the end of a certificate at which the owners are warned, in rising order. */
const warningDays = [1, 7, 30];
export const firstWarningMs = 30 * dayMs;

/** Reads the metadata of a provider. A concurrent change of the provider makes this run void. */
export async function refreshMetadata(app: App, provider: SsoProviderDoc): Promise<void> {
  const { saml } = provider;
  if (!saml?.metadataUrl) return;
  let metadata: SamlMetadata;
  try {
    metadata = await fetchMetadata(app, saml.metadataUrl);
    requireSuccessor(app, saml, metadata);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await app.storage.ssoProviders.noteMetadataError(provider._id, app.now(), error.message);
    return;
  }
  await applyMetadata(app, provider, saml, metadata);
}

/** Throws `refused` for metadata by which no one could sign in any more. */
function requireSuccessor(app: App, { entityId }: SamlConnection, metadata: SamlMetadata): void {
  const problem =
    metadata.entityId !== entityId
      ? `The metadata is now that of another provider ("${metadata.entityId}"): enter it as a new connection.`
      : metadata.certificates.every(({ notAfter }) => notAfter <= app.now())
        ? "All certificates of the metadata have expired: renew them at the provider."
        : undefined;
  if (problem !== undefined) throw new ServiceError("refused", problem, { kind: "provider" });
}

/** The connection is the same one, so sign-ins in progress go on, and the provider counts as tested. */
async function applyMetadata(
  app: App,
  provider: SsoProviderDoc,
  { metadataUrl, ...previous }: SamlConnection,
  metadata: SamlMetadata,
): Promise<void> {
  const { ssoProviders } = app.storage;
  const now = app.now();
  const before = new Set(previous.certificates.map(({ fingerprint }) => fingerprint));
  const after = new Set(metadata.certificates.map(({ fingerprint }) => fingerprint));
  const changed = {
    ssoUrl: metadata.ssoUrl === previous.ssoUrl ? undefined : metadata.ssoUrl,
    fingerprints: isSameSet(before, after) ? undefined : [...after],
  };
  const isChanged = Object.values(changed).some((value) => value !== undefined);
  const event = makeSystemEvent(app, "sso.provider_updated", {
    tenantId: provider.tenantId,
    resourceType: "provider",
    resourceId: provider._id,
    metadata: { name: provider.name, changed: { saml: { metadataUrl, ...changed } } },
  });
  if (!isChanged) return ssoProviders.noteMetadataRead(provider._id, now);
  const saml = { ...metadata, metadataReadAt: now, metadataUrl };
  if (
    await ssoProviders.change(provider._id, {
      revision: provider.revision,
      set: { saml },
      now,
      events: [event],
    })
  )
    flushEvents(app, ssoProviders, provider._id, [event]);
}

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one.size === other.size && [...one].every((each) => other.has(each));

/** Mails the owners about certificates, and metadata entered as a text, that expire: once for each number of days. */
export async function warnOfExpiry(app: App, provider: SsoProviderDoc): Promise<void> {
  const tenant = await app.storage.tenants.find(provider.tenantId);
  if (!tenant || tenant.deletionAt) return;
  const { slug } = tenant;
  const warnOnce = async (
    subject: string,
    end: Date,
    mail: "sso-certificate" | "sso-metadata",
    text: string,
  ) => {
    const days = dueWarning(end, app.now());
    const warning = `${subject}:${days}`;
    if (days === undefined || provider.warned?.includes(warning)) return;
    // The mails first: a crash in between sends a second warning, rather than none.
    const id = `${provider._id}.${warning}`;
    await mailOwners(app, provider.tenantId, mail, { id, organization: { slug, text } });
    await app.storage.ssoProviders.noteWarning(provider._id, warning);
  };
  const all = provider.saml?.certificates ?? [];
  for (const certificate of all) {
    const text = warningText(provider, certificate, all);
    await warnOnce(certificate.fingerprint, certificate.notAfter, "sso-certificate", text);
  }
  const until = provider.saml?.validUntil;
  if (until)
    await warnOnce(
      `metadata-${day(until)}`,
      until,
      "sso-metadata",
      `The metadata of the identity provider "${provider.name}" is valid until ${day(until)} only.`,
    );
}

function dueWarning(end: Date, now: Date): number | undefined {
  const leftMs = end.getTime() - now.getTime();
  return leftMs <= 0 ? undefined : warningDays.find((days) => leftMs <= days * dayMs);
}

const day = (date: Date) => date.toISOString().slice(0, 10);

function warningText(
  { name }: SsoProviderDoc,
  certificate: StoredCertificate,
  all: readonly StoredCertificate[],
): string {
  const { fingerprint, notAfter } = certificate;
  const hasSuccessor = all.some((other) => other.notAfter > notAfter);
  return (
    `A certificate by which the identity provider "${name}" signs expires on ${day(notAfter)}. Its fingerprint begins ` +
    `with ${fingerprint.slice(0, 16)}. ` +
    (hasSuccessor ? "Another one that is valid for longer is stored." : "No other one is valid for longer.")
  );
}
