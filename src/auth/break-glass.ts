/**
 * Owners of an organization that enforces an identity provider can sign in with their own second factor, so that a
 * provider which is down locks no organization out. Each use is an event, and a mail to all owners.
 */
import type { EventRow } from "../../storage/outbox.ts";
import type { MembershipDoc } from "../../storage/memberships.ts";
import type { SignInMethod, SsoProof } from "../../storage/sessions.ts";
import type { Account } from "../../storage/users.ts";
import type { Origin } from "../access/actor.ts";
import { ownerRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { mailOwners } from "../orgs/owner-mails.ts";

/**
 * The events of a sign-in, to be stored with its session; empty for almost all. The mails are stored before, so that a
 * crash can't lose them.
 */
export async function noteBreakGlass(
  app: App,
  user: Account,
  origin: Origin,
  { methods, sso = [] }: { methods: readonly SignInMethod[]; sso?: readonly SsoProof[] | undefined },
): Promise<EventRow[]> {
  // Without a second factor, the sign-in gives no access to such an organization.
  if (!user.hasFactor || methods.includes("sso")) return [];
  const hasPassed = ({ tenantId, tenantSsoProviderIds = [] }: MembershipDoc) =>
    sso.some((one) => one.tenantId === tenantId && tenantSsoProviderIds.includes(one.providerId));
  const rows = await app.storage.memberships.listOfUser(user._id);
  const used = rows.filter(
    (row) => row.role === ownerRole && row.tenantSsoProviderIds?.length && !hasPassed(row),
  );
  const events: EventRow[] = [];
  for (const { tenantId, tenantSlug } of used) {
    const event = makeSystemEvent(app, "sso.break_glass_used", {
      tenantId,
      resourceType: "user",
      resourceId: user._id,
      metadata: { username: user.username, methods: [...methods] },
    });
    const by = { type: "user", id: user._id, name: user.username } as const;
    events.push({ ...event, userId: user._id, actor: by, ipHash: origin.ipHash });
    const about = { slug: tenantSlug, text: user.username };
    await mailOwners(app, tenantId, "sso-break-glass", { id: event._id, organization: about });
  }
  return events;
}
