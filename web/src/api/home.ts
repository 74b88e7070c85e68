/** The content of Home, over all organizations of the user. */
import { queryOptions } from "@tanstack/react-query";
import { type Schemas } from "./client.ts";
import { query } from "./query.ts";

export type AttentionItem = Schemas["Attention"]["items"][number];

export const attentionQuery = query("/api/user/attention");

/** Skills that are read to find the latest: the API lists them in the order of their creation. */
const readSkills = 200;

/** Skills of an organization, the latest change first. */
export const latestSkillsQuery = (tenantId: string) =>
  queryOptions({
    ...query("/api/skills", { tenant_id: tenantId, limit: readSkills }),
    select: (skills) => skills.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, 8),
  });

/** Whether the user has installed anything. */
export const ownInstallQuery = queryOptions({
  ...query("/api/user/installs", { limit: 1 }),
  select: (installs) => installs.length > 0,
});

/** Members beside the user. */
export const hasColleaguesQuery = (org: string) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/members", { tenant: org, limit: 2 }),
    select: (members) => members.length > 1,
  });

export const hasInvitedQuery = (org: string) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/invitations", { tenant: org, limit: 1 }),
    select: (invitations) => invitations.length > 0,
  });

/** Whether an organization has a repository connected. */
export const isConnectedQuery = (org: string) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/repo-sync", { tenant: org }),
    select: ({ connection }) => connection !== null,
  });

export const serviceQuery = queryOptions({ ...query("/api/service"), staleTime: 5 * 60_000 });
