/**
 * Whether a run of a pipeline meets a trust policy. `sub` is never compared: its form differs between repositories and
 * can be configured by their owners.
 */
import type { OidcCheck } from "../../contract/payloads/accounts/ci.ts";
import { defaultCiEvents } from "../../contract/vocabulary.ts";
import type { OidcPolicyDoc, PinnedIds } from "../../storage/ci/oidc-policies.ts";
import { definitionName, isIn, parseWorkflow, type PipelineDefinition } from "./pipeline-definition.ts";
import type { PipelineRun } from "./pipeline-run.ts";
import { untrustedEvent, untrustedEventProblem } from "./schema.ts";

export type PolicyTerms = Pick<
  OidcPolicyDoc,
  | "provider"
  | "issuer"
  | "repository"
  | "ref"
  | "environment"
  | "events"
  | "workflow"
  | "protectedRef"
  | "pinned"
  | "enabled"
>;

/** The checks of a policy, in their order; the run matches if all have passed. */
export function checkPolicy(policy: PolicyTerms, run: PipelineRun): OidcCheck[] {
  const checks: OidcCheck[] = [
    {
      claim: "policy",
      passed: policy.enabled,
      message: policy.enabled ? undefined : "The trust policy is disabled.",
    },
    { claim: "iss", passed: run.issuer === policy.issuer, expected: policy.issuer, actual: run.issuer },
    checkRepository(policy, run),
    ...checkIds(policy, run),
    checkRef(policy, run),
    checkEvent(policy, run),
    ...checkDefinitions(policy, run),
  ];
  if (policy.protectedRef) checks.push(checkProtection(run));
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
  const rank = ({ repository, environment, workflow }: OidcPolicyDoc) =>
    (isForOwner(repository) ? 4 : 0) + (environment ? 0 : 2) + (workflow ? 0 : 1);
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
      "If you have created it anew, let the policy forget the previous one.";
    return { claim, passed, expected, actual, message: passed ? undefined : message };
  };
  const checks = [check(owner, pinned.ownerId, ids.ownerId)];
  if (pinned.repositoryId !== undefined)
    checks.push(check(repository, pinned.repositoryId, ids.repositoryId));
  return checks;
}

/** Beginnings of refs whose changes are only proposed: a filter must have the same one. */
const proposedRefs = ["refs/pull/", "refs/merge-requests/", "refs/heads/gh-readonly-queue/"];

/** A filter that begins with `refs/` is for full names; others are for branches of GitLab by their short name. */
function checkRef({ ref, provider }: PolicyTerms, run: PipelineRun): OidcCheck {
  const isShort = provider === "gitlab" && ref !== "*" && !ref.startsWith("refs/");
  const actual = isShort ? run.branch : run.ref;
  const check = { claim: "ref", expected: ref, actual: actual ?? run.ref };
  if (actual === undefined) {
    const message = `A short filter is for branches only. For this tag, use "${run.ref}".`;
    return { ...check, passed: false, message };
  }
  const proposed = proposedRefs.find((start) => run.ref.startsWith(start));
  if (proposed !== undefined && !ref.startsWith(proposed)) {
    const message = `Changes at this ref are only proposed. A filter for such refs begins with "${proposed}".`;
    return { ...check, passed: false, message };
  }
  return { ...check, passed: matchesPattern(ref, actual) };
}

function checkEvent({ events, provider }: PolicyTerms, { event }: PipelineRun): OidcCheck {
  const allowed = events ?? defaultCiEvents[provider];
  const claim = provider === "github" ? "event_name" : "pipeline_source";
  const check = { claim, expected: allowed.join(", "), actual: event };
  if (event === undefined)
    return {
      ...check,
      passed: false,
      message: `The token has no claim "${claim}", so what started it is unknown.`,
    };
  if (event === untrustedEvent) return { ...check, passed: false, message: untrustedEventProblem };
  if (allowed.includes(event)) return { ...check, passed: true };
  const message =
    `The policy does not accept runs that "${event}" starts. ` +
    "Name the event in the policy if only reviewed code can run by it.";
  return { ...check, passed: false, message };
}

/** A definition in another repository was not reviewed with the code of this one, so a policy has to name it. */
function checkDefinitions({ workflow, provider }: PolicyTerms, run: PipelineRun): OidcCheck[] {
  const { repository: own, definitions } = run;
  const claim = provider === "github" ? "workflow" : "ci_config_ref_uri";
  const isNamed = (definition: PipelineDefinition) => {
    if (!workflow) return false;
    const wanted = parseWorkflow(provider, workflow, own);
    const isSame = isIn(definition, wanted.repository) && definition.file === wanted.file;
    return isSame && matchesPattern(wanted.ref, definition.ref);
  };
  const foreign = definitions.find((definition) => !isIn(definition, own) && !isNamed(definition));
  const check = { claim, expected: workflow ?? `a file of ${own}` };
  if (foreign) {
    const name = definitionName(provider, foreign, own);
    const message = `The job is defined in another repository. To trust it, name "${name}" as the workflow file.`;
    return [{ ...check, passed: false, actual: name, message }];
  }
  if (!workflow) return [];
  const names = definitions.map((one) => `${definitionName(provider, one, own)}@${one.ref}`);
  const actual = names.length > 0 ? names.join(", ") : undefined;
  if (definitions.some(isNamed)) return [{ ...check, passed: true, actual }];
  return [{ ...check, passed: false, actual, message: "Run the job by the workflow file of the policy." }];
}

function checkProtection({ isRefProtected, ref }: PipelineRun): OidcCheck {
  const message = `"${ref}" is not a protected branch or tag. Protect it at the provider.`;
  return {
    claim: "ref_protected",
    passed: isRefProtected,
    expected: "true",
    actual: String(isRefProtected),
    message: isRefProtected ? undefined : message,
  };
}

function checkEnvironment(expected: string, { environment }: PipelineRun): OidcCheck {
  const passed = environment === expected;
  const message = "Run the job in this environment.";
  return {
    claim: "environment",
    passed,
    expected,
    actual: environment,
    message: passed ? undefined : message,
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
