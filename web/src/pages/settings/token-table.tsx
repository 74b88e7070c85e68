import { Button } from "@mantine/core";
import { Terminal } from "lucide-react";
import type { Token } from "../../api/account.ts";
import { iconProps } from "../../parts/icon.ts";
import { Time } from "../../parts/time.tsx";
import { describeScopes } from "../../parts/token-scopes.tsx";

const soonMs = 14 * 86_400_000;

/** The user's tokens with what they allow. Sign-ins of svc are marked, since each use moves their expiry. */
export function TokenTable({ tokens, onRevoke }: { tokens: Token[]; onRevoke: (token: Token) => void }) {
  return (
    <div className="scroll">
      <table className="tbl">
        <caption className="sr">Your tokens, newest first</caption>
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
            <tr key={token.id}>
              <td>
                <TokenName token={token} />
              </td>
              <td className="hide-s">
                {token.lastUsedAt ? <Time value={token.lastUsedAt} /> : <span className="dim">never</span>}
              </td>
              <td>
                <Expiry token={token} />
              </td>
              <td className="right">
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => onRevoke(token)}
                >
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TokenName({ token }: { token: Token }) {
  const folders = token.allowedFolderIds?.length;
  const place = folders === undefined ? "" : ` in ${folders} ${folders === 1 ? "folder" : "folders"}`;
  return (
    <>
      <span className="row">
        {token.isLogin && <Terminal {...iconProps} aria-hidden="true" />}
        <b className="clip">{token.name}</b>
        {token.isLogin && <span className="badge">svc login</span>}
      </span>
      <p className="meta">{`${describeScopes(token.scopes)}${place}`}</p>
    </>
  );
}

type ExpiryState = "never" | "expired" | "soon" | "later";

function expiryOf({ expiresAt, isLogin }: Token, now = Date.now()): ExpiryState {
  if (expiresAt === undefined) return "never";
  const left = Date.parse(expiresAt) - now;
  if (left < 0) return "expired";
  return left < soonMs && isLogin !== true ? "soon" : "later";
}

function Expiry({ token }: { token: Token }) {
  const state = expiryOf(token);
  if (token.expiresAt === undefined) return <span className="badge warn">never</span>;
  if (state === "expired") return <span className="badge danger">expired</span>;
  return <Time value={token.expiresAt} className={state === "soon" ? "badge warn" : ""} />;
}
