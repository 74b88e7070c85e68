import type { QueryClient } from "@tanstack/react-query";

const concerned = new Set(["admin-jobs", "admin-job", "admin-queues", "admin-metrics", "admin-audit-log"]);

/** Reads again what an action on a job or a queue may have changed. */
export const refreshJobs = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ predicate: ({ queryKey }) => concerned.has(String(queryKey[0])) });
