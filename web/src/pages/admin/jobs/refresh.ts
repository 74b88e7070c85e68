import type { QueryClient } from "@tanstack/react-query";
import type { Path } from "../../../api/query.ts";

const concerned = new Set<unknown>([
  "/api/admin/jobs",
  "/api/admin/jobs/{queue}/{id}",
  "/api/admin/queues",
  "/api/admin/metrics",
  "/api/admin/audit-log",
] satisfies Path[]);

/** Reads again what an action on a job or a queue may have changed. */
export const refreshJobs = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ predicate: ({ queryKey }) => concerned.has(queryKey[0]) });
