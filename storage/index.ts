/** Every collection of the service, opened on one database. */
import type { IndexDescription } from "mongodb";
import { openAuditEvents, auditEventIndexes, type AuditEvents } from "./audit-events.ts";
import { openDatabase, type Database } from "./database.ts";
import { openDownloads, dailyDownloadIndexes, downloadIndexes, type Downloads } from "./downloads.ts";
import { openIdempotency, idempotencyIndexes, type IdempotencyRecords } from "./idempotency.ts";
import { openMemberships, membershipIndexes, type Memberships } from "./memberships.ts";
import { openSkills, skillIndexes, type Skills } from "./skills.ts";
import { openTenants, tenantIndexes, type Tenants } from "./tenants.ts";
import { openUploads, uploadIndexes, type Uploads } from "./uploads.ts";
import { openVersions, manifestIndexes, versionIndexes, type Versions } from "./versions.ts";

export interface Storage {
  database: Database;
  auditEvents: AuditEvents;
  downloads: Downloads;
  idempotency: IdempotencyRecords;
  memberships: Memberships;
  skills: Skills;
  tenants: Tenants;
  uploads: Uploads;
  versions: Versions;
  ping(): Promise<void>;
  close(): Promise<void>;
}

const indexes: Record<string, IndexDescription[]> = {
  audit_events: auditEventIndexes,
  daily_downloads: dailyDownloadIndexes,
  downloads: downloadIndexes,
  idempotency: idempotencyIndexes,
  manifests: manifestIndexes,
  memberships: membershipIndexes,
  skills: skillIndexes,
  tenants: tenantIndexes,
  uploads: uploadIndexes,
  versions: versionIndexes,
};

/** Connects, creates missing indexes and opens every collection. */
export async function openStorage(options: { url: string; database: string }): Promise<Storage> {
  const database = await openDatabase(options.url, options.database);
  await database.ensureIndexes(indexes);
  return {
    database,
    auditEvents: openAuditEvents(database),
    downloads: openDownloads(database),
    idempotency: openIdempotency(database),
    memberships: openMemberships(database),
    skills: openSkills(database),
    tenants: openTenants(database),
    uploads: openUploads(database),
    versions: openVersions(database),
    ping: () => database.ping(),
    close: () => database.close(),
  };
}
