/**
 * The anonymous identity: a key pair per service, made once under the state's lock and never sent anywhere. A service that
 * does not know the key any more gets it registered again.
 */
import type { Client } from "../api/client.ts";
import { newKey, registerKey, signerFor } from "../api/signed.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { AnonymousKey } from "./config.ts";
import { clientFor } from "./session.ts";
import { changeConfig, readConfig } from "./state.ts";

/** Runs with a client that signs as the identity, which is made and registered where it is not there yet. */
export async function withIdentity<T>(
  context: Context,
  apiUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const key = (await findIdentity(context, apiUrl)) ?? (await makeIdentity(context, apiUrl));
  const known = key.id === undefined ? await register(context, apiUrl, key) : { ...key, id: key.id };
  try {
    return await work(signed(context, apiUrl, known));
  } catch (error) {
    if (!isForgotten(error)) throw readable(error);
  }
  try {
    return await work(signed(context, apiUrl, await register(context, apiUrl, key)));
  } catch (error) {
    throw readable(error);
  }
}

/** The same for what makes no sense without an identity; undefined where there is none, or the service forgot it. */
export async function asKnownIdentity<T>(
  context: Context,
  apiUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  const key = await findIdentity(context, apiUrl);
  if (key?.id === undefined) return undefined;
  try {
    return await work(signed(context, apiUrl, { ...key, id: key.id }));
  } catch (error) {
    if (isForgotten(error)) return undefined;
    throw readable(error);
  }
}

async function findIdentity(context: Context, apiUrl: string): Promise<AnonymousKey | undefined> {
  return (await readConfig(context)).identities?.[new URL(apiUrl).origin];
}

/** Of several runs at once one makes the key, and all use it. */
function makeIdentity(context: Context, apiUrl: string): Promise<AnonymousKey> {
  return changeConfig(context, async ({ config, save }) => {
    const identities = (config.identities ??= {});
    const { origin } = new URL(apiUrl);
    const known = identities[origin];
    if (known !== undefined) return known;
    const key = newKey();
    identities[origin] = key;
    await save();
    return key;
  });
}

/** The key is on disk by now, so that a run which is stopped here has lost nothing. */
async function register(
  context: Context,
  apiUrl: string,
  key: AnonymousKey,
): Promise<AnonymousKey & { id: string }> {
  let id: string;
  try {
    id = await registerKey(clientFor(context, apiUrl, undefined), key, context.now());
  } catch (error) {
    if (error instanceof CliError && error.details?.httpStatus === 404)
      throw new CliError("E_API", `${apiUrl} does not offer sharing without an account.`, error.details);
    throw readable(error);
  }
  await changeConfig(context, async ({ config, save }) => {
    const kept = config.identities?.[new URL(apiUrl).origin];
    if (kept?.publicKey !== key.publicKey || kept.id === id) return;
    kept.id = id;
    await save();
  });
  return { ...key, id };
}

function signed(context: Context, apiUrl: string, key: AnonymousKey & { id: string }): Client {
  return clientFor(context, apiUrl, undefined, signerFor(key, context.now));
}

function isForgotten(error: unknown): boolean {
  return error instanceof CliError && error.details?.["reason"] === "unknown_key";
}

/** Logging in is no way out for who shares without an account. */
function readable(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== "E_NOT_AUTHENTICATED") return error;
  const message = error.details?.serverMessage ?? "The service does not take the signature of this call.";
  return new CliError(error.code, message, error.details, { cause: error });
}
