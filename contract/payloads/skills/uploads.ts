/** Staged uploads of packages, as they cross the wire. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

export const UploadPayload = z
  .object({ uploadId: z.string(), url: z.string(), expiresAt: timestamp })
  .meta({ id: "Upload" });
export type UploadPayload = z.infer<typeof UploadPayload>;

export const OpenUploadPayload = UploadPayload.extend({
  size: z.number().int(),
  sha256: z.string(),
  state: z.enum(["open", "stored", "claimed"]).meta({ description: "claimed: it is being published" }),
  createdAt: timestamp,
}).meta({ id: "OpenUpload" });
export type OpenUploadPayload = z.infer<typeof OpenUploadPayload>;

export const StoredUploadPayload = z
  .object({ uploadId: z.string(), size: z.number().int(), sha256: z.string() })
  .meta({ id: "StoredUpload" });
export type StoredUploadPayload = z.infer<typeof StoredUploadPayload>;
