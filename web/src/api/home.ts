/** The content of Home, over all organizations of the user. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "./client.ts";

export type AttentionItem = Schemas["Attention"]["items"][number];

export const attentionQuery = queryOptions({
  queryKey: ["attention"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/attention", { signal })),
});

/** Skills that are read to find the latest: the API lists them in the order of their creation. */
const readSkills = 200;

/** Skills of an organization, the latest change first. */
export const latestSkillsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ["latest-skills", tenantId],
    queryFn: async ({ signal }) => {
      const params = { query: { tenant_id: tenantId, limit: readSkills } };
      const { data } = await ok(api.GET("/api/skills", { signal, params }));
      return data.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, 8);
    },
  });

/** Whether the user has installed anything. */
export const ownInstallQuery = queryOptions({
  queryKey: ["own-install"],
  queryFn: async ({ signal }) =>
    (await ok(api.GET("/api/user/installs", { signal, params: { query: { limit: 1 } } }))).data.length > 0,
});

export const memberCountQuery = (org: string) =>
  queryOptions({
    queryKey: ["member-count", org],
    queryFn: async ({ signal }) => {
      const params = { path: { tenant: org }, query: { limit: 2 } };
      return (await ok(api.GET("/api/tenants/{tenant}/members", { signal, params }))).data.length;
    },
  });

/** Whether an organization has a repository connected. */
export const isConnectedQuery = (org: string) =>
  queryOptions({
    queryKey: ["is-connected", org],
    queryFn: async ({ signal }) => {
      const params = { path: { tenant: org } };
      return (
        (await dataOf(api.GET("/api/tenants/{tenant}/repo-sync", { signal, params }))).connection !== null
      );
    },
  });

export const serviceQuery = queryOptions({
  queryKey: ["service"],
  staleTime: 5 * 60_000,
  queryFn: ({ signal }) => dataOf(api.GET("/api/service", { signal })),
});
