/**
 * The parts of a public registry's answers that are used, in the form of its API v0.1. Everything else is ignored, and
 * a server that does not have this form is left out.
 */
import { z } from "zod";

const text = z.string().max(4000);
const format = z.enum(["string", "number", "boolean", "filepath"]).catch("string");

const plainInput = z.object({
  description: text.optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: format.optional(),
  value: text.optional(),
  default: text.optional(),
});
const input = plainInput.extend({ variables: z.record(z.string().max(100), plainInput).optional() });
const keyValue = input.extend({ name: z.string().min(1).max(200) });
const argument = input.extend({
  type: z.enum(["positional", "named"]),
  name: z.string().max(200).optional(),
  valueHint: z.string().max(200).optional(),
  isRepeated: z.boolean().optional(),
});

const remote = z.object({
  type: z.enum(["streamable-http", "sse"]),
  url: z.string().max(2048),
  headers: z.array(keyValue).max(50).optional(),
  variables: z.record(z.string().max(100), plainInput).optional(),
});
const pack = z.object({
  registryType: z.string().max(50),
  registryBaseUrl: z.string().max(2048).optional(),
  identifier: z.string().min(1).max(400),
  version: z.string().max(255).optional(),
  transport: z.object({ type: z.string().max(50) }),
  runtimeArguments: z.array(argument).max(50).optional(),
  packageArguments: z.array(argument).max(50).optional(),
  environmentVariables: z.array(keyValue).max(50).optional(),
});

const officialMeta = z.object({
  status: z.string().max(50).optional(),
  updatedAt: z.iso.datetime({ offset: true }).optional(),
  publishedAt: z.iso.datetime({ offset: true }).optional(),
  isLatest: z.boolean().optional(),
});

export const officialKey = "io.modelcontextprotocol.registry/official";

/** The name has exactly one slash, as in `io.github.user/weather`. */
export const catalogName = z
  .string()
  .max(200)
  .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
export const catalogVersion = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x21-\x7e]+$/);

export const RegistryEntry = z.object({
  server: z.object({
    name: catalogName,
    title: z.string().max(200).optional(),
    description: z.string().max(2000),
    version: catalogVersion,
    remotes: z.array(remote).max(20).optional(),
    packages: z.array(pack).max(20).optional(),
  }),
  _meta: z.object({ [officialKey]: officialMeta }),
});
export type RegistryEntry = z.output<typeof RegistryEntry>;
export type RegistryServer = RegistryEntry["server"];
export type RegistryInput = z.output<typeof input>;
export type RegistryKeyValue = z.output<typeof keyValue>;
export type RegistryArgument = z.output<typeof argument>;
export type RegistryPackage = z.output<typeof pack>;
export type RegistryRemote = z.output<typeof remote>;

/** A page of the feed; its entries are checked one by one. */
export const RegistryPage = z.object({
  servers: z.array(z.unknown()).max(1000),
  metadata: z.object({ nextCursor: z.string().max(2000).nullish() }).optional(),
});
