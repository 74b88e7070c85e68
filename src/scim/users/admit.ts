/** Users who were invited because the domain of their address was not verified become members once it is. */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { App } from "../../app.ts";
import { systemContext } from "../context.ts";
import { attributesOf, fieldsOf } from "./attributes.ts";
import { changeOnce } from "./change.ts";
import { isVerifiedDomain } from "./domains.ts";

const batch = 100;

/**
 * Reevaluates the invited users of an organization; people who have declined are skipped. May run twice. The
 * reconcile job queues it until it has run for each verified domain.
 */
export async function admitInvited(app: App, { tenantId }: { tenantId: string }): Promise<void> {
  const { tenants, scimProviders, ssoDomains } = app.storage;
  const [tenant, provider, domains] = await Promise.all([
    tenants.find(tenantId),
    scimProviders.findOfTenant(tenantId),
    ssoDomains.list(tenantId),
  ]);
  // A deletion may be cancelled.
  if (!tenant || tenant.deletionAt || tenant.erasing) return;
  if (provider?.enabled) await admitAll(app, tenant, provider._id);
  for (const { _id, followUpSince } of domains)
    if (followUpSince) await ssoDomains.finishFollowUp(_id, followUpSince);
}

async function admitAll(app: App, tenant: TenantDoc, providerId: string): Promise<void> {
  const { _id: tenantId } = tenant;
  const { scimUsers } = app.storage;
  for (let after: string | undefined; ;) {
    const page = await scimUsers.listInvited(tenantId, after, batch);
    for (const user of page) {
      if (!(await isVerifiedDomain(app, tenantId, user.emailKey))) continue;
      try {
        await changeOnce(systemContext(app, tenant, providerId), user, fieldsOf(attributesOf(user), true));
      } catch (error) {
        // Such as the limit of members; the next request of the identity provider reports it.
        app.log.warn({ error, userId: user._id }, "a provisioned user could not join by a verified domain");
      }
    }
    after = page.at(-1)?.userNameKey;
    if (page.length < batch) return;
  }
}
