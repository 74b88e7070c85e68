import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { hasParam } from "../../api/query.ts";

/** Loads everything about a skill again after a change to it. */
export function useChanged(ref: string): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries({ predicate: hasParam(ref) }), [client, ref]);
}
