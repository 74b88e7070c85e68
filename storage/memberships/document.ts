/** Document of a membership, and its indexes. */
import type { WithOutbox } from "../outbox.ts";
export interface MembershipDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** Copy of the organization's slug: every request reads the memberships of its caller. */
  tenantSlug: string;
  tenantName: string;
  /** Time at which the deleted organization is erased; until then the membership gives almost no access. */
  tenantDeletionAt?: Date;
  tenantMaxTokenDays?: number;
  /** Set if new versions may have to wait for a review in the organization. */
  tenantReviews?: true;
  /** Time from which the organization requires a second factor. */
  tenantFactorFrom?: Date;
  /** Identity providers of which the organization enforces one. */
  tenantSsoProviderIds?: string[];
  /** The last sign-in through a provider of the organization. */
  sso?: { providerId: string; at: Date };
  userId: string;
  /** Copy of the user's name, for lists. */
  username: string;
  /** Keys for searches by prefix: the username, and the folded name from the beginning of each word. */
  nameKeys: string[];
  /** A built-in role, or the id of a custom one. */
  role: string;
  teamIds: string[];
  /** Number of changes to the member's access; a change names the revision that its writer has read. */
  revision: number;
  active?: true;
  /** Set until the organization exists; such a membership does not count. */
  pending?: true;
  /**
   * Since when an owner is being added to the organization's `ownerIds`: the role can't be changed until that is done.
   */
  enlisting?: Date;
  createdAt: Date;
  removedAt?: Date;
}

/** Condition of a membership that counts: it is not ended, and its organization exists. */
export const counting = { active: true, pending: { $exists: false } } as const;
