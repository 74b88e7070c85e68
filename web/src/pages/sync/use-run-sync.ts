import { useMutation, useQueryClient } from "@tanstack/react-query";
import { runSync, syncQuery } from "../../api/organization/sync.ts";

/** Starts a sync; its progress is that of the connection, which is polled. */
export function useRunSync(org: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => runSync(org),
    onSuccess: (connection) => {
      client.setQueryData(syncQuery(org).queryKey, (old) => old && { ...old, connection });
    },
  });
}
