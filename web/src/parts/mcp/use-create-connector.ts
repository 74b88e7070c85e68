import { useMutation, useQueryClient } from "@tanstack/react-query";
import { connectorsQuery, createConnector, type Connector } from "../../api/connectors.ts";

/** Creates the user's connector to a server, by the server's id. */
export function useCreateConnector(onDone: (connector: Connector) => unknown) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: createConnector,
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      await onDone(made);
    },
  });
}
