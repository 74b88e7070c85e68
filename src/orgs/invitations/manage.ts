/** Open invitations of an organization, for members who manage them: list and revoke. */
import { isId } from "../../../storage/database.ts";
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { notFound } from "../../errors.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { type Page } from "../../http/route.ts";
import { permissionsOfOffer, requirePermissions } from "../permission-checks.ts";
import { IdCursor, type ListQuery } from "../schema.ts";
import { loadTenant } from "../service.ts";

/** A page of the open invitations, newest first, including recently expired ones. */
export async function listInvitations(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ListQuery,
): Promise<Page<InvitationDoc>> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  const [after] = decodeCursor(input.cursor, IdCursor) ?? [];
  const rows = await app.storage.invitations.list(tenant._id, after, input.limit + 1);
  return pageOf(rows, input.limit, (last) => [last._id]);
}

export async function readInvitation(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<InvitationDoc> {
  const { _id } = await loadTenant(app, actor, tenantRef, "member:invite");
  return loadOpen(app, _id, id);
}

async function loadOpen(app: App, tenantId: string, id: string): Promise<InvitationDoc> {
  const invitation = isId(id) ? await app.storage.invitations.find(id) : null;
  if (invitation?.tenantId !== tenantId || !invitation.pending) throw notFound("invitation", id);
  return invitation;
}

/** Revokes an open invitation: from this write on its link is invalid. */
export async function revokeInvitation(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:invite");
  for (;;) {
    const invitation = await loadOpen(app, tenant._id, id);
    requirePermissions(
      actor,
      tenant._id,
      await permissionsOfOffer(app, invitation),
      "revoke this invitation",
    );
    const event = makeEvent(app, actor, "organization.invitation_revoked", {
      tenantId: tenant._id,
      resourceType: "invitation",
      resourceId: id,
      metadata: { email: invitation.email, role: invitation.role },
    });
    const end = { state: "revoked", endedAt: app.now() } as const;
    if (!(await app.storage.invitations.end(id, invitation.revision, end, [event]))) continue;
    const { emailKey } = invitation;
    await app.storage.scimUsers.noteInvitationEnded(tenant._id, emailKey, "revoked", app.now());
    flushEvents(app, app.storage.invitations, id, [event]);
    return;
  }
}
