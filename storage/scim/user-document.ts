/** Document of a provisioned user, and its indexes. */
import type { WithOutbox } from "../outbox.ts";

/** A value of an attribute: of a simple one, of a complex one by its sub-attributes, or a list of either. */
export type ScimValue = string | boolean | { [name: string]: ScimValue } | ScimValue[];

export interface ScimUserDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  userName: string;
  /** Folded for comparison: unique in the organization. */
  userNameKey: string;
  /** Id at the identity provider. Entra ID takes it from a name that several people can have. */
  externalId?: string;
  /** Whether the user has a membership; false while the person has not accepted the invitation. */
  active: boolean;
  /** Address by which the account is found. */
  email: string;
  emailKey: string;
  /** All addresses, folded. */
  emailKeys: string[];
  /** All other attributes, by names of the schema only. */
  attributes: { [name: string]: ScimValue };
  /** The linked account. */
  userId?: string;
  /** The account was or is to be created for this user under `userId`, in a verified domain. */
  createsAccount?: true;
  /** The identity provider has activated the user, whose person has to accept an invitation to the organization. */
  invited?: true;
  /** Why the person has to: the domain is not verified, or the account has not confirmed the address. */
  inviteReason?: "domain" | "account";
  /** The person has declined the invitation, or a member has revoked it: it is not sent again automatically. */
  invitationEnded?: "declined" | "revoked";
  /** Role and teams of the membership that was ended. */
  restore?: { role: string; teamIds: string[] };
  /** Copy of the groups that have this user as a member; the id of a group is that of its team. */
  teamIds: string[];
  /** Number of changes, which is also the entity tag. */
  revision: number;
  /** Absent once it was deleted. */
  present?: true;
  createdAt: Date;
  updatedAt: Date;
}
