import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { scopableActions } from "../../contract/vocabulary.ts";
import { permissionMap } from "../access/schema.ts";
import { personName } from "../users/schema.ts";

const TokenScopes = permissionMap(scopableActions).meta({
  description:
    "groups to actions; without it nothing is narrowed, while {} allows no more than everybody may",
});

export const CreateToken = z.strictObject({
  name: personName.max(limits.tokenName),
  expiresInDays: z.number().int().min(1).max(limits.tokenExpiryDaysMax).optional(),
  scopes: TokenScopes.optional(),
  allowedFolderIds: z
    .array(z.string().min(1).max(64))
    .min(1, "must name a folder: leave it out where nothing is to be narrowed")
    .max(limits.foldersPerToken)
    .refine((ids) => new Set(ids).size === ids.length, "names a folder twice")
    .optional()
    .meta({ description: "folders outside of whose subtrees the token reaches nothing that is private" }),
});
export type CreateToken = z.output<typeof CreateToken>;

const id = z.string().min(1).max(64);

export const TokenParams = z.object({ id });
export const OrganizationTokenParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
  id,
});
