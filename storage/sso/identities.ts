/** Accounts that people at an identity provider have: one row per provider and subject. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

export interface SsoIdentityDoc {
  _id: string;
  tenantId: string;
  providerId: string;
  /** SHA-256 of the subject and, for SAML, its format. */
  subjectKey: string;
  userId: string;
  /** Address that the provider sent when the identity was made. */
  email: string;
  createdAt: Date;
}

export const ssoIdentitiesCollection = defineCollection({
  name: "sso_identities",
  indexes: [
    { key: { providerId: 1, subjectKey: 1 }, unique: true, name: "sso_subject" },
    { key: { tenantId: 1, userId: 1 } },
    { key: { userId: 1 } },
  ],
  open: (identities: Collection<SsoIdentityDoc>) => ({
    count: (providerId: string) => identities.countDocuments({ providerId }),
    /** Inserts an identity. Returns the existing one if the subject has one: of concurrent calls, one inserts. */
    async insert(identity: SsoIdentityDoc): Promise<SsoIdentityDoc> {
      try {
        await identities.insertOne(identity);
        return identity;
      } catch (error) {
        if (!isDuplicate(error, "sso_subject")) throw error;
        const { providerId, subjectKey } = identity;
        const found = await identities.findOne({ providerId, subjectKey });
        if (!found) throw error;
        return found;
      }
    },
    async remove(id: string): Promise<void> {
      await identities.deleteOne({ _id: id });
    },
    /** Removes the identities of a member who has left. */
    async removeOfMember(tenantId: string, userId: string): Promise<void> {
      await identities.deleteMany({ tenantId, userId });
    },
    async removeOfUser(userId: string): Promise<void> {
      await identities.deleteMany({ userId });
    },
    async removeOfProvider(providerId: string): Promise<void> {
      await identities.deleteMany({ providerId });
    },
  }),
});
