/** Things that need a person's attention, over one or all of their organizations. */
import { z } from "zod";
import { attentionKinds } from "../../dashboard/lists.ts";

export const AttentionItem = z.object({
  kind: z.enum(attentionKinds),
  tenant: z
    .object({ id: z.string(), slug: z.string(), name: z.string() })
    .nullable()
    .meta({ description: "null for a personal token" }),
  id: z.string().meta({
    description:
      "of the connection, conflict, skill, webhook, member whose workspace it is, token, hosted connector, invitation or " +
      "install",
  }),
  label: z.string().meta({
    description:
      "name of the repository, path, webhook, member, token, MCP server, inviter or skill; slug of a skill with findings",
  }),
  message: z.string().meta({ description: "one sentence" }),
  at: z.iso.datetime().nullable().meta({ description: "since when; of a token or invitation: until when" }),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const AttentionPayload = z
  .object({
    items: z.array(AttentionItem).meta({ description: "the most urgent kind first" }),
    truncated: z
      .array(z.enum(attentionKinds))
      .meta({ description: "kinds of which only the first 20 are here" }),
  })
  .meta({ id: "Attention" });
export type AttentionPayload = z.infer<typeof AttentionPayload>;
