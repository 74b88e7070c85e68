import { useQueries, useQueryClient } from "@tanstack/react-query";
import { createToken, ownTokensQuery } from "../../../api/account/account.ts";
import { foldersQuery, type Identity } from "../../../api/account/session.ts";
import { NewTokenDialog } from "../../../parts/tokens/new-token-dialog.tsx";

/** Organizations whose folders are offered; a token for folders of others is created in the command line. */
const shownOrganizations = 10;

/** The dialog that creates a personal token. */
export function NewToken({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const client = useQueryClient();
  const memberships = identity.memberships.slice(0, shownOrganizations);
  const found = useQueries({ queries: memberships.map(({ slug }) => foldersQuery(slug)) });
  const folders = memberships.flatMap(({ slug }, index) =>
    (found[index]?.data ?? []).map(({ id, name, path }) => ({ id, name, path: `${slug}/${path}` })),
  );
  return (
    <NewTokenDialog
      holder="you"
      maxDays={null}
      folders={folders}
      isHeld={() => true}
      create={async (token) => {
        const created = await createToken(token);
        void client.invalidateQueries({ queryKey: ownTokensQuery.queryKey });
        return created;
      }}
      onClose={onClose}
    />
  );
}
