import type { CreatedTokenPayload, TokenPayload } from "../../contract/payloads.ts";
import type { TokenDoc } from "../../storage/tokens.ts";
import type { MintedToken } from "./mint.ts";

export function presentToken(token: Omit<TokenDoc, "secretHash">): TokenPayload {
  return {
    id: token._id,
    name: token.name,
    ...(token.scopes ? { scopes: token.scopes } : {}),
    ...(token.allowedFolderIds ? { allowedFolderIds: token.allowedFolderIds } : {}),
    createdAt: token.createdAt.toISOString(),
    ...(token.expiresAt ? { expiresAt: token.expiresAt.toISOString() } : {}),
    ...(token.lastUsedAt ? { lastUsedAt: token.lastUsedAt.toISOString() } : {}),
  };
}

export function presentCreatedToken({ record, secret }: MintedToken): CreatedTokenPayload {
  return { ...presentToken(record), token: secret };
}
