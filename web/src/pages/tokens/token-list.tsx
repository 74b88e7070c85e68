import { useQueryClient } from "@tanstack/react-query";
import { revokeToken, tokensQuery, type OrganizationToken } from "../../api/account/tokens.ts";
import { TokenTable } from "../../parts/tokens/token-table.tsx";

/** An organization's token has the permissions of this role, unless it is limited. */
export const holder = "an administrator";

export function TokenList({ org, tokens }: { org: string; tokens: OrganizationToken[] }) {
  const client = useQueryClient();
  return (
    <TokenTable
      caption="API tokens"
      holder={holder}
      tokens={tokens}
      revoke={async (id) => {
        await revokeToken(org, id);
        await client.invalidateQueries({ queryKey: tokensQuery(org).queryKey });
      }}
    />
  );
}
