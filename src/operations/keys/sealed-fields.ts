/**
 * Every stored value that is encrypted by a key of the ring. The rotation encrypts all of them with the current key, so
 * that older keys can be removed. A new call of `secrets.seal` needs a line here, which a test enforces.
 */
import type { SealedPath } from "../../../storage/service/sealed-values.ts";

type Row = { _id: string } & Record<string, unknown>;

export interface SealedField extends SealedPath {
  /** Its name for operators, in the plural. */
  name: string;
  /** Files that seal it. */
  sealedIn: readonly string[];
  /** The associated data with which it is sealed. */
  recordId(row: Row): string;
  /** Field with the id of the key; the value has it as well. */
  keyIdPath?: string;
}

const ownId = (row: Row) => row._id;

export const sealedFields: readonly SealedField[] = [
  {
    name: "authenticator apps",
    collection: "users",
    path: "factors.totp.sealed",
    sealedIn: ["src/mfa/totp-factor.ts"],
    recordId: (row) => `totp:${row._id}`,
  },
  {
    name: "authenticator apps that are not confirmed",
    collection: "users",
    path: "factors.pendingTotp.sealed",
    sealedIn: ["src/mfa/totp-factor.ts"],
    recordId: (row) => `totp:${row._id}`,
  },
  {
    name: "sets of recovery codes",
    collection: "users",
    path: "factors.recoveryKeys",
    sealedIn: ["src/mfa/recovery-codes.ts"],
    recordId: (row) => `recovery:${row._id}`,
  },
  {
    name: "credentials of repository connections",
    collection: "connections",
    path: "credential",
    sealedIn: ["src/sync/connection/connect.ts"],
    recordId: ownId,
  },
  {
    name: "webhook secrets of repository connections",
    collection: "connections",
    path: "webhook.secret",
    sealedIn: ["src/sync/connection/ensure-webhook.ts"],
    recordId: ownId,
  },
  {
    name: "secrets of receivers of audit logs",
    collection: "tenants",
    path: "auditForwarding.sealedSecret",
    sealedIn: ["src/orgs/audit-forwarding/service.ts"],
    recordId: (row) => `audit-forwarding:${row._id}`,
  },
  {
    name: "addresses of webhooks",
    collection: "webhooks",
    path: "sealedUrl",
    sealedIn: ["src/orgs/webhooks/target.ts"],
    recordId: (row) => `webhook-url:${row._id}`,
  },
  {
    name: "secrets of webhooks",
    collection: "webhooks",
    path: "secret.sealed",
    sealedIn: ["src/orgs/webhooks/target.ts"],
    recordId: (row) => `webhook-secret:${row._id}`,
  },
  {
    name: "previous secrets of webhooks",
    collection: "webhooks",
    path: "previousSecret.sealed",
    sealedIn: ["src/orgs/webhooks/target.ts"],
    recordId: (row) => `webhook-secret:${row._id}`,
  },
  {
    name: "client secrets of identity providers",
    collection: "sso_providers",
    path: "oidc.sealedSecret",
    sealedIn: ["src/sso/providers/connection.ts"],
    recordId: (row) => `sso-client:${row._id}`,
  },
  {
    name: "keys for encrypted assertions",
    collection: "sso_providers",
    path: "encryption.current.sealedKey",
    sealedIn: ["src/sso/saml/encryption-keys.ts"],
    recordId: (row) => `sso-encryption:${row._id}`,
  },
  {
    name: "previous keys for encrypted assertions",
    collection: "sso_providers",
    path: "encryption.previous.sealedKey",
    sealedIn: ["src/sso/saml/encryption-keys.ts"],
    recordId: (row) => `sso-encryption:${row._id}`,
  },
  {
    name: "sign-ins in progress",
    collection: "sso_attempts",
    path: "sealedProof",
    sealedIn: ["src/sso/oidc/oidc.ts"],
    recordId: (row) => `sso-attempt:${row._id}`,
  },
  {
    name: "signing keys",
    collection: "signing_keys",
    path: "sealed",
    sealedIn: ["src/skills/provenance/keys.ts"],
    recordId: (row) => `signing-key:${row._id}`,
  },
  {
    name: "connectors",
    collection: "connectors",
    path: "vault.dataKey",
    sealedIn: ["src/connectors/vault.ts"],
    recordId: ({ _id, tenantId, userId }) =>
      `connector:${_id}|${String(tenantId)}|${String(userId)}|data-key`,
    keyIdPath: "vault.keyId",
  },
  {
    name: "device approvals",
    collection: "device_codes",
    path: "sealedAddress",
    sealedIn: ["src/auth/device/device.ts"],
    recordId: ownId,
  },
  {
    name: "stored responses",
    collection: "idempotency",
    path: "sealed",
    sealedIn: ["src/http/request/idempotency-store.ts"],
    recordId: ownId,
  },
  {
    name: "set-up links",
    collection: "setup",
    path: "sealedToken",
    sealedIn: ["src/accounts/sign-up/setup.ts"],
    recordId: ownId,
  },
];
