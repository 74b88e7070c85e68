/** Whether a member or token may do something, and why. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "./client.ts";
import { query } from "./query.ts";

export type AccessCheck = Schemas["AccessCheck"];
export interface Question {
  userId?: string;
  /** A token of the organization, instead of a member. */
  principal?: { type: "token"; id: string };
  action: "read" | "create" | "update" | "delete" | "manage";
  folderId?: string;
  /** `org/slug`. */
  skill?: string;
}

/** Always asked again: the answer depends on roles, teams and folders. */
export const accessCheckQuery = (tenant: string, body: Question) =>
  queryOptions({
    queryKey: ["access check", tenant, body],
    queryFn: () =>
      dataOf(api.POST("/api/tenants/{tenant}/access/check", { params: { path: { tenant } }, body })),
    staleTime: 0,
  });

/** The first skills whose name matches, to choose one from. */
export const skillSearchQuery = (org: string, text: string) =>
  queryOptions({
    ...query("/api/skills", { tenant_id: org, limit: 50, query: text }),
    placeholderData: keepPreviousData,
  });
