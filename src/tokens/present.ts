import type {
  CreatedOrganizationTokenPayload,
  CreatedTokenPayload,
  OrganizationTokenPayload,
  TokenPayload,
} from "../../contract/payloads/tokens.ts";
import type { ListedToken } from "../../storage/tokens.ts";
import type { MintedToken } from "./mint.ts";
import type { OrganizationToken } from "./organization.ts";

export function presentToken(token: ListedToken): TokenPayload {
  return {
    id: token._id,
    name: token.name,
    scopes: token.scopes,
    allowedFolderIds: token.allowedFolderIds,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString(),
    ...(token.login ? { isLogin: true } : {}),
  };
}

export function presentCreatedToken({ record, secret }: MintedToken): CreatedTokenPayload {
  return { ...presentToken(record), token: secret };
}

export function presentOrganizationToken({
  token,
  createdBy,
  paths,
}: OrganizationToken): OrganizationTokenPayload {
  const ids = token.allowedFolderIds;
  return {
    ...presentToken(token),
    ...(ids ? { allowedFolders: ids.map((id, at) => ({ id, path: paths[at] ?? null })) } : {}),
    createdBy,
  };
}

export function presentCreatedOrganizationToken(
  created: OrganizationToken & { secret: string },
): CreatedOrganizationTokenPayload {
  return { ...presentOrganizationToken(created), token: created.secret };
}
