/** Identity providers of organizations. */
import type { Collection } from "mongodb";
import type { AbsentGroups, SsoType } from "../../contract/payloads/accounts/sso.ts";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { namedIndexes, namedOperations, type NamedDoc } from "../named.ts";
import { withoutOutbox } from "../outbox.ts";

export interface StoredCertificate {
  /** DER in base64. */
  der: string;
  /** SHA-256, hexadecimal. */
  fingerprint: string;
  subject: string;
  notAfter: Date;
}

/** A key of this service by which a provider encrypts, with its self-signed certificate. */
export interface EncryptionKey extends StoredCertificate {
  /** The private key in PEM, sealed for the provider's id. */
  sealedKey: string;
  createdAt: Date;
}

export interface SamlConnection {
  entityId: string;
  ssoUrl: string;
  /** Several during a rollover. */
  certificates: StoredCertificate[];
  metadataUrl?: string;
  /** End of the validity of metadata that was entered as a text. */
  validUntil?: Date;
  /** Last attempt to read the metadata, and its failure. */
  metadataReadAt?: Date;
  metadataError?: string;
}

export interface OidcConnection {
  issuer: string;
  clientId: string;
  /** The client secret, sealed for the provider's id. */
  sealedSecret: string;
}

export interface SsoProviderDoc extends NamedDoc {
  type: SsoType;
  enabled: boolean;
  jit: { enabled: boolean; role: string };
  groupsAttribute: string | null;
  /** Absent in older records, which keep the teams of a person. */
  absentGroups?: AbsentGroups;
  /** Last sign-in whose groups were too many to be sent or read. */
  groupsOverageAt?: Date;
  /** The connection, in the field of the type. It is absent until it is entered, and an enabled provider has it. */
  saml?: SamlConnection;
  oidc?: OidcConnection;
  /** Keys for encrypted assertions: the one in our metadata, and the one before it. */
  encryption?: { current: EncryptionKey; previous?: EncryptionKey } | null;
  groupMappings: { group: string; teamId: string }[];
  /** Raised by each change of the connection: a sign-in that was started before it fails. */
  epoch: number;
  /** Last success with the current connection. */
  testedAt?: Date | null;
  lastSignInAt?: Date;
  /** Warnings that owners got: `<fingerprint>:<days>`, `metadata-<day>:<days>`, and `groups:<month>`. */
  warned?: string[];
}

export const ssoProvidersCollection = defineCollection({
  name: "sso_providers",
  indexes: [
    ...namedIndexes("provider_name"),
    { key: { enabled: 1 }, name: "provider_enabled", partialFilterExpression: { active: true } },
    { key: { "saml.metadataUrl": 1, "saml.metadataReadAt": 1 }, sparse: true, name: "provider_metadata" },
    { key: { "saml.certificates.notAfter": 1 }, sparse: true, name: "provider_certificates" },
    { key: { "saml.validUntil": 1 }, sparse: true, name: "provider_metadata_validity" },
  ],
  outbox: true,
  open: (providers: Collection<SsoProviderDoc>) => ({
    ...namedOperations(providers),
    /** All providers of an organization, oldest first. */
    list: (tenantId: string) =>
      providers.find({ tenantId, active: true }, withoutOutbox).sort({ _id: 1 }).toArray(),
    /** Enabled providers of an organization, oldest first. */
    listEnabled: (tenantId: string) =>
      providers.find({ tenantId, active: true, enabled: true }, withoutOutbox).sort({ _id: 1 }).toArray(),
    /** Whether any organization has an enabled provider. */
    hasEnabled: async () =>
      (await providers.findOne({ active: true, enabled: true }, { projection: { _id: 1 } })) !== null,
    /** Enabled providers of any organization, oldest first. */
    listAnyEnabled: (limit: number) =>
      providers.find({ active: true, enabled: true }, withoutOutbox).sort({ _id: 1 }).limit(limit).toArray(),
    /** Records a success. Nothing changes if the connection was changed since `epoch`. */
    async noteSuccess(id: string, epoch: number, at: Date, isSignIn: boolean): Promise<void> {
      await providers.updateOne(
        { _id: id, epoch, active: true },
        { $max: { testedAt: at, ...(isSignIn ? { lastSignInAt: at } : {}) } },
      );
    },
    async noteGroupsOverage(id: string, at: Date): Promise<void> {
      await providers.updateOne({ _id: id, active: true }, { $max: { groupsOverageAt: at } });
    },
    ...watchOperations(providers),
    /** Removes deleted providers whose events are in the log; returns how many were removed. */
    removeEnded: () =>
      removeSlice(providers, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
  }),
});

/** Operations of the scheduled checks. */
function watchOperations(providers: Collection<SsoProviderDoc>) {
  return {
    /** Providers whose metadata was last read before a time, by their ids. */
    listMetadataDue: (before: Date, after: string, limit: number) =>
      providers
        .find(
          {
            _id: { $gt: after },
            "saml.metadataUrl": { $gt: "" },
            "saml.metadataReadAt": { $lt: before },
            active: true,
          },
          withoutOutbox,
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Records a reading of the metadata that has changed nothing. */
    async noteMetadataRead(id: string, at: Date): Promise<void> {
      await providers.updateOne(
        { _id: id, active: true, "saml.metadataUrl": { $exists: true } },
        { $set: { "saml.metadataReadAt": at }, $unset: { "saml.metadataError": true } },
      );
    },
    /** Records a failed reading of the metadata. */
    async noteMetadataError(id: string, at: Date, message: string): Promise<void> {
      await providers.updateOne(
        { _id: id, active: true, "saml.metadataUrl": { $exists: true } },
        { $set: { "saml.metadataReadAt": at, "saml.metadataError": message } },
      );
    },
    /** Enabled providers with a certificate, or metadata, that expires between two times, by their ids. */
    listExpiring: (from: Date, to: Date, after: string, limit: number) =>
      providers
        .find(
          {
            _id: { $gt: after },
            $or: [
              { "saml.certificates": { $elemMatch: { notAfter: { $gt: from, $lt: to } } } },
              { "saml.validUntil": { $gt: from, $lt: to } },
            ],
            active: true,
            enabled: true,
          },
          withoutOutbox,
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Records a warning that the owners got. */
    async noteWarning(id: string, warning: string): Promise<void> {
      await providers.updateOne(
        { _id: id, active: true, warned: { $ne: warning } },
        { $push: { warned: { $each: [warning], $slice: -100 } } },
      );
    },
  };
}
