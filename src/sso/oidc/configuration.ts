/** The discovered configuration of providers, which is read again after ten minutes. Keys are cached with it. */
import { LRUCache } from "lru-cache";
import * as client from "openid-client";
import { limits } from "../../../contract/limits.ts";
import type { OidcConnection, SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { perApp } from "../../per-app.ts";
import { secretRecord } from "../providers/connection.ts";
import { guardedFetch } from "./guarded-fetch.ts";

const freshMs = 10 * 60_000;
/** A token without a signature, or with one by the client secret, is never accepted. */
const signatureMethods = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];

const cacheOf = perApp(() => new LRUCache<string, client.Configuration>({ max: 200, ttl: freshMs }));

/** Throws `unavailable` if the provider can't be reached. */
export async function configurationOf(app: App, provider: SsoProviderDoc): Promise<client.Configuration> {
  const cache = cacheOf(app);
  const key = `${provider._id} ${provider.epoch}`;
  const known = cache.get(key);
  if (known) return known;
  try {
    const made = await discover(app, provider);
    cache.set(key, made);
    return made;
  } catch (error) {
    app.log.warn({ error, providerId: provider._id }, "an identity provider could not be discovered");
    throw new ServiceError(
      "unavailable",
      "The identity provider does not respond right now: try again in a moment.",
      undefined,
      { cause: error },
    );
  }
}

async function discover(app: App, { _id, oidc }: SsoProviderDoc): Promise<client.Configuration> {
  const { issuer, clientId, sealedSecret } = oidc as OidcConnection;
  const secret = app.secrets.open(sealedSecret, secretRecord(_id));
  const customFetch = guardedFetch(app);
  const config = await client.discovery(
    new URL(issuer),
    clientId,
    { [client.clockTolerance]: limits.ssoClockSkewMs / 1000 },
    client.ClientSecretBasic(secret),
    {
      [client.customFetch]: customFetch,
      execute: new URL(issuer).protocol === "http:" ? [client.allowInsecureRequests] : [],
    },
  );
  const { supportsPKCE: _, ...server } = config.serverMetadata();
  const offered = server.id_token_signing_alg_values_supported ?? ["RS256"];
  const accepted = signatureMethods.filter((one) => offered.includes(one));
  if (server.issuer !== issuer || accepted.length === 0)
    throw new Error("the discovery document has another issuer, or no supported signature");
  const methods = server.token_endpoint_auth_methods_supported;
  const isPost = methods?.includes("client_secret_post") && !methods.includes("client_secret_basic");
  const made = new client.Configuration(
    // The provider chooses one of them for each token, by its settings for the client.
    { ...server, id_token_signing_alg_values_supported: accepted },
    clientId,
    { [client.clockTolerance]: limits.ssoClockSkewMs / 1000 },
    isPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret),
  );
  made[client.customFetch] = customFetch;
  if (new URL(issuer).protocol === "http:") client.allowInsecureRequests(made);
  client.enableNonRepudiationChecks(made);
  return made;
}
