/**
 * The anonymous identity: a key pair per service, generated once under the state's lock; the private key is never sent.
 * If a service no longer has the key, it is registered again; if its clock differs, calls are signed with its time.
 */
import type { Client } from "../api/client.ts";
import { newKey, registerKey, signerFor } from "../api/signed.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { AnonymousKey } from "./config.ts";
import { readConfig } from "./read-config.ts";
import { clientFor } from "./session.ts";
import { changeConfig } from "./state.ts";

type KnownKey = AnonymousKey & { id: string };

/** Signed calls to one service. */
interface Signing {
  context: Context;
  apiUrl: string;
  /** The service's time, if it was reported. */
  now: () => Date;
}

/** Runs with a client that signs as the identity, which is created and registered if necessary. */
export async function withIdentity<T>(
  context: Context,
  apiUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const signing: Signing = { context, apiUrl, now: context.now };
  const key = (await findIdentity(context, apiUrl)) ?? (await makeIdentity(context, apiUrl));
  try {
    if (key.id !== undefined) return await runSigned(signing, { ...key, id: key.id }, work);
  } catch (error) {
    if (!isForgotten(error)) throw readable(error);
  }
  try {
    return await runSigned(signing, await register(signing, key), work);
  } catch (error) {
    throw readable(error);
  }
}

/** Makes calls as an existing identity; undefined if there is none, or the service has deleted it. */
export async function asKnownIdentity<T>(
  context: Context,
  apiUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  const key = await findIdentity(context, apiUrl);
  if (key?.id === undefined) return undefined;
  try {
    return await runSigned({ context, apiUrl, now: context.now }, { ...key, id: key.id }, work);
  } catch (error) {
    if (isForgotten(error)) return undefined;
    throw readable(error);
  }
}

async function findIdentity(context: Context, apiUrl: string): Promise<AnonymousKey | undefined> {
  return (await readConfig(context)).identities?.[new URL(apiUrl).origin];
}

/** Generates the key once: concurrent runs all use the same key. */
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

/** The key is stored by now, so that an interruption loses nothing. */
async function register(signing: Signing, key: AnonymousKey): Promise<KnownKey> {
  const { context, apiUrl } = signing;
  let id: string;
  try {
    const client = clientFor(context, apiUrl, undefined);
    id = await inItsTime(signing, () => registerKey(client, key, signing.now()));
  } catch (error) {
    if (error instanceof CliError && error.details?.httpStatus === 404)
      throw new CliError("E_API", `${apiUrl} does not offer sharing without an account.`, error.details);
    throw error;
  }
  await changeConfig(context, async ({ config, save }) => {
    const kept = config.identities?.[new URL(apiUrl).origin];
    if (kept?.publicKey !== key.publicKey || kept.id === id) return;
    kept.id = id;
    await save();
  });
  return { ...key, id };
}

function runSigned<T>(signing: Signing, key: KnownKey, work: (client: Client) => Promise<T>): Promise<T> {
  const { context, apiUrl } = signing;
  return inItsTime(signing, () =>
    work(
      clientFor(
        context,
        apiUrl,
        undefined,
        signerFor(key, () => signing.now()),
      ),
    ),
  );
}

/** Repeats a call with the service's time if it was refused for the local clock, which is before any effect. */
async function inItsTime<T>(signing: Signing, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { reason, serverTime } = error instanceof CliError ? (error.details ?? {}) : {};
    if (reason !== "clock" || !Number.isSafeInteger(serverTime)) throw error;
    const { now } = signing.context;
    const aheadMs = (serverTime as number) * 1000 - now().getTime();
    signing.now = () => new Date(now().getTime() + aheadMs);
  }
  return work();
}

function isForgotten(error: unknown): boolean {
  return error instanceof CliError && error.details?.["reason"] === "unknown_key";
}

/** Replaces the hint to log in, which does not help an anonymous sharer. */
function readable(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== "E_NOT_AUTHENTICATED") return error;
  const message = error.details?.serverMessage ?? "The service does not take the signature of this call.";
  return new CliError(error.code, message, error.details, { cause: error });
}
