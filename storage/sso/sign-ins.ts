/** Log of sign-ins through identity providers, which explains failures to owners. It contains no secrets. */
import type { Collection, Filter } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";

export interface SsoSignInDoc {
  _id: string;
  /** Shown to the visitor of a failed sign-in. */
  number: string;
  tenantId: string;
  providerId: string;
  at: Date;
  outcome: "signed_in" | "failed" | "link_offered" | "tested";
  reason?: string;
  message?: string;
  subject?: string;
  email?: string;
  userId?: string;
}

export interface SsoSignInQuery {
  tenantId: string;
  providerId?: string;
  number?: string;
  before?: string;
  limit: number;
}

export const ssoSignInsCollection = defineCollection({
  name: "sso_sign_ins",
  indexes: [
    { key: { tenantId: 1, _id: -1 } },
    { key: { tenantId: 1, providerId: 1, _id: -1 } },
    { key: { tenantId: 1, number: 1, _id: -1 } },
    { key: { at: 1 } },
  ],
  open: (rows: Collection<SsoSignInDoc>) => ({
    /** A page of an organization's log, newest first. */
    list({ tenantId, providerId, number, before, limit }: SsoSignInQuery): Promise<SsoSignInDoc[]> {
      const filter: Filter<SsoSignInDoc> = {
        tenantId,
        providerId,
        number,
        ...(before === undefined ? {} : { _id: { $lt: before } }),
      };
      return rows.find(filter).sort({ _id: -1 }).limit(limit).toArray();
    },
    removeBefore: (time: Date) => removeSlice(rows, { at: { $lt: time } }),
  }),
});
