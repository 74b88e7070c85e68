/** The identity provider of an address, by its domain alone: whether there is an account makes no difference. */
import type { App } from "../app.ts";
import { domainOfAddress } from "../users/email-domain.ts";

/** Path that starts the sign-in through the provider of a verified domain. Undefined if there is none. */
export async function discoverProvider(
  app: App,
  email: string,
  returnTo: string,
): Promise<string | undefined> {
  const domain = domainOfAddress(email.trim());
  const claim = domain === undefined ? null : await app.storage.ssoDomains.findVerified(domain);
  if (!claim) return undefined;
  const [providers, tenant] = await Promise.all([
    app.storage.ssoProviders.listEnabled(claim.tenantId),
    app.storage.tenants.find(claim.tenantId),
  ]);
  if (!tenant || tenant.deletionAt) return undefined;
  const chosen = providers.find(({ _id }) => tenant.ssoProviderIds?.includes(_id)) ?? providers[0];
  return chosen && `/sso/${chosen._id}/start?return_to=${encodeURIComponent(returnTo)}`;
}
