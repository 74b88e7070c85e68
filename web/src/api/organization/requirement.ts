/** The second factor that an organization requires of its members. */
import { api, dataOf, ok } from "../client.ts";
import { query } from "../query.ts";

export const requirementQuery = (org: string) =>
  query("/api/tenants/{tenant}/mfa-requirement", { tenant: org });

export const setRequirement = (org: string, body: { required: boolean; graceDays: number }) =>
  dataOf(api.PUT("/api/tenants/{tenant}/mfa-requirement", { params: { path: { tenant: org } }, body }));

/** Ends the user's own membership. */
export const leaveOrganization = (org: string, userId: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/members/{userId}", { params: { path: { tenant: org, userId } } }));
