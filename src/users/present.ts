import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { InvitationDoc } from "../../storage/organizations/invitations.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Account } from "../../storage/users/users.ts";
import type { UserActor, WithheldMembership } from "../access/actor.ts";

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
        ...presentLack(withheld.find((one) => one === m)),
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

function presentLack(membership: WithheldMembership | undefined) {
  if (!membership) return {};
  const { lack, tenantSlug: slug } = membership;
  if (lack === "factor") return { mfaRequired: true } as const;
  return lack === "sso" ? { ssoRequired: `/sso/${slug}` } : ({ confirmationRequired: true } as const);
}
