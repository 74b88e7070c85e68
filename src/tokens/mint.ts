/** Makes the secret and the record of a token, within its owner's limit. */
import { randomBytes, randomInt } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { TokenDoc, TokenOwner } from "../../storage/credentials/tokens.ts";
import { isDuplicate } from "../../storage/database.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { hashSecret } from "../secrets.ts";

export interface MintedToken {
  record: TokenDoc;
  /** The prefix and 64 hexadecimal digits: known here and to the caller, kept nowhere. */
  secret: string;
}

type NewToken = TokenOwner &
  Pick<TokenDoc, "_id" | "name" | "createdAt"> &
  Partial<
    Pick<
      TokenDoc,
      | "createdBy"
      | "scopes"
      | "allowedFolderIds"
      | "expiresAt"
      | "epoch"
      | "login"
      | "ageFrom"
      | "verifiedAt"
      | "notice"
    >
  >;

type NewCiToken = Required<
  Pick<
    TokenDoc,
    "_id" | "tenantId" | "name" | "createdAt" | "expiresAt" | "policyId" | "policyEpoch" | "run" | "trust"
  >
> &
  Pick<TokenDoc, "scopes" | "allowedFolderIds" | "skillIds">;

const organizationPrefix = "lskt_";

/**
 * Inserts a token into one of its owner's free places; the unique index on the place makes the limit exact, however
 * many calls run at once. Throws `limit_reached`, or the duplicate error of `_id_` when the id is used.
 */
export async function mintToken(app: App, fields: NewToken, events: EventRow[]): Promise<MintedToken> {
  const { prefix, limit, refusal } = kindOf(fields);
  const owner = "userId" in fields ? { userId: fields.userId } : { tenantId: fields.tenantId };
  for (;;) {
    const slot = await freeSlot(app, owner, limit, fields.createdAt);
    if (slot === undefined) throw new ServiceError("limit_reached", refusal, { kind: "token", limit });
    try {
      return await insert(app, prefix, { ...fields, slot }, events);
    } catch (error) {
      // A concurrent call took this slot; each round finds at least one more slot in use, so the loop ends.
      if (isDuplicate(error, "token_place")) continue;
      throw error;
    }
  }
}

/** Inserts a token of a CI pipeline, which expires within the hour and has no slot. */
export function mintCiToken(app: App, fields: NewCiToken, events: EventRow[]): Promise<MintedToken> {
  return insert(app, organizationPrefix, fields, events);
}

async function insert(
  app: App,
  prefix: string,
  fields: Omit<TokenDoc, "secretHash">,
  events: EventRow[],
): Promise<MintedToken> {
  const secret = `${prefix}${randomBytes(32).toString("hex")}`;
  const record: TokenDoc = { ...fields, secretHash: hashSecret(secret), ...outboxFields(events) };
  await app.storage.tokens.insert(record);
  flushEvents(app, app.storage.tokens, record._id, events);
  return { record, secret };
}

function kindOf(owner: TokenOwner) {
  if ("userId" in owner) {
    const limit = limits.personalTokensPerUser;
    const refusal = `You have ${limit} API tokens, which is the limit: revoke one first.`;
    return { prefix: "lsk_", limit, refusal };
  }
  const limit = limits.organizationTokens;
  const refusal = `The organization has ${limit} API tokens, which is the limit: revoke one first.`;
  return { prefix: organizationPrefix, limit, refusal };
}

/** A free place at random, so that calls at once seldom want the same one. */
async function freeSlot(app: App, owner: TokenOwner, limit: number, now: Date): Promise<number | undefined> {
  const taken = new Set(await app.storage.tokens.takenSlots(owner, now));
  const free = Array.from({ length: limit }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  return free.length === 0 ? undefined : free[randomInt(free.length)];
}
