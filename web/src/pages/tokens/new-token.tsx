import { useQuery, useQueryClient } from "@tanstack/react-query";
import { foldersQuery, may } from "../../api/account/session.ts";
import { createToken, tokensQuery } from "../../api/account/tokens.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { NewTokenDialog } from "../../parts/tokens/new-token-dialog.tsx";
import { holder } from "./token-list.tsx";

interface Props {
  org: string;
  organization: Organization;
  onClose: () => void;
}

/** The dialog that creates a token of the organization. */
export function NewToken({ org, organization, onClose }: Props) {
  const client = useQueryClient();
  const { data: folders = [] } = useQuery(foldersQuery(org));
  return (
    <NewTokenDialog
      holder={holder}
      maxDays={organization.maxTokenDays}
      folders={folders}
      isHeld={(group, action) => may(organization.permissions, group, action)}
      create={async (token) => {
        const created = await createToken(org, token);
        void client.invalidateQueries({ queryKey: tokensQuery(org).queryKey });
        return created;
      }}
      onClose={onClose}
    />
  );
}
