/** Hosted connectors (MCP Central) as they cross the wire. No payload contains a credential. */
import { z } from "zod";
import {
  connectionStatuses,
  connectorCallKinds,
  connectorCallOutcomes,
  connectorProblems,
  mcpValueFormats,
} from "../vocabulary.ts";
import { timestamp } from "./timestamp.ts";

export const ConnectorPayload = z
  .object({
    id: z.string(),
    publicId: z.string(),
    slug: z.string().meta({ description: "prefix of its tools at /mcp/central" }),
    tenantId: z.string(),
    tenantSlug: z.string().optional().meta({ description: "absent if the organization can't be seen now" }),
    serverId: z.string(),
    server: z
      .object({
        publicId: z.string(),
        slug: z.string(),
        name: z.string(),
        host: z.string().meta({ description: "where the credentials are sent" }),
        url: z.string().meta({ description: "the whole address, with placeholders {NAME} for values" }),
      })
      .nullable()
      .meta({ description: "null if the server was removed, or can't be seen now" }),
    connectionStatus: z.enum(connectionStatuses),
    needsReconnect: z.boolean().meta({ description: "the user has to connect in the browser" }),
    problem: z.enum(connectorProblems).nullable(),
    lastError: z.string().nullable().meta({ description: "the problem and its remedy in a sentence" }),
    issuer: z.string().nullable().meta({ description: "the provider that the user has authorized" }),
    values: z
      .array(
        z.object({
          name: z.string(),
          label: z.string(),
          description: z.string().optional(),
          secret: z.boolean(),
          required: z.boolean(),
          format: z.enum(mcpValueFormats).optional(),
          supplied: z.boolean(),
        }),
      )
      .meta({ description: "values that the server needs from the user" }),
    connectUrl: z.string().meta({ description: "page on which the user connects" }),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: "Connector" });
export type ConnectorPayload = z.infer<typeof ConnectorPayload>;

export const CreatedConnectorPayload = ConnectorPayload.extend({
  created: z.boolean().meta({ description: "false if the connector existed" }),
}).meta({ id: "CreatedConnector" });
export type CreatedConnectorPayload = z.infer<typeof CreatedConnectorPayload>;

export const ConnectResultPayload = z
  .object({
    connector: ConnectorPayload,
    authorizationUrl: z
      .url()
      .optional()
      .meta({ description: "where the browser goes on, if the server's provider has to authorize" }),
  })
  .meta({ id: "ConnectResult" });
export type ConnectResultPayload = z.infer<typeof ConnectResultPayload>;

export const ConnectorCallPayload = z
  .object({
    id: z.string(),
    connectorId: z.string(),
    connector: z.string().meta({ description: "slug of the connector at the time of the call" }),
    kind: z.enum(connectorCallKinds),
    name: z.string().optional().meta({ description: "of the tool or prompt, as the server names it" }),
    outcome: z.enum(connectorCallOutcomes),
    ms: z.number().int(),
    bytes: z.number().int().meta({ description: "of the result" }),
    at: timestamp,
  })
  .meta({ id: "ConnectorCall" });
export type ConnectorCallPayload = z.infer<typeof ConnectorCallPayload>;

export const McpCentralPayload = z
  .object({
    enabled: z.boolean(),
    usage: z
      .object({
        days: z.number().int().meta({ description: "period of the calls" }),
        connectors: z.number().int(),
        calls: z.number().int(),
        servers: z.array(
          z.object({
            serverId: z.string(),
            connectors: z.number().int(),
            calls: z.number().int(),
            failed: z.number().int(),
          }),
        ),
      })
      .optional()
      .meta({ description: "only for callers who may change the settings of the organization" }),
  })
  .meta({ id: "McpCentral" });
export type McpCentralPayload = z.infer<typeof McpCentralPayload>;
