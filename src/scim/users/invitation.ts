/** Invitations of provisioned users whom nothing but their own consent makes members. */
import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import { flushEvents } from "../../audit/events.ts";
import { forbidden } from "../../errors.ts";
import { invite } from "../../orgs/invitations/invite.ts";
import { loadUserActor } from "../../users/load.ts";
import { scimEvent, type ScimContext } from "../context.ts";
import { provisionedRole } from "./apply.ts";

/**
 * Invites an address in the name of an owner, unless it has an open invitation. Throws what `invite` throws, and
 * `forbidden` if no owner has a confirmed address.
 */
export async function inviteUser(
  { app, tenant, ipHash }: ScimContext,
  { email, emailKey }: Pick<ScimUserDoc, "email" | "emailKey">,
): Promise<void> {
  const pending = await app.storage.invitations.findPending(tenant._id, emailKey);
  if (pending && pending.expiresAt > app.now()) return;
  const owners = await app.storage.users.listByIds(tenant.ownerIds);
  const sender = owners.find(({ emailVerifiedAt, suspended }) => emailVerifiedAt && !suspended);
  const via = { kind: "session", sessionId: "" } as const;
  const origin = { ipHash, source: "api", client: "api" } as const;
  const actor = sender && (await loadUserActor(app, sender._id, via, origin));
  if (!actor)
    throw forbidden(
      "The person has to be invited, and no owner who could invite has a confirmed address. An owner confirms theirs, or verifies the domain.",
    );
  await invite(app, actor, tenant._id, { email, role: provisionedRole, teamIds: [], provisioned: true });
}

/** Revokes the open invitation of an address, if there is one. */
export async function revokeInvitationOf(context: ScimContext, emailKey: string): Promise<void> {
  const { app, tenant } = context;
  const { invitations } = app.storage;
  for (;;) {
    const pending = await invitations.findPending(tenant._id, emailKey);
    if (!pending) return;
    const event = scimEvent(context, "organization.invitation_revoked", {
      resourceType: "invitation",
      resourceId: pending._id,
      metadata: { email: pending.email, role: pending.role },
    });
    const end = { state: "revoked", endedAt: app.now() } as const;
    if (!(await invitations.end(pending._id, pending.revision, end, [event]))) continue;
    flushEvents(app, invitations, pending._id, [event]);
    return;
  }
}
