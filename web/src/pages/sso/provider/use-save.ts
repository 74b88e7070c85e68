import { useMutation, useQueryClient } from "@tanstack/react-query";
import { providersQuery, updateProvider, type ProviderFields } from "../../../api/organization/sso.ts";

/** A change of a provider. The list is read again, since the change may concern other providers. */
export function useSave(org: string, id: string, onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (fields: ProviderFields) => updateProvider(org, id, fields),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: providersQuery(org).queryKey });
      onDone?.();
    },
  });
}
