/** Providers of an organization, for its owners. */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";

export interface LoadedProvider {
  tenant: TenantDoc;
  provider: SsoProviderDoc;
}

/** Throws `not_found` or `forbidden`. */
export async function loadProvider(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<LoadedProvider> {
  const tenant = await loadTenant(app, actor, tenantRef, "sso:manage");
  const provider = await app.storage.ssoProviders.find(tenant._id, id);
  if (!provider) throw unknownProvider(id);
  return { tenant, provider };
}

/** Throws `refused` for a provider whose connection was not entered yet. */
export function requireConnection({ saml, oidc }: SsoProviderDoc): void {
  if (saml || oidc) return;
  throw new ServiceError(
    "refused",
    "This provider has no connection yet: enter its addresses at the identity provider, then the settings of that " +
      "here.",
    { kind: "provider" },
  );
}

export function unknownProvider(id: string): ServiceError {
  const ref = id.slice(0, 64);
  return new ServiceError("not_found", `No identity provider "${ref}" was found.`, { kind: "provider", ref });
}

export const isEnforced = ({ ssoProviderIds }: TenantDoc, id: string) =>
  ssoProviderIds?.includes(id) ?? false;
