/**
 * Owners of an organization that enforces an identity provider can use their own second factor, so that a provider
 * which is down locks no organization out. Each use gives access for a day (`users/requirements.ts`), and is an event
 * and a mail to all owners: there is no access by it without its record.
 */
import { limits } from "../../contract/limits.ts";
import type { BreakGlass, SignInMethod, SsoProof } from "../../storage/credentials/sessions.ts";
import type { MembershipDoc } from "../../storage/memberships/memberships.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Account } from "../../storage/users/users.ts";
import type { Origin } from "../access/actor.ts";
import { ownerRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { mailOwners } from "../orgs/owner-mails.ts";

/** The proofs of a session at the time of a sign-in or verification. */
interface Proofs {
  methods: readonly SignInMethod[];
  sso?: readonly SsoProof[];
  breakGlass?: readonly BreakGlass[];
}

/** Uses with their events, both to be stored with the session; none for almost all sign-ins. */
export interface NotedUses {
  events: EventRow[];
  uses: BreakGlass[];
}

/**
 * The uses that a sign-in or verification by a second factor begins: those for which the session has neither a sign-in
 * by the provider nor a use that counts. The mails are stored before, so that a crash can't lose them.
 */
export async function noteBreakGlass(
  app: App,
  user: Account,
  origin: Origin,
  { methods, sso = [], breakGlass = [] }: Proofs,
): Promise<NotedUses> {
  // Without a second factor, the sign-in gives no access to such an organization.
  if (!user.hasFactor || methods.includes("sso")) return { events: [], uses: [] };
  const at = app.now();
  const since = (ms: number) => at.getTime() - ms;
  const hasPassed = ({ tenantId, tenantSsoProviderIds = [] }: MembershipDoc) =>
    breakGlass.some((one) => one.tenantId === tenantId && one.at.getTime() > since(limits.breakGlassMs)) ||
    sso.some(
      (one) =>
        one.tenantId === tenantId &&
        tenantSsoProviderIds.includes(one.providerId) &&
        one.at.getTime() > since(limits.ssoSessionMs),
    );
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
  return { events, uses: used.map(({ tenantId }) => ({ tenantId, at })) };
}
