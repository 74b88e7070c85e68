/** The beginning of a sign-in: a redirect to the provider, recorded as an attempt that is bound to the browser. */
import { randomBytes } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { isId } from "../../../storage/database.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoAttemptDoc } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { safeReturnTo } from "../../auth/pages/return-to.ts";
import type { Cookie, RequestInfo } from "../../http/route.ts";
import { hashSecret } from "../../secrets.ts";
import { bindBrowser } from "../browser.ts";
import type { IdentityProvider } from "../identity-provider.ts";
import { oidcProvider } from "../oidc/oidc.ts";
import { unknownProvider } from "../providers/load.ts";
import { samlProvider } from "../saml/saml.ts";
import { unknownAttempt } from "./failure.ts";

const protocols: Record<SsoProviderDoc["type"], IdentityProvider> = {
  saml: samlProvider,
  oidc: oidcProvider,
};
export const protocolOf = ({ type }: SsoProviderDoc): IdentityProvider => protocols[type];

/** A provider by its id, whose organization exists. Throws `not_found`. */
export async function findProvider(app: App, id: string): Promise<SsoProviderDoc> {
  return (await findWithTenant(app, id)).provider;
}

/** The provider with its organization. */
export async function findWithTenant(
  app: App,
  id: string,
): Promise<{ provider: SsoProviderDoc; tenant: TenantDoc }> {
  const { provider, tenant } = (isId(id) && (await app.storage.ssoLookups.findProvider(id))) || {};
  if (!provider || !tenant || tenant.deletionAt) throw unknownProvider(id);
  return { provider, tenant };
}

export interface Redirect {
  url: string;
  cookies: Cookie[];
}

/** Begins a sign-in. Throws `not_found` for a provider that is disabled, or `unavailable`. */
export async function startSignIn(
  app: App,
  request: RequestInfo,
  input: { providerId: string; returnTo: string },
): Promise<Redirect> {
  const provider = await findProvider(app, input.providerId);
  if (!provider.enabled) throw unknownProvider(input.providerId);
  const { browserHash, cookie } = bindBrowser(app, request);
  const state = newState();
  const _id = app.newId();
  const { url, fields } = await protocolOf(provider).begin(app, provider, _id, state);
  const createdAt = app.now();
  await app.storage.ssoAttempts.insert({
    _id,
    tenantId: provider.tenantId,
    providerId: provider._id,
    epoch: provider.epoch,
    purpose: "sign-in",
    browserHash,
    stateHash: hashSecret(state),
    returnTo: safeReturnTo(input.returnTo),
    ...fields,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + limits.ssoAttemptMs),
  });
  return { url, cookies: [cookie] };
}

/** Opens a prepared test in the browser of the owner who prepared it, once. Throws `sso_failed` or `not_found`. */
export async function startTest(
  app: App,
  actor: Actor,
  request: RequestInfo,
  input: { providerId: string; attemptId: string },
): Promise<Redirect> {
  const provider = await findProvider(app, input.providerId);
  const prepared = await app.storage.ssoAttempts.find(input.attemptId, app.now());
  const isOwn = actor.kind === "user" && prepared?.userId === actor.userId;
  if (!isOwn || prepared.purpose !== "test" || prepared.providerId !== provider._id) throw unknownAttempt();
  const { browserHash, cookie } = bindBrowser(app, request);
  const state = newState();
  const { url, fields } = await protocolOf(provider).begin(app, provider, prepared._id, state);
  const opened: Pick<SsoAttemptDoc, "browserHash" | "stateHash" | "requestId" | "sealedProof" | "epoch"> = {
    browserHash,
    stateHash: hashSecret(state),
    epoch: provider.epoch,
    ...fields,
  };
  if (!(await app.storage.ssoAttempts.open(prepared._id, opened, app.now()))) throw unknownAttempt();
  return { url, cookies: [cookie] };
}

/** 43 characters: RelayState has at most 80 bytes (SAML bindings, section 3.4.3). */
const newState = () => randomBytes(32).toString("base64url");
