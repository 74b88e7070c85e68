/** Form of an export: a header, lines that declare a collection, lines with one document each, and the end. */
import type { Document, IndexDescription } from "mongodb";

export const format = "svc-export";
export const formatVersion = 2;
/** The version without an end line: an incomplete export in it can't be recognized. */
export const versionWithoutEnd = 1;

export interface Header {
  format: string;
  version: number;
  exportedAt: string;
}

/** The last line of an export. */
export interface End {
  /** SHA-256 of all lines before it, each with a line feed. */
  end: { sha256: string };
}

/** In canonical EJSON, which preserves every type. */
export type Line = { collection: string; indexes: IndexDescription[] } | { in: string; document: Document };

/** Collections whose content is useless in another database, or is read again there. */
export const passing = new Set([
  "idempotency",
  "imports",
  "mcp_catalog",
  "mcp_catalog_state",
  "migrations",
  "oauth_requests",
  "signature_nonces",
  // Their files are in the data folder, which is not in a backup.
  "uploads",
  "webhook_deliveries",
  // A restored copy must not send them.
  "webhook_messages",
]);
