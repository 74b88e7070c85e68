/**
 * Public keys of issuers, from their discovery document and key set. Keys are read again after ten minutes, and when a
 * token names an unknown one, but at most twice in a minute. While an issuer can't be reached, its keys are used for up
 * to an hour.
 */
import { createLocalJWKSet, errors, type CryptoKey, type JWSHeaderParameters, type LocalJWKSet } from "jose";
import { z } from "zod";
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import { RepoError } from "../../repos/errors.ts";
import { fetchJson } from "../../repos/transport/fetch-json.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { perApp } from "../per-app.ts";

const freshMs = 10 * 60_000;
const staleMs = 60 * 60_000;
const cooldownMs = 30_000;
/** Pause after a failure without usable keys, in which callers get the same error. */
const failureMs = 5000;
const requestMs = 5000;
const maxBytes = 256 * 1024;
const keysPerSet = 100;

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(keysPerSet) });

interface KnownKeys {
  find: LocalJWKSet;
  readAt: number;
}

interface IssuerState {
  known?: KnownKeys;
  /** Time of the last attempt to read the keys. */
  triedAt?: number;
  failure?: ServiceError;
}

interface Cache {
  states: Map<string, IssuerState>;
  reading: SingleFlight<void>;
}

const cacheOf = perApp<Cache>(() => ({ states: new Map(), reading: new SingleFlight(Infinity) }));

/**
 * The key of a configured issuer by which a token is to be verified. Throws `unavailable` if the keys can't be read,
 * and an error of jose if there is no such key.
 */
export async function findKey(app: App, issuer: string, header: JWSHeaderParameters): Promise<CryptoKey> {
  const keys = await currentKeys(app, issuer);
  try {
    return await keys.find(header);
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    const newer = await newerKeys(app, issuer, keys);
    if (!newer) throw error;
    return newer.find(header);
  }
}

function stateOf(app: App, issuer: string): IssuerState {
  const { states } = cacheOf(app);
  let state = states.get(issuer);
  if (!state) states.set(issuer, (state = {}));
  return state;
}

async function currentKeys(app: App, issuer: string): Promise<KnownKeys> {
  const state = stateOf(app, issuer);
  const ageMs = () => (state.known ? app.now().getTime() - state.known.readAt : Infinity);
  const pauseMs = ageMs() < staleMs ? cooldownMs : failureMs;
  if (ageMs() >= freshMs && sinceTried(app, state) >= pauseMs) await readKeys(app, issuer, state);
  if (state.known && ageMs() < staleMs) return state.known;
  throw state.failure ?? unreachable(issuer);
}

/** Keys that are read because a token names one that `previous` does not have. Undefined during the cooldown. */
async function newerKeys(app: App, issuer: string, previous: KnownKeys): Promise<KnownKeys | undefined> {
  const state = stateOf(app, issuer);
  if (state.known === previous && sinceTried(app, state) >= cooldownMs) await readKeys(app, issuer, state);
  return state.known === previous ? undefined : state.known;
}

const sinceTried = (app: App, { triedAt = -Infinity }: IssuerState) => app.now().getTime() - triedAt;

/** Reads the keys into the state, once for all concurrent callers. */
async function readKeys(app: App, issuer: string, state: IssuerState): Promise<void> {
  await cacheOf(app).reading.run(issuer, async () => {
    const now = app.now().getTime();
    try {
      state.known = { find: createLocalJWKSet(await requestKeys(app, issuer)), readAt: now };
      delete state.failure;
    } catch (error) {
      app.log.warn({ error, issuer }, "the keys of a CI issuer could not be read");
      state.failure = unreachable(issuer, error);
    }
    state.triedAt = now;
  });
}

async function requestKeys(app: App, issuer: string): Promise<z.output<typeof KeySet>> {
  const limits = { allowPrivateNetwork: app.config.oidc.privateNetwork, maxBytes, requestMs };
  const found = await fetchJson(`${issuer}/.well-known/openid-configuration`, limits);
  const discovery = Discovery.parse(found);
  if (discovery.issuer !== issuer)
    throw new RepoError("remote_protocol", "the discovery document is that of another issuer");
  if (new URL(discovery.jwks_uri).origin !== new URL(issuer).origin)
    throw new RepoError("remote_protocol", "the discovery document names keys at another origin");
  return KeySet.parse(await fetchJson(discovery.jwks_uri, limits));
}

function unreachable(issuer: string, cause?: unknown): ServiceError {
  const message = `The keys of ${issuer} can't be read right now, so its tokens can't be verified: try again in a moment.`;
  return new ServiceError("unavailable", message, undefined, { cause });
}
