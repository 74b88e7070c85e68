import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { revokeToken, tokensQuery, type Token } from "../../api/account.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Command } from "../../parts/command.tsx";
import { Failed } from "../../parts/failed.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { SettingsPage } from "./frame.tsx";
import { NewToken } from "./new-token.tsx";
import { TokenTable } from "./token-table.tsx";

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
  return useMutation({
    mutationFn: ({ id }: Token) => revokeToken(id),
    onMutate: async ({ id }) => {
      await client.cancelQueries({ queryKey: tokensQuery.queryKey });
      const before = client.getQueryData(tokensQuery.queryKey);
      client.setQueryData(tokensQuery.queryKey, (old) => old?.filter((token) => token.id !== id));
      return { before };
    },
    onError: (_error, _token, context) => client.setQueryData(tokensQuery.queryKey, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
}

function Tokens() {
  const { data: tokens, error, refetch, isPending } = useQuery(tokensQuery);
  const [asked, setAsked] = useState<Token | undefined>();
  const revoke = useRevoke();
  return (
    <section className="panel" aria-label="Your tokens">
      {isPending && <SkeletonRows rows={3} height={44} />}
      {error && <Failed error={error} reset={() => void refetch()} />}
      {tokens?.length === 0 && (
        <div className="body stack g3">
          <h2>No tokens yet</h2>
          <p className="sub">Sign in the command line, or create a token for a program.</p>
          <Command text={`svc login ${location.origin}`} />
        </div>
      )}
      {tokens && tokens.length > 0 && <TokenTable tokens={tokens} onRevoke={setAsked} />}
      {asked && (
        <ConfirmDialog
          title={`Revoke ${asked.name}?`}
          action="Revoke token"
          isDangerous
          run={() => revoke.mutateAsync(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p className="sub">
            Programs that use it are refused from the next call on. What they did stays. It can't be restored.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
