/**
 * Changes of stored data, by numbers that are never used again. Each repeats without harm, since it may be interrupted,
 * and runs while processes of the previous release still serve: what they write has to stay readable. So a field is
 * renamed or removed over two releases: the first one reads both forms, and the second one migrates.
 */
import type { Database } from "../../database.ts";
import type { DeclaredIndexes } from "../indexes.ts";
import { renameManualRequests } from "./connections.ts";
import { totalDownloadsOfOrganizations } from "./downloads.ts";
import { dropIndex } from "./drop-index.ts";
import { renameFields } from "./field-names.ts";
import { addOrganizationFields } from "./organizations.ts";
import { noteOverrides } from "./overrides.ts";

export interface Migration {
  number: number;
  name: string;
  /** Whether earlier releases, which don't have it, can no longer read the data. They then refuse to start. */
  isBreaking?: boolean;
  run(database: Database, declared: DeclaredIndexes): Promise<void>;
}

/** Indexes of earlier releases, by collection. Slots were unique per user; a search was in the order of an index. */
const formerIndexes: Readonly<Record<string, readonly string[]>> = {
  tokens: ["token_slot", "userId_1__id_-1"],
  search_entries: [
    "tenantId_1_terms_1_updatedAt_-1__id_-1",
    ...["updatedAt", "createdAt", "downloads"].map((sort) => `terms_1_${sort}_-1__id_-1`),
  ],
  scim_users: ["scim_user_external_id"],
  scim_groups: ["scim_group_external_id"],
  installs: ["tenantId_1_userId_1"],
};

export const migrations: readonly Migration[] = [
  { number: 1, name: "current names of fields", run: renameFields },
  { number: 2, name: "teams, owners and previous slugs of organizations", run: addOrganizationFields },
  { number: 3, name: "requests for a new branch", run: renameManualRequests },
  {
    number: 4,
    name: "indexes of earlier releases",
    async run(database) {
      for (const [collection, names] of Object.entries(formerIndexes))
        for (const name of names) await dropIndex(database, collection, name);
    },
  },
  { number: 5, name: "downloads by organization", run: totalDownloadsOfOrganizations },
  { number: 6, name: "versions that were released against their scans", run: noteOverrides },
];
