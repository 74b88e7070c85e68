/** Input of the routes of hosted connectors. */
import { z } from "zod";
import { limits } from "../../contract/limits.ts";

const variables = z
  .record(z.string().min(1).max(limits.mcpValueName), z.string().max(limits.mcpFixedValue))
  .refine((values) => Object.keys(values).length <= limits.mcpValues, "too many values")
  .meta({ description: "values by name; stored encrypted, and sent to this server only" });

export const CreateConnector = z.strictObject({
  server: z
    .string()
    .min(1)
    .max(120)
    .meta({ description: "`organization/slug`, a slug that is unambiguous, or an id of the MCP server" }),
});
export type CreateConnector = z.infer<typeof CreateConnector>;

export const ConnectConnector = z.strictObject({
  variables: variables.optional(),
  host: z.string().max(limits.mcpUrl).optional().meta({
    description: "the server's host as the user has seen it; refused if it is another one by now",
  }),
  url: z.string().max(limits.mcpUrl).optional().meta({
    description: "the same for the whole address: a path can be that of another customer of the host",
  }),
  reauthorize: z.boolean().optional().meta({
    description: "forgets the current authorization first, to authorize another account or other rights",
  }),
});
export type ConnectConnector = z.infer<typeof ConnectConnector>;

export const ListCalls = z.object({
  connector: z.string().max(40).optional().meta({ description: "id of a connector; default: all" }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(300).optional(),
});
export type ListCalls = z.infer<typeof ListCalls>;

export const ConnectorParams = z.object({ connector: z.string().min(1).max(40) });

export const ChangeCentral = z.strictObject({ enabled: z.boolean() });
export type ChangeCentral = z.infer<typeof ChangeCentral>;
