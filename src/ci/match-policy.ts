/**
 * Whether a run of a pipeline meets a trust policy. `sub` is never compared: its form differs between repositories and
 * can be configured by their owners.
 */
import type { OidcCheck } from "../../contract/payloads/ci.ts";
import type { OidcPolicyDoc, PinnedIds } from "../../storage/ci/oidc-policies.ts";
import type { PipelineRun } from "./pipeline-run.ts";

export type PolicyTerms = Pick<
  OidcPolicyDoc,
  "provider" | "issuer" | "repository" | "ref" | "environment" | "pinned" | "enabled"
>;

/** The checks of a policy, in their order; the run matches if all have passed. */
export function checkPolicy(policy: PolicyTerms, run: PipelineRun): OidcCheck[] {
  const checks: OidcCheck[] = [
    {
      claim: "policy",
      passed: policy.enabled,
      ...(policy.enabled ? {} : { message: "The trust policy is disabled." }),
    },
    { claim: "iss", passed: run.issuer === policy.issuer, expected: policy.issuer, actual: run.issuer },
    checkRepository(policy, run),
    ...checkIds(policy, run),
    checkRef(policy, run),
  ];
  if (run.isForeignTrigger || run.isProposal) checks.push(checkTrigger(policy, run));
  const { environment } = policy;
  if (environment !== undefined && environment !== null) checks.push(checkEnvironment(environment, run));
  return checks;
}

export const hasPassed = (checks: readonly OidcCheck[]) => checks.every((check) => check.passed);

/** The ids of a run that a policy pins: those of the owner only, where it is for all repositories of the owner. */
export function idsFor({ repository }: Pick<PolicyTerms, "repository">, { ids }: PipelineRun): PinnedIds {
  return isForOwner(repository) ? { ownerId: ids.ownerId } : ids;
}

/** Orders policies that a run matches: the most specific one first, then the oldest. */
export function bySpecificity(a: OidcPolicyDoc, b: OidcPolicyDoc): number {
  const rank = ({ repository, environment }: OidcPolicyDoc) =>
    (isForOwner(repository) ? 2 : 0) + (environment ? 0 : 1);
  return rank(a) - rank(b) || (a._id < b._id ? -1 : 1);
}

const isForOwner = (repository: string) => repository.endsWith("/*");

function checkRepository({ repository }: PolicyTerms, run: PipelineRun): OidcCheck {
  const wanted = repository.toLowerCase();
  const passed = isForOwner(wanted)
    ? `${run.owner.toLowerCase()}/*` === wanted
    : run.repository.toLowerCase() === wanted;
  return { claim: "repository", passed, expected: repository, actual: run.repository };
}

function checkIds({ pinned, provider }: PolicyTerms, { ids }: PipelineRun): OidcCheck[] {
  if (!pinned) return [];
  const isGitHub = provider === "github";
  const [owner, repository] = isGitHub
    ? (["repository_owner_id", "repository_id"] as const)
    : (["namespace_id", "project_id"] as const);
  const check = (claim: string, expected: string, actual: string): OidcCheck => {
    const passed = expected === actual;
    const message =
      "The name belongs to another repository or owner than at the first exchange. " +
      "If you have created it anew, let the policy forget the former one.";
    return { claim, passed, expected, actual, ...(passed ? {} : { message }) };
  };
  const checks = [check(owner, pinned.ownerId, ids.ownerId)];
  if (pinned.repositoryId !== undefined)
    checks.push(check(repository, pinned.repositoryId, ids.repositoryId));
  return checks;
}

/** A filter that begins with `refs/` is for full names; others are for branches of GitLab by their short name. */
function checkRef({ ref, provider }: PolicyTerms, run: PipelineRun): OidcCheck {
  const isShort = provider === "gitlab" && ref !== "*" && !ref.startsWith("refs/");
  const actual = isShort ? run.branch : run.ref;
  const passed = actual !== undefined && matchesPattern(ref, actual);
  const isTag = isShort && run.branch === undefined;
  const message = `A short filter is for branches only. For this tag, use "${run.ref}".`;
  return {
    claim: "ref",
    passed,
    expected: ref,
    actual: actual ?? run.ref,
    ...(isTag ? { message } : {}),
  };
}

/** Code that is only proposed must not publish, unless the filter names proposals. */
function checkTrigger({ ref, provider }: PolicyTerms, run: PipelineRun): OidcCheck {
  const claim = provider === "github" ? "event_name" : "pipeline_source";
  if (run.isForeignTrigger) {
    const message =
      "Runs of pull_request_target are refused, since they can run code of a fork as the target branch.";
    return { claim, passed: false, actual: "pull_request_target", message };
  }
  const prefix = provider === "github" ? "refs/pull/" : "refs/merge-requests/";
  const passed = ref.startsWith(prefix);
  const message = `The run is for a proposed change. Only a ref filter that begins with "${prefix}" is for these.`;
  return { claim, passed, ...(passed ? {} : { message }) };
}

function checkEnvironment(expected: string, { environment }: PipelineRun): OidcCheck {
  const passed = environment === expected;
  const message = "Run the job in this environment.";
  return {
    claim: "environment",
    passed,
    expected,
    ...(environment === undefined ? {} : { actual: environment }),
    ...(passed ? {} : { message }),
  };
}

/** Whether a text matches a pattern, in which `*` stands for any characters. The time is linear in their product. */
export function matchesPattern(pattern: string, value: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!value.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return value === first;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}
