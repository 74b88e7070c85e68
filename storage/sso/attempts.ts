/**
 * Sign-ins in progress: from the redirect to the provider up to the session, or the verdict of a test. An attempt is
 * found by the hash of its state, which is RelayState in SAML; each step of it is one conditional write, so that none
 * is done twice. It is kept after that, without its result, as long as its assertion could be posted again.
 */
import type { Collection } from "mongodb";
import type { SsoCheck } from "../../contract/payloads/accounts/sso.ts";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";

/** The person as the provider describes them, after all checks of the response have passed. */
export interface SsoSubject {
  subjectKey: string;
  subject: string;
  email: string | null;
  name: string | null;
  /** Null if the provider sent no such attribute. */
  groups: string[] | null;
  /** Why the groups are not known, although the person may be in some. No team changes then. */
  groupsProblem?: "overage" | "unread";
  attributes: Record<string, string[]>;
}

export interface SsoResult {
  checks: SsoCheck[];
  /** Set if the checks passed. */
  subject?: SsoSubject;
}

export interface SsoAttemptDoc {
  _id: string;
  tenantId: string;
  providerId: string;
  /** Epoch of the provider at the start. */
  epoch: number;
  purpose: "sign-in" | "test";
  /** SHA-256 of the cookie that binds the attempt to its browser. */
  browserHash: string;
  /** Owner who started the test. */
  userId?: string;
  /** SHA-256 of the state. Absent until a test is opened in the browser. */
  stateHash?: string;
  returnTo: string;
  /** SAML: id of the AuthnRequest. */
  requestId?: string;
  /** OpenID Connect: nonce and PKCE verifier, sealed for the id of the attempt. */
  sealedProof?: string;
  result?: SsoResult;
  /** SAML: hash of the issuer and the id of the assertion, which no other attempt may have. */
  assertionKey?: string;
  /** Set while the person is asked to sign in to the account which has their address. */
  linkUserId?: string;
  /** Set by a test: the effect that a sign-in would have had. */
  outcome?: string;
  /** Set by the sign-in that it has led to. */
  takenAt?: Date;
  createdAt: Date;
  expiresAt: Date;
}

const live = (now: Date) => ({ expiresAt: { $gt: now }, takenAt: { $exists: false } }) as const;

export const ssoAttemptsCollection = defineCollection({
  name: "sso_attempts",
  indexes: [
    {
      key: { stateHash: 1 },
      unique: true,
      name: "sso_state",
      partialFilterExpression: { stateHash: { $gt: "" } },
    },
    {
      key: { providerId: 1, assertionKey: 1 },
      unique: true,
      name: "sso_assertion",
      partialFilterExpression: { assertionKey: { $gt: "" } },
    },
    { key: { expiresAt: 1 } },
    { key: { tenantId: 1 } },
  ],
  open: (attempts: Collection<SsoAttemptDoc>) => ({
    find: (id: string, now: Date) => attempts.findOne({ _id: id, ...live(now) }),
    findByState: (providerId: string, stateHash: string, now: Date) =>
      attempts.findOne({ stateHash, providerId, ...live(now) }),
    /** Opens a prepared test in the browser, once. */
    open: (
      id: string,
      fields: Pick<SsoAttemptDoc, "browserHash" | "stateHash" | "requestId" | "sealedProof" | "epoch">,
      now: Date,
    ) =>
      attempts.findOneAndUpdate(
        { _id: id, stateHash: { $exists: false }, ...live(now) },
        { $set: fields },
        { returnDocument: "after" },
      ),
    /**
     * Stores the result of the response, once. `answered` if the attempt has one, and `replayed` if an attempt at the
     * same provider has the assertion.
     */
    async answer(
      id: string,
      result: SsoResult,
      now: Date,
      assertionKey?: string,
    ): Promise<"stored" | "answered" | "replayed"> {
      try {
        const done = await attempts.updateOne(
          { _id: id, result: { $exists: false }, ...live(now) },
          { $set: { result, ...(assertionKey === undefined ? {} : { assertionKey }) } },
        );
        return done.modifiedCount === 1 ? "stored" : "answered";
      } catch (error) {
        if (!isDuplicate(error, "sso_assertion")) throw error;
        return "replayed";
      }
    },
    async finishTest(id: string, outcome: string): Promise<void> {
      await attempts.updateOne({ _id: id }, { $set: { outcome } });
    },
    /** Keeps an attempt until the person has signed in to an account. */
    async offerLink(id: string, linkUserId: string, expiresAt: Date): Promise<void> {
      await attempts.updateOne({ _id: id }, { $set: { linkUserId, expiresAt } });
    },
    /** Ends an attempt, once: true for one of concurrent calls. What it knows about the person is removed. */
    async take(id: string, now: Date): Promise<boolean> {
      const done = await attempts.updateOne(
        { _id: id, ...live(now) },
        { $set: { takenAt: now }, $unset: { result: true, linkUserId: true, sealedProof: true } },
      );
      return done.modifiedCount === 1;
    },
    removeExpired: (before: Date) => removeSlice(attempts, { expiresAt: { $lte: before } }),
  }),
});
