/** Input of the public registry's interface, and of its switch. */
import { z } from "zod";
import { listQuery } from "../../http/request/cursor.ts";
import { flag } from "../../http/request/flag.ts";

const org = z.string().min(1).max(64);
const name = z.string().min(1).max(300).meta({ description: "URL-encoded, as com.example.acme%2Fsearch" });
const version = z.string().min(1).max(255).meta({ description: "latest, or an exact version" });

export const RegistryParams = z.object({ org });
export const RegistryServerParams = z.object({ org, name });
export const RegistryVersionParams = z.object({ org, name, version });

export const ListRegistry = z.object({
  ...listQuery,
  search: z.string().max(200).optional().meta({ description: "text in the name, title or description" }),
  updated_since: z.iso.datetime({ offset: true }).optional(),
  include_deleted: flag.optional().meta({ description: "deleted servers too; default: with updated_since" }),
  version: version.optional(),
});
export type ListRegistry = z.output<typeof ListRegistry>;

export const ChangeRegistry = z.strictObject({ enabled: z.boolean() });
