import type { IdentityPayload } from "../../contract/payloads.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Account } from "../../storage/users.ts";
import type { Membership } from "../access/actor.ts";
import type { AuditEntryPayload } from "./schema.ts";

export function presentIdentity(user: Account, memberships: readonly Membership[]): IdentityPayload {
  return {
    id: user._id,
    username: user.username,
    name: user.name,
    email: user.email,
    isAdministrator: user.isAdministrator,
    memberships: memberships
      .filter((m) => !m.deletionAt)
      .map((m) => ({ tenantId: m.tenantId, slug: m.tenantSlug, name: m.tenantName })),
    pendingInvitations: [],
  };
}

export function presentAuditEntry(event: EventRow): AuditEntryPayload {
  return {
    id: event._id,
    action: event.name,
    actor: event.actor,
    resourceType: event.resourceType,
    resourceId: event.resourceId,
    metadata: event.metadata,
    ...(event.ipHash === undefined ? {} : { ip: event.ipHash }),
    createdAt: event.createdAt.toISOString(),
  };
}
