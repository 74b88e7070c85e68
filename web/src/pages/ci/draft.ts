/** A trust policy while it is edited. Pure. */
import type { Issuer, Policy, PolicyTerms } from "../../api/organization/ci.ts";
import type { Scopes } from "../../parts/tokens/scope-choice.tsx";
import type { Provider } from "./providers.ts";

export interface Draft {
  name: string;
  provider: Provider;
  issuer: string;
  repository: string;
  ref: string;
  environment: string;
  /** None: the default ones of the provider. */
  events: string[];
  workflow: string;
  protectedRef: boolean;
  /** Undefined: everything that an administrator may do. */
  scopes: Scopes | undefined;
  folderIds: string[] | undefined;
  skillIds: string[] | undefined;
}

/** Enough to publish new skills and versions. */
export const publishing: Scopes = { skill: ["read", "create", "update"] };

export function draftOf(policy: Policy | undefined, issuers: readonly Issuer[]): Draft {
  const [first] = issuers;
  return {
    name: policy?.name ?? "",
    provider: policy?.provider ?? first?.provider ?? "github",
    issuer: policy?.issuer ?? first?.issuer ?? "",
    repository: policy?.repository ?? "",
    ref: policy?.ref ?? "",
    environment: policy?.environment ?? "",
    events: policy?.events ?? [],
    workflow: policy?.workflow ?? "",
    protectedRef: policy?.protectedRef ?? false,
    scopes: policy ? policy.scopes : publishing,
    folderIds: policy?.allowedFolderIds,
    skillIds: policy?.skillIds,
  };
}

export function termsOf(draft: Draft): PolicyTerms {
  const environment = draft.environment.trim();
  const workflow = draft.workflow.trim();
  return {
    name: draft.name.trim(),
    repository: draft.repository.trim(),
    ref: draft.ref.trim(),
    environment: environment === "" ? null : environment,
    events: draft.events.length === 0 ? null : draft.events,
    workflow: workflow === "" ? null : workflow,
    protectedRef: draft.protectedRef,
    scopes: draft.scopes ?? null,
    allowedFolderIds: draft.folderIds ?? null,
    skillIds: draft.skillIds ?? null,
  };
}
