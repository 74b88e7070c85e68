import type {
  CreatedOrganizationTokenPayload,
  CreatedTokenPayload,
  OrganizationTokenPayload,
  TokenPayload,
} from "../../contract/payloads/accounts/tokens.ts";
import type { ListedToken } from "../../storage/credentials/tokens.ts";
import type { MintedToken } from "./mint.ts";
import type { OrganizationToken } from "./organization.ts";

type Paths = ReadonlyMap<string, string>;

/** `paths`: those of the folders to which tokens are limited, as far as the caller sees them. */
export function presentToken(token: ListedToken, paths: Paths): TokenPayload {
  const ids = token.allowedFolderIds;
  return {
    id: token._id,
    name: token.name,
    scopes: token.scopes,
    allowedFolderIds: ids,
    allowedFolders: ids?.map((id) => ({ id, path: paths.get(id) ?? null })),
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString(),
    isLogin: token.login ? true : undefined,
  };
}

export function presentCreatedToken({ record, secret }: MintedToken, paths: Paths): CreatedTokenPayload {
  return { ...presentToken(record, paths), token: secret };
}

export function presentOrganizationToken({
  token,
  createdBy,
  paths,
}: OrganizationToken): OrganizationTokenPayload {
  return { ...presentToken(token, paths), createdBy };
}

export function presentCreatedOrganizationToken(
  created: OrganizationToken & { secret: string },
): CreatedOrganizationTokenPayload {
  return { ...presentOrganizationToken(created), token: created.secret };
}
