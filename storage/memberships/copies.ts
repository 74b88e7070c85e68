/** Copies of fields of organizations, users and teams in their memberships. */
import type { Collection } from "mongodb";
import type { MembershipDoc } from "./document.ts";
/** Whether new versions may have to wait for a review in an organization. */
export const hasReviewRules = ({ reviewRules = {} }: { reviewRules?: object }): boolean =>
  Object.keys(reviewRules).length > 0;

/** Fields of an organization that its memberships copy. */
interface FollowedTenant {
  _id: string;
  slug: string;
  name: string;
  deletionAt?: Date;
  maxTokenDays?: number;
  mfaRequirement?: { from: Date };
  ssoProviderIds?: string[];
  reviewRules?: object;
}

export function copyOperations(memberships: Collection<MembershipDoc>) {
  return {
    /** Copies an organization's names, requirements and deletion, and activates pending memberships. */
    async follow(tenant: FollowedTenant): Promise<void> {
      const { slug, name, deletionAt, maxTokenDays, mfaRequirement, ssoProviderIds = [] } = tenant;
      const hasReviews = hasReviewRules(tenant);
      await memberships.updateMany(
        { tenantId: tenant._id },
        {
          $set: {
            tenantSlug: slug,
            tenantName: name,
            ...(deletionAt ? { tenantDeletionAt: deletionAt } : {}),
            ...(maxTokenDays === undefined ? {} : { tenantMaxTokenDays: maxTokenDays }),
            ...(mfaRequirement ? { tenantFactorFrom: mfaRequirement.from } : {}),
            ...(ssoProviderIds.length > 0 ? { tenantSsoProviderIds: ssoProviderIds } : {}),
            ...(hasReviews ? { tenantReviews: true as const } : {}),
          },
          $unset: {
            pending: true,
            ...(deletionAt ? {} : { tenantDeletionAt: true }),
            ...(maxTokenDays === undefined ? { tenantMaxTokenDays: true } : {}),
            ...(mfaRequirement ? {} : { tenantFactorFrom: true }),
            ...(ssoProviderIds.length > 0 ? {} : { tenantSsoProviderIds: true }),
            ...(hasReviews ? {} : { tenantReviews: true }),
          },
        },
      );
    },
    /** Has publishes of members look for review rules, before the organization has one. */
    async expectReviews(tenantId: string): Promise<void> {
      await memberships.updateMany({ tenantId }, { $set: { tenantReviews: true } });
    },
    /** Copies a user's current names. */
    async propagateUser(userId: string, names: Pick<MembershipDoc, "username" | "nameKeys">): Promise<void> {
      await memberships.updateMany(
        { userId },
        { $set: { username: names.username, nameKeys: names.nameKeys } },
      );
    },
    /** Removes a deleted team from all members. */
    async dropTeam(tenantId: string, teamId: string): Promise<void> {
      await memberships.updateMany({ tenantId, teamIds: teamId }, { $pull: { teamIds: teamId } });
    },
  };
}
