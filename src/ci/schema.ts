import { z } from "zod";
import { identifierText } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import { ciProviders, scopableActions, type CiProvider } from "../../contract/vocabulary.ts";
import { permissionMap } from "../access/schema.ts";
import { personName } from "../users/schema.ts";
import { definitionForms } from "./pipeline-definition.ts";

const id = z.string().min(1).max(64);
const line = (max: number) =>
  z.string().trim().min(1).max(max).regex(identifierText, "must not contain control characters");

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
/** An event that no policy can name. */
export const untrustedEvent = "pull_request_target";
export const untrustedEventProblem =
  "Runs of pull_request_target are refused, since they can run code of a fork as the target branch.";
const events = z
  .array(
    z
      .string()
      .max(limits.policyEvent)
      .regex(/^[a-z][a-z0-9_]*$/, 'must be the name of an event, such as "push"')
      .refine((event) => event !== untrustedEvent, untrustedEventProblem),
  )
  .min(1, "must name one: leave it out for the default events")
  .max(limits.eventsPerPolicy)
  .refine((list) => new Set(list).size === list.length, "names one twice")
  .meta({
    description:
      "events that may start the run, in place of the default ones: `event_name` or `pipeline_source`",
  });
const workflow = line(limits.policyWorkflow).meta({
  description:
    "file that must define the pipeline, in its repository or, as `owner/name/file` (GitLab: `group/project//file`), in " +
    "another one; `@` and a ref filter may follow",
});
const protectedRef = z
  .boolean()
  .meta({ description: "whether the ref must be a protected branch or tag at the provider" });
const scopes = permissionMap(scopableActions).meta({
  description: "permissions of the tokens, as of an organization's token; default: those of an admin",
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
    events: events.optional(),
    workflow: workflow.optional(),
    protectedRef: protectedRef.optional(),
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
    events: events.nullable().optional(),
    workflow: workflow.nullable().optional(),
    protectedRef: protectedRef.optional(),
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
  {
    repository: repo,
    ref: filter,
    workflow: file,
  }: { repository?: string; ref?: string; workflow?: string | null },
): ["repository" | "ref" | "workflow", string][] {
  const faults: ["repository" | "ref" | "workflow", string][] = [];
  if (file && !definitionForms[provider].test(file)) faults.push(["workflow", workflowProblems[provider]]);
  if (provider !== "github") return faults;
  if (repo !== undefined && repo.split("/").length !== 2)
    faults.push(["repository", 'must be "owner/name" or "owner/*" at GitHub']);
  if (filter !== undefined && filter !== "*" && !filter.startsWith("refs/"))
    faults.push(["ref", 'must be a full ref such as "refs/heads/main" at GitHub, or "*"']);
  return faults;
}

const workflowProblems: Record<CiProvider, string> = {
  github:
    'must be a file such as ".github/workflows/publish.yml", or "owner/name/.github/workflows/publish.yml" for a ' +
    "reusable workflow of another repository",
  gitlab:
    'must be a file such as ".gitlab-ci.yml", or "group/project//publish.yml" for a file of another project',
};

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
