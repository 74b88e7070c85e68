/** Users who were invited because the domain of their address was not verified become members once it is. */
import type { App } from "../../app.ts";
import { systemContext } from "../context.ts";
import { attributesOf, fieldsOf } from "./attributes.ts";
import { isVerifiedDomain } from "./domains.ts";
import { changeOnce } from "./write.ts";

const batch = 100;

/** Decides anew about the invited users of an organization; people who have declined are skipped. May run twice. */
export async function admitInvited(app: App, { tenantId }: { tenantId: string }): Promise<void> {
  const { tenants, scimProviders, scimUsers } = app.storage;
  const [tenant, provider] = await Promise.all([
    tenants.find(tenantId),
    scimProviders.findOfTenant(tenantId),
  ]);
  if (!tenant || tenant.deletionAt || tenant.erasing || !provider?.enabled) return;
  for (let after: string | undefined; ;) {
    const page = await scimUsers.listInvited(tenantId, after, batch);
    for (const user of page) {
      if (!(await isVerifiedDomain(app, tenantId, user.emailKey))) continue;
      try {
        await changeOnce(systemContext(app, tenant, provider._id), user, fieldsOf(attributesOf(user), true));
      } catch (error) {
        // Such as the limit of members; the next request of the identity provider reports it.
        app.log.warn({ error, userId: user._id }, "a provisioned user could not join by a verified domain");
      }
    }
    after = page.at(-1)?.userNameKey;
    if (page.length < batch) return;
  }
}
