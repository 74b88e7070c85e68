/** API tokens of an organization. */
import { api, ok, dataOf, type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type OrganizationToken = Schemas["OrganizationToken"];

/** More tokens than an organization can have. */
const pageSize = 200;

export const tokensQuery = (org: string) =>
  query("/api/tenants/{tenant}/tokens", { tenant: org, limit: pageSize });

/** A token of a user or an organization. Without `scopes` it may do everything that its holder may do. */
export interface NewToken {
  name: string;
  expiresInDays?: number;
  scopes?: Record<string, string[]>;
  allowedFolderIds?: string[];
}

export const createToken = (tenant: string, body: NewToken) =>
  dataOf(api.POST("/api/tenants/{tenant}/tokens", { params: { path: { tenant } }, body }));

export const revokeToken = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/tokens/{id}", { params: { path: { tenant, id } } }));
