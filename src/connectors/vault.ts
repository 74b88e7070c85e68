/**
 * Credentials of connectors at rest. Each record has a data key of its own, sealed by the current key of `SECRET_KEYS`,
 * and each field is encrypted with it for this connector, organization, user and field, so that a value copied to
 * another place does not open. Plain values leave this file only to be sent to the connector's own server.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { ConnectorDoc, Vault, VaultField } from "../../storage/connectors/connectors.ts";
import type { App } from "../app.ts";
import { decryptText, encryptText } from "../secrets.ts";
import { ConnectorError } from "./upstream/problems.ts";

type Owner = Pick<ConnectorDoc, "_id" | "tenantId" | "userId" | "vault">;

const associated = ({ _id, tenantId, userId }: Owner, field: VaultField | "data-key") =>
  `connector:${_id}|${tenantId}|${userId}|${field}`;

function dataKeyOf(app: App, owner: Owner & { vault: Vault }): Buffer {
  return Buffer.from(app.secrets.open(owner.vault.dataKey, associated(owner, "data-key")), "base64");
}

/** A field's value, or undefined if none is stored. Throws if it was altered or its key is gone. */
export function readSecret<T>(app: App, owner: Owner, field: VaultField): T | undefined {
  const { vault } = owner;
  const encrypted = vault?.fields[field];
  if (!vault || encrypted === undefined) return undefined;
  const text = decryptText(dataKeyOf(app, { ...owner, vault }), encrypted, associated(owner, field));
  return JSON.parse(text) as T;
}

/** The credentials with changed fields; undefined keeps a field, null removes it. */
export function withSecrets(app: App, owner: Owner, changes: { [F in VaultField]?: unknown }): Vault {
  const { vault } = owner;
  const dataKey = vault ? dataKeyOf(app, { ...owner, vault }) : randomBytes(32);
  const fields = { ...vault?.fields };
  for (const [field, value] of Object.entries(changes) as [VaultField, unknown][]) {
    if (value === undefined) continue;
    if (value === null) delete fields[field];
    else fields[field] = encryptText(dataKey, textOf(value), associated(owner, field));
  }
  return { ...sealKey(app, owner, dataKey), fields };
}

/** Remote servers write most of these values, which must fit into one document. */
function textOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length > limits.connectorSecretCharacters) throw new ConnectorError("too_large");
  return text;
}

function sealKey(app: App, owner: Owner, dataKey: Buffer): Pick<Vault, "keyId" | "dataKey"> {
  return {
    keyId: app.secrets.currentKeyId,
    dataKey: app.secrets.seal(dataKey.toString("base64"), associated(owner, "data-key")),
  };
}
