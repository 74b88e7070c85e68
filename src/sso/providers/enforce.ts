/** The enforcement of a provider: members other than owners have to sign in through it (`users/requirements.ts`). */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { mailOwners } from "../../orgs/owner-mails.ts";
import { propagateTenantSoon } from "../../orgs/propagate.ts";
import { requireUser } from "../../users/load.ts";
import { hasPassedFactor } from "../../users/requirements.ts";
import { isEnforced, type LoadedProvider } from "./load.ts";

/**
 * Begins or ends the enforcement. Throws `refused` for a provider that is disabled or has had no success with its
 * current connection, or for a caller without a second factor, which is an owner's access while the provider is down;
 * and `domain_unverified`.
 */
export async function setEnforcement(
  app: App,
  actor: Actor,
  { tenant, provider }: LoadedProvider,
  enforced: boolean,
): Promise<TenantDoc> {
  if (isEnforced(tenant, provider._id) === enforced) return tenant;
  if (enforced) await requireUsable(app, actor, { tenant, provider });
  const event = makeEvent(app, actor, "sso.provider_updated", {
    tenantId: tenant._id,
    resourceType: "provider",
    resourceId: provider._id,
    metadata: { name: provider.name, changed: { enforced } },
  });
  if (enforced) await keepAccess(app, actor, tenant._id);
  else await mailSsoChange(app, actor, { tenant, provider }, event._id, "enforcement");
  const { tenants } = app.storage;
  const updated = await tenants.change(tenant._id, {
    addToSet: enforced ? { ssoProviderIds: provider._id } : undefined,
    pull: enforced ? undefined : { ssoProviderIds: provider._id },
    now: app.now(),
    events: [event],
  });
  if (!updated) throw notFound("team", tenant.slug);
  await propagateTenantSoon(app, updated, [event]);
  return updated;
}

/** The owner who begins the enforcement has passed a second factor, and would else have to confirm at once. */
async function keepAccess(app: App, actor: Actor, tenantId: string): Promise<void> {
  const { userId, via, account } = requireUser(actor);
  if (via.kind === "session" && account && hasPassedFactor(account, via))
    await app.storage.sessions.addBreakGlass(via.sessionId, userId, { tenantId, at: app.now() });
}

/**
 * A mail to all owners: what members have to prove changes, which one owner must not do without the others' knowledge.
 */
export async function mailSsoChange(
  app: App,
  actor: Actor,
  { tenant, provider }: LoadedProvider,
  id: string,
  change: "enforcement" | "connection",
): Promise<void> {
  const { username } = requireUser(actor);
  const named = `the identity provider "${provider.name}"`;
  const text =
    change === "enforcement"
      ? `"${username}" has ended the requirement that members of "${tenant.slug}" sign in through ${named}.`
      : `"${username}" has changed the connection to ${named}, by which members of "${tenant.slug}" have to sign in.`;
  await mailOwners(app, tenant._id, "sso-changed", { id, organization: { slug: tenant.slug, text } });
}

async function requireUsable(app: App, actor: Actor, { tenant, provider }: LoadedProvider): Promise<void> {
  if (!provider.enabled) throw refused("Enable the provider before you enforce it.");
  if (!provider.testedAt)
    throw refused(
      "No one has signed in with the current connection of this provider. Run a test sign-in first.",
    );
  if (!requireUser(actor).account?.hasFactor)
    throw refused(
      "Add a second factor to your own account first: with it, owners can sign in while the provider is down.",
    );
  if (!(await app.storage.ssoDomains.hasVerified(tenant._id)))
    throw new ServiceError(
      "domain_unverified",
      "The organization has no verified domain, so its members could not be matched: verify one first.",
      { kind: "provider" },
    );
}

const refused = (message: string) => new ServiceError("refused", message, { kind: "provider" });
