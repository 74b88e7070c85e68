import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { personName } from "../users/schema.ts";

/** What a token may be narrowed to (specification, part 2). */
const scopableActions = {
  skill: ["read", "create", "update", "delete"],
  folder: ["create", "update", "delete"],
  auditLog: ["read"],
  githubSync: ["read", "manage"],
} as const;

const actionsOf = <const A extends readonly [string, ...string[]]>(actions: A) =>
  z
    .array(z.enum(actions))
    .max(actions.length * 2)
    .overwrite((given) => [...new Set(given)])
    .optional();

const TokenScopes = z
  .strictObject({
    skill: actionsOf(scopableActions.skill),
    folder: actionsOf(scopableActions.folder),
    auditLog: actionsOf(scopableActions.auditLog),
    githubSync: actionsOf(scopableActions.githubSync),
  })
  .meta({ description: "groups to actions; without it the token may do all that you may" });

export const CreateToken = z.strictObject({
  name: personName.max(limits.tokenName),
  expiresInDays: z.number().int().min(1).max(limits.tokenExpiryDaysMax).optional(),
  scopes: TokenScopes.optional(),
  allowedFolderIds: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "folders outside of whose subtrees the token reaches nothing that is private" }),
});
export type CreateToken = z.output<typeof CreateToken>;

export const TokenParams = z.object({ id: z.string().min(1).max(64) });
