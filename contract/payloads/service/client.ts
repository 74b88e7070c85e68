/** The client, as the service offers it. */
import { z } from "zod";

/** Response to the daily update check of the client, and to `svc upgrade`. */
export const ClientPayload = z
  .object({
    version: z.string(),
    commit: z.string().optional().meta({
      description: "the commit that the service and its client were built from; absent if it is not known",
    }),
    /** The npm package at `/cli/svc-<version>.tgz`; absent if the service was built without it. */
    package: z
      .object({
        sha256: z.string().meta({ description: "hexadecimal SHA-256" }),
        size: z.number().int().min(1).meta({ description: "in bytes" }),
      })
      .optional(),
  })
  .meta({ id: "Client" });
export type ClientPayload = z.infer<typeof ClientPayload>;
