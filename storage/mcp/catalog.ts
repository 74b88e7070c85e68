/** Mirror of a public registry of MCP servers: a document for each version, and the state of the mirror. */
import type { Collection, Filter } from "mongodb";
import type { McpServerConfig } from "../../contract/mcp-servers.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate, type Database } from "../database.ts";
import { escapePattern } from "../escape-pattern.ts";
import { removeSlice } from "../maintenance/slices.ts";

/** Terms of the documents that a search reads at most. */
const searchTimeMs = Math.min(commandTimeMs, 2000);

export interface CatalogVersion {
  /** `name@version`. */
  _id: string;
  name: string;
  version: string;
  title: string;
  description: string;
  /** Configuration and origin, or the reason why it can't be imported. */
  entry: { config: McpServerConfig; origin: string } | { problem: string };
  /** Set for the latest version of a server that is not deleted. */
  latest?: true;
  /** Words of the name, title and description; only of the latest version. */
  terms?: string[];
  updatedAt: Date;
}

/** A pass over the registry's changes since a time. It can be continued after each page. */
export interface CatalogPass {
  since: Date | null;
  cursor: string | null;
  pages: number;
  /** Latest change that was read. */
  latest: Date | null;
}

export interface CatalogState {
  _id: "catalog";
  url: string;
  /** Time of the latest change of the last complete pass. */
  since: Date | null;
  pass?: CatalogPass;
}

export const mcpCatalogCollection = defineCollection({
  name: "mcp_catalog",
  indexes: [
    { key: { name: 1, latest: 1 } },
    { key: { latest: 1, name: 1 }, name: "mcp_catalog_latest", partialFilterExpression: { latest: true } },
    { key: { terms: 1, name: 1 }, name: "mcp_catalog_terms", partialFilterExpression: { latest: true } },
  ],
  open: openMcpCatalog,
});

function openMcpCatalog(versions: Collection<CatalogVersion>, database: Database) {
  const states = database.collection<CatalogState>("mcp_catalog_state");
  const _id = "catalog";
  return {
    findVersion: (name: string, version: string) => versions.findOne({ _id: `${name}@${version}` }),
    findLatest: (name: string) => versions.findOne({ name, latest: true }),
    listLatest: (names: readonly string[]) =>
      versions.find({ name: { $in: [...names] }, latest: true }, { projection: { terms: 0 } }).toArray(),
    /** The latest versions whose words begin with all the terms, in the order of their names. */
    list: (terms: readonly string[], after: string | undefined, limit: number) => {
      const matches = terms.map((term) => ({ terms: { $regex: `^${escapePattern(term)}` } }));
      const filter: Filter<CatalogVersion> = {
        latest: true,
        ...(after === undefined ? {} : { name: { $gt: after } }),
        ...(matches.length === 0 ? {} : { $and: matches }),
      };
      return versions.find(filter, { maxTimeMS: searchTimeMs }).sort({ name: 1 }).limit(limit).toArray();
    },
    /** Stores a version. The latest one replaces the previous latest one of its server. */
    async put(version: CatalogVersion): Promise<void> {
      await versions.replaceOne({ _id: version._id }, version, { upsert: true });
      if (version.latest)
        await versions.updateMany(
          { name: version.name, latest: true, _id: { $ne: version._id } },
          { $unset: { latest: "", terms: "" } },
        );
    },
    async remove(id: string): Promise<void> {
      await versions.deleteOne({ _id: id });
    },
    removeAll: () => removeSlice(versions, {}),
    count: () => versions.estimatedDocumentCount(),

    findState: () => states.findOne({ _id }),
    /** Starts again for another registry; one of concurrent calls wins. */
    async start(url: string): Promise<void> {
      try {
        await states.replaceOne(
          { _id, url: { $ne: url } },
          { url, since: null },
          {
            upsert: true,
          },
        );
      } catch (error) {
        // The state is that of this registry.
        if (!isDuplicate(error)) throw error;
      }
    },
    async savePass(url: string, pass: CatalogPass): Promise<void> {
      await states.updateOne({ _id, url }, { $set: { pass } });
    },
    async endPass(url: string, since: Date | null): Promise<void> {
      await states.updateOne({ _id, url }, { $set: { since }, $unset: { pass: "" } });
    },
  };
}
