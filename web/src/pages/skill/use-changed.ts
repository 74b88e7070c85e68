import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/** Loads everything about a skill again after a change to it. */
export function useChanged(ref: string): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === ref }),
    [client, ref],
  );
}
