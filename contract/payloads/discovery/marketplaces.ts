/** Marketplaces of an organization's skills, for tools that install plugins from them. */
import { z } from "zod";

export const marketplaceAudiences = ["public", "members", "collection"] as const;

export const MarketplacePayload = z
  .object({
    audience: z.enum(marketplaceAudiences).meta({
      description: "who may read it: anyone, every member, or the readers of a collection",
    }),
    collection: z.string().nullable().meta({ description: "slug of the collection" }),
    isPublic: z.boolean().meta({ description: "whether it is read without a token" }),
    name: z.string().meta({ description: "name by which tools know it; it never changes" }),
    title: z.string(),
    requiredPlugins: z.array(z.string()).meta({
      description: "plugins that people have to install; empty unless its collection is required",
    }),
    catalogUrl: z
      .string()
      .meta({ description: "address of the same plugins as a JSON document with zips, for Claude Code" }),
    gitUrl: z.string().meta({ description: "address for git and for tools that clone a marketplace" }),
  })
  .meta({ id: "Marketplace" });
export type MarketplacePayload = z.infer<typeof MarketplacePayload>;
