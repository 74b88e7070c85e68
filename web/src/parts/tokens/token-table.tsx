import { Button } from "@mantine/core";
import { Terminal } from "lucide-react";
import { useState } from "react";
import type { OwnToken } from "../../api/account/account.ts";
import type { OrganizationToken } from "../../api/account/tokens.ts";
import { ConfirmDialog } from "../forms/confirm-dialog.tsx";
import { iconProps } from "../icon.ts";
import { actionsColumn, DataTable, type Column } from "../lists/data-table.tsx";
import { Time } from "../text/time.tsx";
import { rightsOf } from "./summary.ts";
import "./tokens.css";

/** Time before the end of a token from which it is marked. */
const soonMs = 14 * 86_400_000;

type Token = OwnToken & Partial<Pick<OrganizationToken, "createdBy">>;

interface Props {
  caption: string;
  /** Who the tokens act as, as in `you`. */
  holder: string;
  tokens: readonly Token[];
  revoke: (id: string) => Promise<unknown>;
}

/** Tokens with what they allow. A sign-in of svc is marked, since each use moves its expiry. */
export function TokenTable({ caption, holder, tokens, revoke }: Props) {
  const [asked, setAsked] = useState<Token>();
  return (
    <div className="token-table">
      <DataTable
        caption={caption}
        columns={columnsOf(holder, setAsked)}
        rows={tokens}
        keyOf={({ id }) => id}
      />
      {asked && (
        <ConfirmDialog
          title={`Revoke ${asked.name}`}
          action="Revoke token"
          isDangerous
          run={() => revoke(asked.id)}
          onClose={() => setAsked(undefined)}
        >
          <p>Programs that use it are refused from the next request on. This can&apos;t be undone.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

const columnsOf = (holder: string, onRevoke: (token: Token) => void): Column<Token>[] => [
  { header: "Token", cell: (token) => <TokenName token={token} holder={holder} /> },
  {
    header: "Last used",
    isHiddenOnPhones: true,
    className: "meta",
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} /> : "never"),
  },
  { header: "Expires", cell: (token) => <Expiry token={token} /> },
  actionsColumn((token) => (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={`Revoke ${token.name}`}
      onClick={() => onRevoke(token)}
    >
      Revoke
    </Button>
  )),
];

function TokenName({ token, holder }: { token: Token; holder: string }) {
  const { name, scopes, createdBy, createdAt, isLogin } = token;
  const rights = rightsOf({ holder, scopes, folders: foldersOf(token) });
  return (
    <>
      <span className="row wrap">
        {isLogin && <Terminal {...iconProps} aria-hidden="true" />}
        <b>{name}</b>
        {isLogin && <span className="badge">svc login</span>}
        <span className="meta">
          {createdBy ? `by ${createdBy}` : "created"}, <Time value={createdAt} />
        </span>
      </span>
      <p className="meta">{rights.charAt(0).toUpperCase() + rights.slice(1)}.</p>
    </>
  );
}

/** Paths of the folders to which the token is limited. */
const foldersOf = ({ allowedFolders }: Token) =>
  allowedFolders?.map(({ path }) => path ?? "a folder that you can't see");

function Expiry({ token: { expiresAt, isLogin } }: { token: Token }) {
  const [now] = useState(() => Date.now());
  if (expiresAt === undefined) return <span className="badge warn">never</span>;
  const left = Date.parse(expiresAt) - now;
  if (left < 0) return <span className="badge danger">expired</span>;
  return <Time value={expiresAt} className={left < soonMs && !isLogin ? "badge warn" : undefined} />;
}
