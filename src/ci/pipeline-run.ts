/** The run of a pipeline, as the verified claims of either provider describe it. */
import type { JWTPayload } from "jose";
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import type { CiOrigin, OidcCheck } from "../../contract/payloads/ci.ts";
import type { PinnedIds } from "../../storage/ci/oidc-policies.ts";
import type { IdentityToken } from "./identity-token.ts";
import { gitHubServer } from "./issuers.ts";

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
  /** Run for a pull or merge request, whose code may not have been reviewed. */
  isProposal: boolean;
  /** Run of a `pull_request_target`, which has the ref of the target branch. */
  isForeignTrigger: boolean;
  runId?: string;
  origin: CiOrigin;
}

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{C}\u2028\u2029]*$/u, "has control characters");
const id = z.union([z.string().regex(/^\d{1,20}$/), z.number().int().min(0)]).transform(String);
const repository = text(limits.policyRepository).regex(/^[^/\s]+(\/[^/\s]+)+$/, "is not owner/name");
const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const refLength = 1000;

const GitHubClaims = z.object({
  repository,
  repository_id: id,
  repository_owner_id: id,
  ref: text(refLength).startsWith("refs/"),
  environment: text(limits.policyEnvironment).optional(),
  event_name: text(100).optional(),
  sha: commit.optional().catch(undefined),
  workflow: text(300).optional().catch(undefined),
  workflow_ref: text(refLength).optional().catch(undefined),
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
  pipeline_source: text(100).optional(),
  sha: commit.optional().catch(undefined),
  ci_config_ref_uri: text(refLength).optional().catch(undefined),
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
  const workflow = workflowFile(data.workflow_ref, `${data.repository}/`) ?? data.workflow;
  return {
    ...common(issuer, data.repository, data.repository_owner_id, data.repository_id),
    ref: data.ref,
    ...(data.environment === undefined ? {} : { environment: data.environment }),
    isProposal: data.event_name === "pull_request" || data.ref.startsWith("refs/pull/"),
    isForeignTrigger: data.event_name === "pull_request_target",
    ...(data.run_id === undefined ? {} : { runId: data.run_id }),
    origin: {
      repository: data.repository,
      ref: data.ref,
      ...(data.sha === undefined ? {} : { commit: data.sha }),
      ...(workflow === undefined ? {} : { workflow }),
      ...(data.run_id === undefined
        ? {}
        : { runUrl: `${gitHubServer(issuer)}/${urlPath(data.repository)}/actions/runs/${data.run_id}` }),
    },
  };
}

function readGitLab(issuer: string, claims: JWTPayload): PipelineRun | OidcCheck[] {
  const { data, error } = GitLabClaims.safeParse(claims);
  if (!data) return faults(error, claims);
  const ref = data.ref_path ?? `refs/${data.ref_type === "tag" ? "tags" : "heads"}/${data.ref}`;
  const workflow = workflowFile(data.ci_config_ref_uri, "//");
  return {
    ...common(issuer, data.project_path, data.namespace_id, data.project_id),
    ref,
    ...(data.ref_type === "branch" ? { branch: data.ref } : {}),
    ...(data.environment === undefined ? {} : { environment: data.environment }),
    isProposal: data.pipeline_source === "merge_request_event" || ref.startsWith("refs/merge-requests/"),
    isForeignTrigger: false,
    ...(data.job_id === undefined ? {} : { runId: data.job_id }),
    origin: {
      repository: data.project_path,
      ref,
      ...(data.sha === undefined ? {} : { commit: data.sha }),
      ...(workflow === undefined ? {} : { workflow }),
      ...(data.job_id === undefined
        ? {}
        : { runUrl: `${issuer}/${urlPath(data.project_path)}/-/jobs/${data.job_id}` }),
    },
  };
}

function common(issuer: string, repo: string, ownerId: string, repositoryId: string) {
  const owner = repo.slice(0, repo.lastIndexOf("/"));
  return { issuer, repository: repo, owner, ids: { ownerId, repositoryId } };
}

/** The file in `owner/name/file@ref` or `host/project//file@ref`. */
function workflowFile(uri: string | undefined, before: string): string | undefined {
  const start = uri?.indexOf(before) ?? -1;
  if (uri === undefined || start === -1) return undefined;
  const [file] = uri.slice(start + before.length).split("@");
  return file === "" ? undefined : file;
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
