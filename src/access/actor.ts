/** Whoever acts. Every surface makes one before it calls a service, and no service acts without one. */
import type { PermissionGroup } from "../../contract/vocabulary.ts";
import type { DownloadSource, VersionSource } from "../../contract/vocabulary.ts";

/** Groups to actions, as roles hold them and token scopes narrow them. */
export type PermissionMap = { readonly [G in PermissionGroup]?: readonly string[] };

export interface Membership {
  tenantId: string;
  tenantSlug: string;
  tenantName: string;
  role: string;
  permissions: PermissionMap;
}

/** What narrows a token; absent parts narrow nothing. */
export interface TokenLimits {
  scopes?: PermissionMap;
  allowedFolderIds?: string[];
}

/** How the act reached us: for audit entries, commit trailers and download counts. */
export interface Origin {
  /** HMAC-SHA256 of the address. */
  ipHash: string | undefined;
  source: VersionSource;
  client: DownloadSource;
}

export interface AnonymousActor {
  kind: "anonymous";
  origin: Origin;
}

export interface UserActor {
  kind: "user";
  userId: string;
  username: string;
  name: string;
  isAdministrator: boolean;
  memberships: readonly Membership[];
  via: { kind: "session"; sessionId: string } | { kind: "token"; tokenId: string; limits: TokenLimits };
  origin: Origin;
}

export type Actor = AnonymousActor | UserActor;

/** A stable name of the actor, for rate limits, idempotency keys and upload ownership. */
export function actorKey(actor: Actor): string {
  return actor.kind === "user" ? `user:${actor.userId}` : `address:${actor.origin.ipHash ?? "unknown"}`;
}
