/**
 * Access that a person has given to an OAuth client. One document holds the authorization code, the access token and
 * the refresh token of a grant, each as its hash, so that every step of their life is one write: one of several
 * concurrent calls with a code or refresh token replaces the tokens, and revoking the grant ends all of them.
 */
import type { Collection } from "mongodb";
import type { OauthAccess } from "../../contract/vocabulary.ts";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { noticeIndexes, noticeOperations, type WithNotice } from "../mail/notices.ts";
import { removeSlice } from "../maintenance/slices.ts";
import type { EventRow, WithOutbox } from "../outbox.ts";

export interface OauthGrantDoc extends WithOutbox, WithNotice {
  _id: string;
  userId: string;
  clientId: string;
  /** Name of the client as the consent page showed it. */
  clientName: string;
  /** Host of the client's metadata document, which the client has proved to control. */
  clientHost?: string;
  redirectUri: string;
  access: OauthAccess;
  /** Organizations in which the client may act. */
  tenantIds: string[];
  /** Address of the protected resource for which the access tokens are. */
  resource: string;
  /** Further ones, if the client has asked for several. */
  moreResources?: string[];
  /** Epochs of the account at the consent. The grant becomes invalid when the account has another token epoch. */
  epochs: { session: number; token: number };
  codeHash: string;
  /** SHA-256 of the code verifier, base64url (PKCE). */
  codeChallenge: string;
  codeExpiresAt: Date;
  /** Set when the code was exchanged. The fields of the tokens exist from then on. */
  codeUsedAt?: Date;
  /** SHA-256 of the current access token. */
  secretHash?: string;
  accessExpiresAt?: Date;
  /** SHA-256 of the current refresh token. */
  refreshHash?: string;
  /** The latest renewals, oldest first, as long as a client may repeat them. */
  renewals?: OauthRenewal[];
  createdAt: Date;
  lastUsedAt?: Date;
  /** End of the code, then of the refresh token. */
  expiresAt: Date;
  revokedAt?: Date;
  /** Secret whose second use has revoked the grant. */
  reused?: "code" | "refresh token";
}

/** Addresses of all protected resources of a grant. */
export const resourcesOf = ({ resource, moreResources = [] }: OauthGrantDoc) => [resource, ...moreResources];

export interface OauthRenewal {
  /** SHA-256 of the refresh token that was replaced. */
  refreshHash: string;
  /** Random text. The new tokens follow from it, the replaced token and a key of the service. */
  salt: string;
  at: Date;
}

/** Tokens that replace those of a grant. */
export type OauthTokens = Required<
  Pick<OauthGrantDoc, "secretHash" | "accessExpiresAt" | "refreshHash" | "expiresAt">
>;

const none = { $exists: false } as const;

export const oauthGrantsCollection = defineCollection({
  name: "oauth_grants",
  indexes: [
    { key: { codeHash: 1 }, unique: true, name: "grant_code" },
    { key: { secretHash: 1 }, unique: true, sparse: true, name: "grant_access_token" },
    { key: { userId: 1, revokedAt: 1, _id: -1 }, name: "grant_of_user" },
    { key: { expiresAt: 1 } },
    { key: { revokedAt: 1 }, sparse: true },
    ...noticeIndexes,
  ],
  outbox: true,
  open: (grants: Collection<OauthGrantDoc>) => ({
    findById: (id: string) => grants.findOne({ _id: id }),
    findByCode: (codeHash: string) => grants.findOne({ codeHash }),
    findByAccessToken: (secretHash: string) => grants.findOne({ secretHash }),
    async touch(id: string, lastUsedAt: Date): Promise<void> {
      await grants.updateOne({ _id: id, revokedAt: none }, { $max: { lastUsedAt } });
    },
    ...tokenOperations(grants),
    ...ownerOperations(grants),
    /** Removes a slice of the grants that ended before a time and whose events are in the log. */
    removeEnded: (before: Date) =>
      removeSlice(grants, {
        $or: [{ expiresAt: { $lte: before } }, { revokedAt: { $lte: before } }],
        pendingSince: none,
      }),
    /** Grants of a deleted account with unpublished events. */
    listUnflushedOfUser: (userId: string, limit: number) =>
      grants
        .find({ userId, pendingSince: { $exists: true } })
        .limit(limit)
        .toArray(),
    removePublishedOfUser: (userId: string) => removeSlice(grants, { userId, pendingSince: none }),
    ...noticeOperations(grants),
  }),
});

/** Steps of the life of a grant's tokens. */
function tokenOperations(grants: Collection<OauthGrantDoc>) {
  return {
    /** Stores the first tokens of a grant. False if its code was used before, or the grant was revoked. */
    async redeem(id: string, tokens: OauthTokens, now: Date): Promise<boolean> {
      const result = await grants.updateOne(
        { _id: id, codeUsedAt: none, revokedAt: none },
        { $set: { ...tokens, codeUsedAt: now } },
      );
      return result.modifiedCount === 1;
    },
    /** Replaces the tokens of a grant. False if `refreshHash` is not that of its current refresh token. */
    async rotate(
      id: string,
      refreshHash: string,
      tokens: OauthTokens & { renewals: OauthRenewal[] },
      now: Date,
    ): Promise<boolean> {
      const result = await grants.updateOne(
        { _id: id, refreshHash, revokedAt: none, expiresAt: { $gt: now } },
        { $set: tokens, $max: { lastUsedAt: now } },
      );
      return result.modifiedCount === 1;
    },
    /** Revokes a grant with its code and tokens. False if it was revoked before, or is another user's. */
    async revoke(
      id: string,
      userId: string,
      now: Date,
      events: EventRow[],
      reuse: WithNotice & Pick<OauthGrantDoc, "reused"> = {},
    ): Promise<boolean> {
      const set = { revokedAt: now, ...reuse };
      return (await changeOf(grants, { revokedAt: none })(id, { when: { userId }, set, events })) !== null;
    },
  };
}

/** Lists of a user's grants; `epoch` is the token epoch of the account. */
function ownerOperations(grants: Collection<OauthGrantDoc>) {
  /** Grants whose tokens were issued and can be used or renewed. */
  const live = (userId: string, epoch: number, now: Date) => ({
    userId,
    revokedAt: none,
    codeUsedAt: { $exists: true },
    expiresAt: { $gt: now },
    "epochs.token": epoch,
  });
  return {
    /** A page of a user's live grants, newest first; `after` is the id of the last one of the previous page. */
    listOfUser: (userId: string, epoch: number, now: Date, after: string | undefined, limit: number) =>
      grants
        .find(
          { ...live(userId, epoch, now), ...(after === undefined ? {} : { _id: { $lt: after } }) },
          { projection: { outbox: 0, notice: 0 } },
        )
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    countOfUser: (userId: string, epoch: number, now: Date, limit: number) =>
      grants.countDocuments(live(userId, epoch, now), { limit }),
  };
}
