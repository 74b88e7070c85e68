import type { IdentityPayload } from "../../contract/payloads/accounts.ts";
import type { InvitationDoc } from "../../storage/invitations.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { Account } from "../../storage/users.ts";
import type { UserActor } from "../access/actor.ts";

export interface InvitedTo {
  invitation: InvitationDoc;
  tenant: TenantDoc;
}

export function presentIdentity(
  user: Account,
  { memberships, withheld = [] }: Pick<UserActor, "memberships" | "withheld">,
  invitedTo: readonly InvitedTo[],
): IdentityPayload {
  return {
    id: user._id,
    username: user.username,
    name: user.name,
    email: user.email,
    emailVerified: user.emailVerifiedAt !== undefined,
    isAdministrator: user.isAdministrator,
    memberships: [...memberships, ...withheld]
      .filter((m) => !m.deletionAt)
      .sort((a, b) => (a.tenantSlug < b.tenantSlug ? -1 : 1))
      .map((m) => ({
        tenantId: m.tenantId,
        slug: m.tenantSlug,
        name: m.tenantName,
        ...(withheld.includes(m) ? { mfaRequired: true } : {}),
      })),
    pendingInvitations: invitedTo.map(({ invitation, tenant }) => ({
      id: invitation._id,
      organizationId: tenant._id,
      organizationName: tenant.name,
      organizationSlug: tenant.slug,
      expiresAt: invitation.expiresAt.toISOString(),
    })),
  };
}
