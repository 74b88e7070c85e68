/** Document of a membership, and its indexes. */
import type { IndexDescription } from "mongodb";
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
  /** Time from which the organization requires a second factor. */
  tenantFactorFrom?: Date;
  /** Identity providers of which the organization enforces one. */
  tenantSsoProviderIds?: string[];
  /** The last sign-in by a provider of the organization. */
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

const onlyActive = { partialFilterExpression: { active: true } };

export const membershipIndexes: IndexDescription[] = [
  { key: { tenantId: 1, userId: 1 }, unique: true, name: "membership_active", ...onlyActive },
  { key: { userId: 1 } },
  { key: { tenantId: 1, active: 1, username: 1, _id: 1, nameKeys: 1 }, name: "membership_list" },
  { key: { tenantId: 1, teamIds: 1, active: 1, username: 1, _id: 1 }, name: "membership_team" },
  { key: { tenantId: 1, role: 1, active: 1 }, name: "membership_role" },
  {
    key: { tenantId: 1, role: 1, active: 1, username: 1, _id: 1, nameKeys: 1 },
    name: "membership_role_list",
  },
  { key: { pendingSince: 1 }, sparse: true },
  { key: { removedAt: 1 }, sparse: true },
];

/** Condition of a membership that counts: it is not ended, and its organization exists. */
export const counting = { active: true, pending: { $exists: false } } as const;
