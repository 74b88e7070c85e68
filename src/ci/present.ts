import type { OidcPolicyPayload } from "../../contract/payloads/accounts/ci.ts";
import type { OidcPolicyDoc } from "../../storage/ci/oidc-policies.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { loadFolderView, visibleFolders } from "../folders/load.ts";
import { readableSkills } from "./policy-skills.ts";

/** Policies of one organization with the names of what they refer to, as far as the caller may see it. */
export async function presentPolicies(
  app: App,
  actor: Actor,
  policies: readonly OidcPolicyDoc[],
): Promise<OidcPolicyPayload[]> {
  const [first] = policies;
  if (!first) return [];
  const { tenantId } = first;
  const all = <T>(list: (policy: OidcPolicyDoc) => readonly T[]) => [...new Set(policies.flatMap(list))];
  const hasFolders = policies.some(({ allowedFolderIds }) => allowedFolderIds);
  const [creators, skills, view] = await Promise.all([
    app.storage.users.listByIds(all((policy) => [policy.createdBy])),
    readableSkills(
      app,
      actor,
      tenantId,
      all((policy) => policy.skillIds ?? []),
    ),
    hasFolders ? loadFolderView(app, actor, tenantId) : undefined,
  ]);
  const usernames = new Map(creators.map((user) => [user._id, user.username]));
  const slugs = new Map(skills.map((skill) => [skill._id, skill.slug]));
  const visible = view && visibleFolders(view);
  const pathOf = (id: string) => (visible?.has(id) ? view!.tree.path(id) : null);
  return policies.map((policy) => ({
    ...presentTerms(policy),
    ...(policy.allowedFolderIds
      ? {
          allowedFolderIds: policy.allowedFolderIds,
          allowedFolders: policy.allowedFolderIds.map((id) => ({ id, path: pathOf(id) })),
        }
      : {}),
    ...(policy.skillIds
      ? {
          skillIds: policy.skillIds,
          skills: policy.skillIds.map((id) => ({ id, slug: slugs.get(id) ?? null })),
        }
      : {}),
    createdBy: usernames.get(policy.createdBy) ?? null,
  }));
}

function presentTerms(policy: OidcPolicyDoc): Omit<OidcPolicyPayload, "createdBy"> {
  const { pinned, lastExchange } = policy;
  return {
    id: policy._id,
    name: policy.name,
    provider: policy.provider,
    issuer: policy.issuer,
    repository: policy.repository,
    ref: policy.ref,
    environment: policy.environment ?? undefined,
    events: policy.events ?? undefined,
    workflow: policy.workflow ?? undefined,
    protectedRef: policy.protectedRef ?? false,
    scopes: policy.scopes ?? undefined,
    enabled: policy.enabled,
    pinned: pinned ? { ...pinned, at: pinned.at.toISOString() } : undefined,
    lastExchange: lastExchange ? { ...lastExchange, at: lastExchange.at.toISOString() } : undefined,
    createdAt: policy.createdAt.toISOString(),
    updatedAt: policy.updatedAt.toISOString(),
  };
}
