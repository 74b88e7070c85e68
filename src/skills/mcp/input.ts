/** Arguments that several tools have. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";

export const skillRef = z.string().trim().min(1).max(500).meta({
  description: "organization/slug, a slug in your organizations, a publicId, or the address of its page",
});

export const versionSpec = z
  .string()
  .max(256)
  .optional()
  .meta({ description: "number, exact version or range; default: the current version" });

export const offset = z
  .number()
  .int()
  .min(0)
  .default(0)
  .meta({ description: "nextOffset of the result before, to continue it" });

export const maxBytes = z
  .number()
  .int()
  .min(1000)
  .max(limits.mcpResultBytes.max)
  .default(limits.mcpResultBytes.default)
  .meta({ description: "most bytes of text in the result" });

export const nextOffset = z
  .number()
  .int()
  .nullable()
  .meta({ description: "offset of the rest; null: this is the end" });

export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: "cursor of the next page; null: no more" });

export const warnings = z.array(z.string()).meta({ description: "reasons not to use the version" });
