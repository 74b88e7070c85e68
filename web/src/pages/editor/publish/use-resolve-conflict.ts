import { useMutation, useQueryClient } from "@tanstack/react-query";
import { markConflict, syncConflictsQuery, syncQuery } from "../../../api/organization/sync.ts";

/** Marks the conflict that a published edit settles. Without one, or if that fails, nothing happens. */
export function useResolveConflict(org: string, conflict: string | undefined): () => void {
  const client = useQueryClient();
  const mark = useMutation({
    mutationFn: (id: string) => markConflict(org, id),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: syncConflictsQuery(org).queryKey }),
        client.invalidateQueries({ queryKey: syncQuery(org).queryKey }),
      ]),
  });
  return () => {
    if (conflict !== undefined) mark.mutate(conflict);
  };
}
