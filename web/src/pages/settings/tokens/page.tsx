import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ownTokensQuery, revokeToken } from "../../../api/account/account.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
import { Failed } from "../../../parts/states/failed.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { TokenTable } from "../../../parts/tokens/token-table.tsx";
import { SettingsPage } from "../frame.tsx";
import { NewToken } from "./new-token.tsx";

export const Route = createFileRoute("/settings/tokens")({ component: TokensPage });

function TokensPage() {
  const [isCreating, setCreating] = useState(false);
  return (
    <SettingsPage
      title="Tokens"
      about="Programs act as you with a personal token. A sign-in of svc is one, too."
      actions={
        <Button leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      {(identity) => (
        <>
          <Tokens />
          {isCreating && <NewToken identity={identity} onClose={() => setCreating(false)} />}
        </>
      )}
    </SettingsPage>
  );
}

/** Revoking is optimistic: the token leaves the list at once, and comes back if the service refuses. */
function useRevoke() {
  const client = useQueryClient();
  const { queryKey } = ownTokensQuery;
  return useMutation({
    mutationFn: revokeToken,
    onMutate: async (id) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, (old) => old?.filter((token) => token.id !== id));
      return { before };
    },
    onError: (_error, _id, context) => client.setQueryData(queryKey, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

function Tokens() {
  const { data: tokens, error, refetch, isPending } = useQuery(ownTokensQuery);
  const revoke = useRevoke();
  if (isPending) return <SkeletonRows rows={3} height={44} />;
  if (error) return <Failed error={error} reset={() => void refetch()} />;
  if (tokens.length > 0 || revoke.isPending)
    return (
      <TokenTable
        caption="Your tokens, newest first"
        holder="you"
        tokens={tokens}
        revoke={(id) => revoke.mutateAsync(id)}
      />
    );
  return (
    <section className="panel" aria-label="Your tokens">
      <div className="body stack gap-3">
        <h2>No tokens yet</h2>
        <p className="sub">Sign in the command line, or create a token for a program.</p>
        <Command text={commandLine("svc", "login", location.origin)} />
      </div>
    </section>
  );
}
