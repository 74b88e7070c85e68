/**
 * Trust policies of an organization. A policy gives its permissions to every pipeline that meets it, so only a person
 * who has these permissions creates or changes one. A change of anything but the name invalidates earlier tokens.
 */
import { limits } from "../../contract/limits.ts";
import type { OidcPolicyDoc } from "../../storage/ci/oidc-policies.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { hasAll } from "../audit/unchanged.ts";
import { invalidRequest, notFound, ServiceError } from "../errors.ts";
import { insertRecord, newRecord, updateRecord } from "../orgs/named-records.ts";
import { loadTenant } from "../orgs/service.ts";
import { requireTokenPermissions } from "../tokens/organization.ts";
import { requireUser } from "../users/load.ts";
import { requireRecentVerification } from "../users/recent-verification.ts";
import { foldName } from "../users/schema.ts";
import { chooseIssuer } from "./issuers.ts";
import { requireSkillAccess } from "./policy-skills.ts";
import { formFaults, type CreateOidcPolicy, type UpdateOidcPolicy } from "./schema.ts";

/** All policies, oldest first: there are at most `limits.oidcPolicies`. */
export async function listPolicies(app: App, actor: Actor, tenantRef: string): Promise<OidcPolicyDoc[]> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "oidc:manage");
  return app.storage.oidcPolicies.list(tenantId);
}

export async function findPolicy(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<OidcPolicyDoc> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "oidc:manage");
  return loadPolicy(app, tenantId, id);
}

/**
 * Throws `already_exists`, `limit_reached`, `refused` for an issuer, `not_found`, `forbidden` or
 * `reauthentication_required`.
 */
export async function createPolicy(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateOidcPolicy,
): Promise<OidcPolicyDoc> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "oidc:manage");
  requireRecentVerification(app, requireUser(actor), "trust pipelines", tenantId);
  const issuer = chooseIssuer(app, input.provider, input.issuer);
  await requireGivable(app, actor, tenantId, input);
  const event = makeEvent(app, actor, "oidc.policy_created", {
    tenantId,
    resourceType: "policy",
    resourceId: app.newId(),
    metadata: { ...input, issuer },
  });
  const record = { ...newRecord(app, actor, input.name, event), ...input, issuer, epoch: 0 };
  const { oidcPolicies } = app.storage;
  for (;;) {
    const slot = await freeSlot(app, tenantId);
    try {
      return await insertRecord<OidcPolicyDoc>(app, "policy", oidcPolicies, { ...record, slot });
    } catch (error) {
      // A concurrent call took this slot; each round finds at least one more slot in use, so the loop ends.
      if (!isDuplicate(error, "policy_slot")) throw error;
    }
  }
}

async function freeSlot(app: App, tenantId: string): Promise<number> {
  const limit = limits.oidcPolicies;
  const taken = new Set((await app.storage.oidcPolicies.list(tenantId)).map((policy) => policy.slot));
  const slot = Array.from({ length: limit }, (_, at) => at).find((at) => !taken.has(at));
  if (slot !== undefined) return slot;
  const message = `The organization has ${limit} trust policies, which is the limit: delete one first.`;
  throw new ServiceError("limit_reached", message, { kind: "policy", limit });
}

/** Throws `conflict` after a concurrent change, and what `createPolicy` throws. */
export async function updatePolicy(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  input: UpdateOidcPolicy,
): Promise<OidcPolicyDoc> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "oidc:manage");
  const user = requireUser(actor);
  const policy = await loadPolicy(app, tenantId, id);
  const [fault] = formFaults(policy.provider, input);
  if (fault) throw invalidRequest(`"${fault[0]}" ${fault[1]}.`);
  const { name, ...terms } = input;
  const isOnlyDisabled = Object.keys(terms).every((field) => field === "enabled") && terms.enabled !== true;
  if (!isOnlyDisabled) {
    requireRecentVerification(app, user, "trust pipelines", tenantId);
    await requireGivable(app, actor, tenantId, { ...(await remainingLimits(app, policy)), ...terms });
  }
  const event = makeEvent(app, actor, "oidc.policy_updated", {
    tenantId,
    resourceType: "policy",
    resourceId: id,
    metadata: { name: policy.name, changed: { ...input } },
  });
  const isSame = hasAll(policy, terms);
  const fields = {
    ...terms,
    ...(name === undefined ? {} : { name, nameKey: foldName(name) }),
    epoch: isSame ? undefined : policy.epoch + 1,
    changedBy: isSame ? undefined : [...new Set([...(policy.changedBy ?? []), user.userId])],
    // The ids belong to the previous name.
    ...(input.repository === undefined || input.repository === policy.repository ? {} : { pinned: null }),
  };
  return updateRecord(app, "policy", app.storage.oidcPolicies, policy, fields, event);
}

/**
 * Requires that the caller may give tokens these limits. Throws `forbidden`, or `not_found` for a folder or skill.
 */
async function requireGivable(app: App, actor: Actor, tenantId: string, given: Limits): Promise<void> {
  const { scopes, allowedFolderIds, skillIds } = given;
  const folders = allowedFolderIds ?? undefined;
  const token = { scopes: scopes ?? undefined, allowedFolderIds: folders };
  await requireTokenPermissions(app, actor, tenantId, token, "trust pipelines");
  await requireSkillAccess(app, actor, tenantId, skillIds ?? []);
}

type Limits = Pick<UpdateOidcPolicy, "scopes" | "allowedFolderIds" | "skillIds">;

/** The limits of a policy, without folders and skills that were deleted since. */
async function remainingLimits(app: App, policy: OidcPolicyDoc): Promise<Limits> {
  const [folders, skills] = await Promise.all([
    app.storage.folders.listByIds(policy.allowedFolderIds ?? []),
    app.storage.skills.listByIds(policy.skillIds ?? []),
  ]);
  return {
    scopes: policy.scopes,
    allowedFolderIds: folders.map(({ _id }) => _id),
    skillIds: skills.map(({ _id }) => _id),
  };
}

/** Deletes a policy: the tokens made by it end at their next request. */
export async function deletePolicy(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "oidc:manage");
  requireUser(actor);
  const { name } = await loadPolicy(app, tenantId, id);
  const event = makeEvent(app, actor, "oidc.policy_deleted", {
    tenantId,
    resourceType: "policy",
    resourceId: id,
    metadata: { name },
  });
  const { oidcPolicies } = app.storage;
  if (!(await oidcPolicies.markRemoved(id, app.now(), [event]))) throw notFound("policy", id);
  flushEvents(app, oidcPolicies, id, [event]);
}

async function loadPolicy(app: App, tenantId: string, id: string): Promise<OidcPolicyDoc> {
  const policy = isId(id) ? await app.storage.oidcPolicies.find(tenantId, id) : null;
  if (!policy) throw notFound("policy", id);
  return policy;
}
