/** The run of a pipeline, as the verified claims of either provider describe it. */
import type { JWTPayload } from "jose";
import { z } from "zod";
import { identifierText } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import type { CiOrigin, OidcCheck } from "../../contract/payloads/accounts/ci.ts";
import type { PinnedIds } from "../../storage/ci/oidc-policies.ts";
import type { IdentityToken } from "./identity-token.ts";
import { gitHubServer } from "./issuers.ts";
import { definitionName, readDefinition, type PipelineDefinition } from "./pipeline-definition.ts";

export interface PipelineRun {
  issuer: string;
  repository: string;
  /** Path of the repository without its last segment. */
  owner: string;
  ids: Required<PinnedIds>;
  /** Full name of the ref. */
  ref: string;
  /** Short name of a branch at GitLab, by which filters may name it. */
  branch?: string;
  environment?: string;
  isRefProtected: boolean;
  /** Event that started the run. */
  event?: string;
  /** File that defines the pipeline, and at GitHub the reusable workflow that defines the job. */
  definitions: PipelineDefinition[];
  runId?: string;
  origin: CiOrigin;
}

const text = (max: number) => z.string().min(1).max(max).regex(identifierText, "has control characters");
const id = z.union([z.string().regex(/^\d{1,20}$/), z.number().int().min(0)]).transform(String);
const repository = text(limits.policyRepository).regex(/^[^/\s]+(\/[^/\s]+)+$/, "is not owner/name");
const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const refLength = 1000;
const isTrue = z
  .union([z.boolean(), z.enum(["true", "false"])])
  .transform((value) => String(value) === "true")
  .optional()
  .catch(undefined);

const GitHubClaims = z.object({
  repository,
  repository_id: id,
  repository_owner_id: id,
  ref: text(refLength).startsWith("refs/"),
  environment: text(limits.policyEnvironment).optional(),
  event_name: text(limits.policyEvent).optional(),
  ref_protected: isTrue,
  sha: commit.optional().catch(undefined),
  workflow: text(300).optional().catch(undefined),
  workflow_ref: text(refLength).optional(),
  job_workflow_ref: text(refLength).optional(),
  run_id: id.optional().catch(undefined),
});

const GitLabClaims = z.object({
  project_path: repository,
  project_id: id,
  namespace_id: id,
  ref: text(refLength),
  ref_type: z.enum(["branch", "tag"]),
  ref_path: text(refLength).startsWith("refs/").optional(),
  environment: text(limits.policyEnvironment).optional(),
  pipeline_source: text(limits.policyEvent).optional(),
  ref_protected: isTrue,
  sha: commit.optional().catch(undefined),
  ci_config_ref_uri: text(refLength).nullish(),
  job_id: id.optional().catch(undefined),
});

/** The run of a token, or the checks by which its claims are not those of a run. */
export function readRun({ issuer, claims }: IdentityToken): PipelineRun | OidcCheck[] {
  const read = issuer.provider === "github" ? readGitHub : readGitLab;
  return read(issuer.issuer, claims);
}

function readGitHub(issuer: string, claims: JWTPayload): PipelineRun | OidcCheck[] {
  const { data, error } = GitHubClaims.safeParse(claims);
  if (!data) return faults(error, claims);
  const { repository: own, run_id: runId } = data;
  const definitions = [...new Set([data.workflow_ref, data.job_workflow_ref])]
    .filter((claim) => claim !== undefined)
    .map((claim) => readDefinition(issuer, "github", claim));
  const [workflow] = definitions;
  return {
    ...common(issuer, own, data.repository_owner_id, data.repository_id),
    ref: data.ref,
    environment: data.environment,
    isRefProtected: data.ref_protected ?? false,
    event: data.event_name,
    definitions,
    runId,
    origin: {
      repository: own,
      ref: data.ref,
      commit: data.sha,
      workflow: workflow?.file ? definitionName("github", workflow, own) : data.workflow,
      runUrl: runId && `${gitHubServer(issuer)}/${urlPath(own)}/actions/runs/${runId}`,
    },
  };
}

function readGitLab(issuer: string, claims: JWTPayload): PipelineRun | OidcCheck[] {
  const { data, error } = GitLabClaims.safeParse(claims);
  if (!data) return faults(error, claims);
  const ref = data.ref_path ?? `refs/${data.ref_type === "tag" ? "tags" : "heads"}/${data.ref}`;
  const { project_path: own, job_id: jobId, ci_config_ref_uri: uri } = data;
  const definitions = uri ? [readDefinition(issuer, "gitlab", uri)] : [];
  const [workflow] = definitions;
  return {
    ...common(issuer, own, data.namespace_id, data.project_id),
    ref,
    branch: data.ref_type === "branch" ? data.ref : undefined,
    environment: data.environment,
    isRefProtected: data.ref_protected ?? false,
    event: data.pipeline_source,
    definitions,
    runId: jobId,
    origin: {
      repository: own,
      ref,
      commit: data.sha,
      workflow: workflow?.file ? definitionName("gitlab", workflow, own) : undefined,
      runUrl: jobId && `${issuer}/${urlPath(own)}/-/jobs/${jobId}`,
    },
  };
}

function common(issuer: string, repo: string, ownerId: string, repositoryId: string) {
  const owner = repo.slice(0, repo.lastIndexOf("/"));
  return { issuer, repository: repo, owner, ids: { ownerId, repositoryId } };
}

const urlPath = (repo: string) => repo.split("/").map(encodeURIComponent).join("/");

function faults(error: z.ZodError, claims: JWTPayload): OidcCheck[] {
  const names = [...new Set(error.issues.map(({ path }) => String(path[0])))];
  return names.map((claim) => {
    const message = Object.hasOwn(claims, claim)
      ? `The claim "${claim}" is not that of a pipeline.`
      : `The token has no claim "${claim}", which the tokens of a pipeline have.`;
    return { claim, passed: false, message };
  });
}
