/** Fields that had other names. Outboxes had `unsettledAt`. */
import type { Database } from "../../database.ts";
import type { DeclaredIndexes } from "../indexes.ts";
import { dropIndex } from "./drop-index.ts";

/** Current names by previous ones, by collection. */
const formerFields: Record<string, Record<string, string>> = {
  skills: { governingFolderId: "effectiveRestrictionId" },
  search_entries: { governingFolderId: "effectiveRestrictionId" },
  connectors: { generation: "credentialsRevision" },
};

export async function renameFields(database: Database, declared: DeclaredIndexes): Promise<void> {
  const outboxes = Object.entries(declared).flatMap(([collection, indexes]) =>
    indexes.some(({ key }) => "pendingSince" in key) ? [collection] : [],
  );
  for (const name of new Set([...outboxes, ...Object.keys(formerFields)])) {
    const renamed = {
      ...formerFields[name],
      ...(outboxes.includes(name) && { unsettledAt: "pendingSince" }),
    };
    const collection = database.raw.collection(name);
    for (const [previous, current] of Object.entries(renamed))
      await collection.updateMany({ [previous]: { $exists: true } }, { $rename: { [previous]: current } });
    for (const index of await collection.indexes().catch(() => []))
      if (Object.keys(renamed).some((previous) => previous in index.key))
        await dropIndex(database, name, index.name!);
  }
}
