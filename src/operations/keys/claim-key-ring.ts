/**
 * Every process of a service must have the same keys. The database has a fingerprint of each; a process with other keys
 * would store secrets that no other process can read, so it does not start.
 */
import type { KeyRingDoc, KnownKey } from "../../../storage/service/key-ring.ts";
import type { App } from "../../app.ts";
import { countSealed, describeSealed, sealedValueOf } from "./count-sealed.ts";
import { sealedFields } from "./sealed-fields.ts";

type Claiming = Pick<App, "secrets" | "storage" | "now" | "config">;
type Ring = Pick<KeyRingDoc, "current" | "keys">;

/** Records the keys of this process. Throws if they are not those of the other processes, or one in use is missing. */
export async function claimKeyRing(app: Claiming): Promise<void> {
  const { keyRing } = app.storage;
  for (;;) {
    const stored = await keyRing.find();
    // If several processes start on an empty database, one stores its keys, and the others compare theirs.
    if (!stored && (await keyRing.insert(await firstRing(app)))) return;
    if (!stored) continue;
    const ring = await nextRing(app, stored);
    if (JSON.stringify(ring) === JSON.stringify({ current: stored.current, keys: stored.keys })) return;
    if (await keyRing.replace(stored.revision, ring)) return;
  }
}

/** Throws what `claimKeyRing` would throw, and records nothing. */
export async function compareKeyRing(app: Claiming): Promise<void> {
  const stored = await app.storage.keyRing.find();
  await (stored ? nextRing(app, stored) : firstRing(app));
}

/** The ring of an empty database, or of one that an earlier version of the service has written. */
async function firstRing(app: Claiming): Promise<Ring> {
  const { secrets, storage } = app;
  const ids = secrets.keys.map(({ id }) => id);
  for (const field of sealedFields)
    for await (const row of storage.sealedValues.eachOfOtherKeys(field, ...ids)) {
      const [, keyId = ""] = sealedValueOf(row, field).split(".");
      throw missingKey(app, keyId, await countSealed(app, keyId));
    }
  return { current: secrets.currentKeyId, keys: [...secrets.keys] };
}

async function nextRing(app: Claiming, stored: Ring): Promise<Ring> {
  const own = new Map(app.secrets.keys.map((key) => [key.id, key]));
  const kept: KnownKey[] = [];
  for (const known of stored.keys) {
    const key = own.get(known.id);
    if (key && key.fingerprint !== known.fingerprint) throw otherKey(app, known.id);
    const count = key ? 0 : await countSealed(app, known.id);
    if (!key && (count > 0 || known.id === stored.current)) throw missingKey(app, known.id, count);
    if (key) kept.push(known);
    own.delete(known.id);
  }
  const keys: KnownKey[] = [...kept, ...own.values()];
  const current = app.secrets.currentKeyId;
  if (current === stored.current) return { current, keys };
  const now = app.now();
  return {
    current,
    keys: keys.map(({ id, fingerprint, replacedAt }) => ({
      id,
      fingerprint,
      replacedAt: id === current ? undefined : id === stored.current ? now : (replacedAt ?? now),
    })),
  };
}

const sources = ({ config }: Claiming) =>
  config.secretKeys === undefined
    ? `copy the file "secrets" of the data folder of the other processes, or of the backup, to ${config.dataDir}, or ` +
      "set SECRET_KEYS to its content"
    : "set SECRET_KEYS to the keys of the other processes, or to those of the backup";

function missingKey(app: Claiming, id: string, count: number): Error {
  return new Error(
    `The key "${id}" is missing, which encrypts ${describeSealed(count)}, or which other processes use: ` +
      `${sources(app)}. If the key is lost, run forget-key ${id}.`,
  );
}

function otherKey(app: Claiming, id: string): Error {
  return new Error(
    `The key "${id}" of this process is not the one by which this service encrypts: ${sources(app)}.`,
  );
}
