/** Checks the token of an identity provider. */
import { isId } from "../../storage/database.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { ScimProviderDoc } from "../../storage/scim/providers.ts";
import type { App } from "../app.ts";
import { equalSecrets, hashSecret } from "../secrets.ts";
import { ScimError } from "./errors.ts";

export const tokenPrefix = "lsks_";

/** Time between two updates of `lastUsedAt`. */
const useStepMs = 60_000;

export interface Authenticated {
  provider: ScimProviderDoc;
  tenant: TenantDoc;
}

/**
 * A request without a valid token: the same response for an unknown, a disabled and another organization's provider.
 */
export class UnauthenticatedError extends ScimError {
  /** The provider that the request names, for its log. */
  readonly provider: ScimProviderDoc | undefined;

  constructor(provider: ScimProviderDoc | undefined) {
    super(
      401,
      "The token is not valid for this address. An owner of the organization can rotate it to get another.",
      {
        headers: { "www-authenticate": 'Bearer realm="scim"' },
      },
    );
    this.provider = provider;
  }
}

/** Throws `UnauthenticatedError`. */
export async function authenticateProvider(
  app: App,
  providerId: string,
  authorization: string,
): Promise<Authenticated> {
  const [, token = ""] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  const found = isId(providerId) ? await app.storage.scimProviders.findWithTenant(providerId) : undefined;
  const { provider, tenant } = found ?? {};
  const hash = hashSecret(token.slice(0, 200));
  const now = app.now();
  const { tokenHash = "", former } = provider ?? {};
  const isCurrent = equalSecrets(hash, tokenHash);
  const isFormer = equalSecrets(hash, former?.tokenHash ?? "") && former!.validUntil > now;
  if (!provider?.enabled || !(isCurrent || isFormer)) throw new UnauthenticatedError(provider);
  if (!tenant || tenant.deletionAt || tenant.erasing) throw new UnauthenticatedError(undefined);
  if (!provider.lastUsedAt || now.getTime() - provider.lastUsedAt.getTime() >= useStepMs)
    app.background("note the use of a token", () => app.storage.scimProviders.touch(provider._id, now));
  return { provider, tenant };
}
