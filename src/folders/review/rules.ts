/** Review rules: whether new versions in a folder, or in the organization's root, wait for approvals. */
import { limits } from "../../../contract/limits.ts";
import type { ReviewRulePayload } from "../../../contract/payloads/skills/reviews.ts";
import type { ReviewRule, TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import { mayManageGrants } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, forbidden, invalidRequest, notFound } from "../../errors.ts";
import { propagateTenantSoon } from "../../orgs/propagate.ts";
import { loadTenant } from "../../orgs/service.ts";
import { accessContextIn, isVisible, loadFolderView, type FolderView } from "../load.ts";
import type { FolderTree } from "../tree/tree.ts";
import { loadTree } from "../tree/trees.ts";

/** Name of the root's rule, in addresses and documents. */
const root = "root";

type Ruled = Pick<TenantDoc, "reviewRules">;

/** The rule of the deepest folder around a place that has one, else that of the root; null is the root. */
export function ruleIn({ reviewRules }: Ruled, tree: FolderTree, folderId: string | null) {
  if (!reviewRules) return undefined;
  const around = folderId === null ? [] : tree.ancestry(folderId).map(({ _id }) => _id);
  const place = [...around, root].find((id) => reviewRules[id]);
  return place === undefined ? undefined : { place, rule: reviewRules[place]! };
}

/** The rule for the skills of a place of an organization. Reads nothing else where there are no rules. */
export async function findReviewRule(
  app: App,
  tenantId: string,
  folderId: string | null,
): Promise<ReviewRule | undefined> {
  const tenant = await app.storage.tenants.find(tenantId);
  if (!tenant?.reviewRules) return undefined;
  return ruleIn(tenant, await loadTree(app, tenantId), folderId)?.rule;
}

/**
 * Throws `forbidden` for a move between places with different rules by a caller who may not review: content could
 * otherwise change without a review.
 */
export function checkMayLeaveReview(
  tenant: Ruled | null,
  { tree }: FolderView,
  from: string | null,
  to: string | null,
  mayReview: boolean,
): void {
  if (!tenant?.reviewRules || mayReview) return;
  const [before, after] = [ruleIn(tenant, tree, from), ruleIn(tenant, tree, to)];
  if (before?.place === after?.place) return;
  throw forbidden(
    `New versions wait for a review ${before ? "where it is" : "there"}: the move needs skill: review.`,
    { kind: "folder", ref: to ?? "/" },
  );
}

/** Rules of the folders that the actor may see, the root's first. */
export async function listReviewRules(app: App, actor: Actor, ref: string): Promise<ReviewRulePayload[]> {
  const tenant = await loadTenant(app, actor, ref, "member");
  return present(app, tenant, await loadFolderView(app, actor, tenant._id));
}

/** Sets the rule of a folder, or of the root; null removes it. */
export async function setReviewRule(
  app: App,
  actor: Actor,
  ref: string,
  folder: string,
  rule: ReviewRule | null,
): Promise<ReviewRulePayload[]> {
  const tenant = await loadTenant(app, actor, ref, "member");
  const view = await loadFolderView(app, actor, tenant._id);
  const { tree } = view;
  if (folder !== root && (!tree.get(folder) || !isVisible(view, folder))) throw notFound("folder", folder);
  const context = accessContextIn(tree, actor, folder === root ? null : folder);
  if (!mayManageGrants(actor, tenant._id, context ?? { folderIds: [], restriction: null }))
    throw forbidden("A review rule needs folder: manageAcl, or a manager grant on the folder.", {
      kind: "folder",
      ref: folder,
    });
  const ruled = Object.keys(tenant.reviewRules ?? {});
  const left = ruled.filter((id) => id !== root && !tree.get(id));
  if (rule && !ruled.includes(folder) && ruled.length - left.length >= limits.reviewRules)
    throw new ServiceError(
      "limit_reached",
      `An organization has at most ${limits.reviewRules} review rules.`,
    );
  if (rule?.teamIds) {
    const teams = await app.storage.teams.listByIds(rule.teamIds);
    const known = teams.filter(({ tenantId }) => tenantId === tenant._id).map(({ _id }) => _id);
    const unknown = rule.teamIds.find((id) => !known.includes(id));
    if (unknown !== undefined) throw invalidRequest(`The organization has no team "${unknown}".`);
  }
  const event = makeEvent(app, actor, "organization.review_rule_changed", {
    tenantId: tenant._id,
    resourceType: folder === root ? "organization" : "folder",
    resourceId: folder === root ? tenant._id : folder,
    metadata: { path: folder === root ? "/" : tree.path(folder), ...(rule ?? { removed: true }) },
  });
  // A rule is in effect once it is written, however long the propagation takes and if it is interrupted.
  if (rule && ruled.length === 0) await app.storage.memberships.expectReviews(tenant._id);
  // Those of deleted folders have no effect, and go with this write.
  const removed = rule ? left : [...left, folder];
  const updated = await app.storage.tenants.change(tenant._id, {
    ...(rule && { set: { [`reviewRules.${folder}`]: rule } }),
    ...(removed.length > 0 && { unset: removed.map((id) => `reviewRules.${id}`) }),
    now: app.now(),
    events: [event],
  });
  if (!updated) throw notFound("organization", ref);
  await propagateTenantSoon(app, updated, [event]);
  return present(app, updated, view);
}

/** Takes a deleted team out of the rules. Where it was the only one, every reviewer may decide. */
export async function dropTeam(app: App, tenantId: string, teamId: string): Promise<void> {
  const tenant = await app.storage.tenants.find(tenantId);
  const rules = Object.entries(tenant?.reviewRules ?? {}).filter(([, rule]) =>
    rule.teamIds?.includes(teamId),
  );
  if (rules.length === 0) return;
  const pull = Object.fromEntries(rules.map(([id]) => [`reviewRules.${id}.teamIds`, teamId]));
  await app.storage.tenants.change(tenantId, { pull, now: app.now() });
}

async function present(
  app: App,
  { reviewRules = {} }: TenantDoc,
  view: FolderView,
): Promise<ReviewRulePayload[]> {
  const { tree } = view;
  const entries = Object.entries(reviewRules).filter(
    ([id]) => id === root || (tree.get(id) !== undefined && isVisible(view, id)),
  );
  const teams = await app.storage.teams.listByIds(entries.flatMap(([, { teamIds = [] }]) => teamIds));
  const names = new Map(teams.map(({ _id, name }) => [_id, name]));
  return entries
    .map(([id, { approvals, teamIds }]) => ({
      folderId: id === root ? null : id,
      path: id === root ? "/" : tree.path(id),
      approvals,
      teams: (teamIds?.length ? teamIds : undefined)?.map((teamId) => ({
        id: teamId,
        name: names.get(teamId) ?? teamId,
      })),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
