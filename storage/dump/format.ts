/** Form of an export: a header, then lines that declare a collection, and lines with one document each. */
import type { Document, IndexDescription } from "mongodb";

export const format = "svc-export";
export const formatVersion = 1;

export interface Header {
  format: string;
  version: number;
  exportedAt: string;
}

/** In canonical EJSON, which preserves every type. */
export type Line = { collection: string; indexes: IndexDescription[] } | { in: string; document: Document };

/** Collections whose content is useless in another database, or is read again there. */
export const passing = new Set([
  "idempotency",
  "imports",
  "mcp_catalog",
  "mcp_catalog_state",
  "oauth_requests",
  "signature_nonces",
  // Their files are in the data folder, which is not in a backup.
  "uploads",
  "webhook_deliveries",
]);
