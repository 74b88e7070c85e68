import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { revokeToken, tokensQuery, type OrganizationToken } from "../../api/tokens.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Time } from "../../parts/time.tsx";
import { summaryOf } from "./summary.ts";

/** Time before the end of a token from which it is marked. */
const soonMs = 14 * 86_400_000;

export function TokenTable({ org, tokens }: { org: string; tokens: OrganizationToken[] }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<OrganizationToken>();
  return (
    <div className="panel scroll">
      <table className="tbl">
        <caption className="sr">API tokens</caption>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col" className="hide-s">
              Last used
            </th>
            <th scope="col">Expires</th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setAsked(token)} />
          ))}
        </tbody>
      </table>
      {asked && (
        <ConfirmDialog
          title={`Revoke ${asked.name}`}
          action="Revoke token"
          isDangerous
          run={async () => {
            await revokeToken(org, asked.id);
            await client.invalidateQueries({ queryKey: tokensQuery(org).queryKey });
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>Programs that use it are refused from the next request on. This can&apos;t be undone.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

const describe = ({ scopes, allowedFolders, expiresAt }: OrganizationToken) =>
  summaryOf({
    scopes,
    folders: allowedFolders?.map(({ path }) => path ?? "a folder that you can't see"),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
  });

function Expiry({ token: { expiresAt } }: { token: OrganizationToken }) {
  const [now] = useState(() => Date.now());
  if (expiresAt === undefined) return <span className="badge warn">never</span>;
  const left = Date.parse(expiresAt) - now;
  if (left < 0) return <span className="badge danger">expired</span>;
  return <Time value={expiresAt} {...(left < soonMs ? { className: "warn" } : {})} />;
}

function TokenRow({ token, onRevoke }: { token: OrganizationToken; onRevoke: () => void }) {
  return (
    <tr>
      <td>
        <b>{token.name}</b>{" "}
        <span className="meta">
          {token.createdBy === null ? "created" : `by ${token.createdBy}`}, <Time value={token.createdAt} />
        </span>
        <p className="meta wrap-text">{describe(token)}</p>
      </td>
      <td className="meta hide-s">{token.lastUsedAt ? <Time value={token.lastUsedAt} /> : "never"}</td>
      <td>
        <Expiry token={token} />
      </td>
      <td className="right">
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={`Revoke ${token.name}`}
          onClick={onRevoke}
        >
          Revoke
        </Button>
      </td>
    </tr>
  );
}
