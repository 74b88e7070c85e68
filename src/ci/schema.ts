import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { ciProviders, scopableActions, type CiProvider } from "../../contract/vocabulary.ts";
import { permissionMap } from "../access/schema.ts";
import { personName } from "../users/schema.ts";

const id = z.string().min(1).max(64);
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{C}\u2028\u2029]*$/u, "must not contain control characters");

const name = personName.max(limits.policyName);
const repository = line(limits.policyRepository)
  .regex(
    /^[^/\s*]+(\/[^/\s*]+)*\/(\*|[^/\s*]+)$/,
    'must be "owner/name", or "owner/*" for all repositories of an owner',
  )
  .meta({ description: "`owner/name`, `owner/*`, or the path of a GitLab project or `group/*`" });
const ref = line(limits.policyRef)
  .refine((text) => !/\s/.test(text), "must not contain spaces")
  .meta({
    description:
      "full ref such as refs/heads/main; at GitLab also the short name of a branch; `*` stands for any text",
  });
const environment = line(limits.policyEnvironment).meta({ description: "deployment environment" });
const scopes = permissionMap(scopableActions).meta({
  description: "permissions of the tokens, as of an organization's token; without it they are administrators",
});
const ids = (max: number) =>
  z
    .array(id)
    .min(1, "must name one: leave it out where nothing is to be narrowed")
    .max(max)
    .refine((list) => new Set(list).size === list.length, "names one twice");
const allowedFolderIds = ids(limits.foldersPerToken).meta({
  description: "folders outside of whose subtrees the tokens reach nothing that is private",
});
const skillIds = ids(limits.skillsPerPolicy).meta({
  description: "skills besides which the tokens reach nothing that is private; they can't create others",
});

export const CreateOidcPolicy = z
  .strictObject({
    name,
    provider: z.enum(ciProviders),
    issuer: z
      .string()
      .max(500)
      .optional()
      .meta({ description: "one that the service trusts; default: the provider's own" }),
    repository,
    ref,
    environment: environment.optional(),
    scopes: scopes.optional(),
    allowedFolderIds: allowedFolderIds.optional(),
    skillIds: skillIds.optional(),
    enabled: z.boolean().default(true),
  })
  .superRefine((policy, context) => {
    for (const [field, message] of formFaults(policy.provider, policy))
      context.addIssue({ code: "custom", path: [field], message });
  });
export type CreateOidcPolicy = z.output<typeof CreateOidcPolicy>;

export const UpdateOidcPolicy = z
  .strictObject({
    name: name.optional(),
    repository: repository.optional(),
    ref: ref.optional(),
    environment: environment.nullable().optional(),
    scopes: scopes.nullable().optional(),
    allowedFolderIds: allowedFolderIds.nullable().optional(),
    skillIds: skillIds.nullable().optional(),
    enabled: z.boolean().optional(),
    pinned: z.null().optional().meta({
      description: "forgets the ids of the first exchange, for a repository that was created anew",
    }),
  })
  .refine((fields) => Object.keys(fields).length > 0, "needs a field to change");
export type UpdateOidcPolicy = z.output<typeof UpdateOidcPolicy>;

/** Fields whose form is not that of the provider, with their problem. */
export function formFaults(
  provider: CiProvider,
  { repository: repo, ref: filter }: { repository?: string | undefined; ref?: string | undefined },
): ["repository" | "ref", string][] {
  if (provider !== "github") return [];
  const faults: ["repository" | "ref", string][] = [];
  if (repo !== undefined && repo.split("/").length !== 2)
    faults.push(["repository", 'must be "owner/name" or "owner/*" at GitHub']);
  if (filter !== undefined && filter !== "*" && !filter.startsWith("refs/"))
    faults.push(["ref", 'must be a full ref such as "refs/heads/main" at GitHub, or "*"']);
  return faults;
}

const token = z
  .string()
  .trim()
  .min(1)
  .max(limits.identityTokenLength)
  .meta({ description: "identity token of the CI provider" });

export const TestToken = z.strictObject({ token });
export const ExchangeToken = z.strictObject({
  token,
  team: z.string().min(1).max(64).meta({ description: "slug of the organization" }),
});
export type ExchangeToken = z.output<typeof ExchangeToken>;

export const PolicyParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
  id,
});
