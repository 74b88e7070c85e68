/** The documents of `svc mcp`. */
import { z } from "zod";
import { installScopes, mcpInstallModes, mcpTargets, mcpTransports } from "../../vocabulary.ts";
import { count, failedTargets, integer, skipped, text, timestamp, uneditable, warnings } from "./fields.ts";

const mcpServer = { publicId: text, slug: text, tenantSlug: text };
const installed = z.array(
  z.strictObject({
    platform: z.enum(mcpTargets),
    scope: z.enum(installScopes),
    path: text,
    key: text,
    projectDir: text.optional(),
    /** The name of a further file of the tool (`--also`); absent for its usual one. */
    also: text.optional(),
    installedAt: timestamp,
  }),
);
/** Servers with their entries in tools. */
const pulledServers = z.array(z.strictObject({ ...mcpServer, revision: count, installed }));

/** By command, as part of `cliPayloads`. */
export const cliMcpPayloads = {
  "mcp.list": z.array(
    z.strictObject({
      ...mcpServer,
      transport: z.enum(mcpTransports),
      command: text.nullable(),
      url: text.nullable(),
      revision: integer,
      installed: z
        .strictObject({
          targets: z.array(z.enum(mcpTargets)),
          updateAvailable: z.boolean(),
          /** Ours: those with a hosted connector, if others or the same have the server's own address. */
          hostedTargets: z.array(z.enum(mcpTargets)).optional(),
        })
        .nullable(),
      via: z.enum(mcpInstallModes).optional(),
      /** Only for servers with a hosted connector. */
      central: z.strictObject({ connectionStatus: text, needsReconnect: z.boolean() }).optional(),
    }),
  ),
  "mcp.install": z.strictObject({
    /** Absent for `svc mcp install central` only. */
    server: z.strictObject({ ...mcpServer, revision: integer }).optional(),
    installed,
    skipped,
    /** Beyond the specification: files that could not be written, and remarks for a person. */
    failed: z.array(failedTargets.element.extend(uneditable)),
    warnings,
    via: z.enum(mcpInstallModes).optional(),
    connector: z
      .strictObject({
        publicId: text,
        slug: text,
        tenantId: text,
        connectionStatus: text,
        created: z.boolean(),
      })
      .optional(),
    connectUrl: z.url().optional(),
  }),
  "mcp.uninstall": z.strictObject({ removed: installed, warnings }),
  "mcp.pull": z.strictObject({ updated: pulledServers, upToDate: pulledServers, warnings }),
} as const;
