/**
 * Marketplaces: Git repositories with the skills that everyone in an audience may read. A document is the commit point
 * of its repository, which is made of skills' versions and can be made again.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";

/** A plugin as the newest commit has it. */
export interface MarketplacePlugin {
  skillId: string;
  /** Folder and name of the plugin: the skill's slug. */
  slug: string;
  title: string;
  description: string;
  semver: string;
  tags: string[];
  /** A text that Cursor reads as a rule; other tools have no place for it. */
  isRule: boolean;
  author: string | null;
  /** Commit of the skill's version. */
  commit: string;
  version: number;
  /** Bytes of the version. */
  bytes: number;
  /** Time of the last change of the skill. */
  changedAt: Date;
  /** Id of the plugin's tree in the repository. */
  treeOid: string;
}

export interface MarketplaceDoc {
  _id: string;
  tenantId: string;
  /** `public`, `members`, or the id of a collection. */
  audience: string;
  /** Name by which tools know it; it never changes. */
  name: string;
  /** Id of its repository, which takes the place of a skill's id. A new one begins a new history. */
  repoId: string;
  /** Newest commit. */
  commit: string;
  /** Digest of all that the newest commit was made of. */
  signature: string;
  plugins: MarketplacePlugin[];
  /** Bytes of the versions that were added to the history. */
  historyBytes: number;
  /** Numbers of the versions of which the history has content, by the ids of their skills. */
  versions?: Record<string, number[]>;
  revision: number;
  updatedAt: Date;
}

export type ServedMarketplace = Omit<MarketplaceDoc, "plugins" | "versions">;
const withoutContent = { plugins: 0, versions: 0 } as const;

export const marketplacesCollection = defineCollection({
  name: "marketplaces",
  indexes: [
    { key: { tenantId: 1, audience: 1 }, unique: true, name: "marketplace_audience" },
    { key: { repoId: 1 } },
  ],
  open: (marketplaces: Collection<MarketplaceDoc>) => ({
    find: (tenantId: string, audience: string): Promise<MarketplaceDoc | null> =>
      marketplaces.findOne({ tenantId, audience }),
    /** Without the parts that only a new commit needs. */
    findServed: (tenantId: string, audience: string): Promise<ServedMarketplace | null> =>
      marketplaces.findOne({ tenantId, audience }, { projection: withoutContent }),
    /** The marketplace whose repository it is; null for one that is not in use any more. */
    findByRepository: (repoId: string): Promise<ServedMarketplace | null> =>
      marketplaces.findOne({ repoId }, { projection: withoutContent }),
    /** A slice of all marketplaces, in order of their ids. */
    listAfter: (id: string | undefined, limit: number): Promise<ServedMarketplace[]> =>
      marketplaces
        .find({ _id: id === undefined ? undefined : { $gt: id } }, { projection: withoutContent })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Replaces the document of this revision. False if another call was first. */
    async replace({ _id, ...fields }: MarketplaceDoc, revision: number): Promise<boolean> {
      const { matchedCount } = await marketplaces.updateOne({ _id, revision }, { $set: fields });
      return matchedCount === 1;
    },
    /** Repositories in use among the given ones. */
    async listRepositories(ids: string[]): Promise<Set<string>> {
      const found = marketplaces.find({ repoId: { $in: ids } }, { projection: { repoId: 1 } });
      return new Set(await found.map(({ repoId }) => repoId).toArray());
    },
    /** Marketplaces of an organization, at most one for each of its collections and two more. */
    list: (tenantId: string): Promise<ServedMarketplace[]> =>
      marketplaces.find({ tenantId }, { projection: withoutContent, maxTimeMS: commandTimeMs }).toArray(),
    /** Returns the repository of the removed marketplace. */
    async remove(tenantId: string, audience: string): Promise<string | undefined> {
      return (await marketplaces.findOneAndDelete({ tenantId, audience }))?.repoId;
    },
  }),
});
