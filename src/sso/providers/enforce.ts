/** The enforcement of a provider: members other than owners have to sign in by it (`users/requirements.ts`). */
import type { TenantDoc } from "../../../storage/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { propagateTenantSoon } from "../../orgs/propagate.ts";
import { requireUser } from "../../users/load.ts";
import { isEnforced, type LoadedProvider } from "./load.ts";

/**
 * Begins or ends the enforcement. Throws `refused` for a provider that is disabled or has had no success with its
 * present connection, or for a caller without a second factor, which is an owner's access while the provider is down;
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
  const { tenants } = app.storage;
  const updated = await tenants.enforceProvider(tenant._id, provider._id, enforced, app.now(), [event]);
  if (!updated) throw notFound("team", tenant.slug);
  await propagateTenantSoon(app, updated, [event]);
  return updated;
}

async function requireUsable(app: App, actor: Actor, { tenant, provider }: LoadedProvider): Promise<void> {
  if (!provider.enabled) throw refused("Enable the provider before you enforce it.");
  if (!provider.testedAt)
    throw refused(
      "No one has signed in with the present connection of this provider. Run a test sign-in first.",
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
