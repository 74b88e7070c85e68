/** Log of sign-ins by identity providers, which explains failures to owners. It contains no secrets. */
import type { Filter, IndexDescription } from "mongodb";
import type { Database } from "../database.ts";
import { removeSlice } from "../slices.ts";

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

export const ssoSignInIndexes: IndexDescription[] = [
  { key: { tenantId: 1, _id: -1 } },
  { key: { tenantId: 1, providerId: 1, _id: -1 } },
  { key: { tenantId: 1, number: 1, _id: -1 } },
  { key: { at: 1 } },
];

export interface SsoSignInQuery {
  tenantId: string;
  providerId?: string;
  number?: string;
  before?: string;
  limit: number;
}

export type SsoSignIns = ReturnType<typeof openSsoSignIns>;

export function openSsoSignIns(database: Database) {
  const rows = database.collection<SsoSignInDoc>("sso_sign_ins");
  return {
    async insert(row: SsoSignInDoc): Promise<void> {
      await rows.insertOne(row);
    },
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
    removeOfTenant: (tenantId: string) => removeSlice(rows, { tenantId }),
  };
}
