import type { IdentityPayload } from "../../contract/payloads/accounts.ts";
import type { InvitationDoc } from "../../storage/invitations.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { Account } from "../../storage/users.ts";
import type { Membership } from "../access/actor.ts";

export interface InvitedTo {
  invitation: InvitationDoc;
  tenant: TenantDoc;
}

export function presentIdentity(
  user: Account,
  memberships: readonly Membership[],
  invitedTo: readonly InvitedTo[],
): IdentityPayload {
  return {
    id: user._id,
    username: user.username,
    name: user.name,
    email: user.email,
    emailVerified: user.emailVerifiedAt !== undefined,
    isAdministrator: user.isAdministrator,
    memberships: memberships
      .filter((m) => !m.deletionAt)
      .map((m) => ({ tenantId: m.tenantId, slug: m.tenantSlug, name: m.tenantName })),
    pendingInvitations: invitedTo.map(({ invitation, tenant }) => ({
      id: invitation._id,
      organizationId: tenant._id,
      organizationName: tenant.name,
      organizationSlug: tenant.slug,
      expiresAt: invitation.expiresAt.toISOString(),
    })),
  };
}
