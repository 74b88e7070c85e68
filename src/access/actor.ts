/** The party that acts. Every surface creates an actor before it calls a service, and every service takes one. */
import type { CiOrigin } from "../../contract/payloads/accounts/ci.ts";
import type { PermissionGroup, DownloadSource, VersionSource } from "../../contract/vocabulary.ts";
import type { CiTrust } from "../../storage/ci/trust.ts";
import type { BreakGlass, SignInMethod, SsoProof } from "../../storage/credentials/sessions.ts";
import type { Account } from "../../storage/users/users.ts";

/** Actions by permission group: the permissions of a role, or the scopes of a token. */
export type PermissionMap = { readonly [G in PermissionGroup]?: readonly string[] };

export interface Membership {
  tenantId: string;
  tenantSlug: string;
  tenantName: string;
  /** A built-in role, or the id of a custom one; `token` for an organization's own token, `anonymous` for a key. */
  role: string;
  teamIds: readonly string[];
  /** Permissions of the role and of the teams' roles together. */
  permissions: PermissionMap;
  /** Time from which the organization requires a second factor of this member. */
  factorFrom?: Date;
  /** Identity providers of which the organization enforces one. */
  ssoProviderIds?: readonly string[];
  /** The member's last sign-in through a provider of the organization. */
  sso?: { providerId: string; at: Date };
  /** Age in days from which the member's tokens are refused in the organization. */
  maxTokenDays?: number;
  /** Set if new versions may have to wait for a review in the organization. */
  reviews?: true;
  /** Set if the organization is to be erased and the member may cancel that, which is their only permission. */
  deletionAt?: Date;
}

/**
 * The proof that a member lacks: a factor, a sign-in through the provider, or a confirmation by their own credentials.
 */
export type MissingProof = "factor" | "sso" | "confirm-factor" | "confirm-password";
/** `ownFactor`: for an owner who could use a second factor instead of the provider, whether the account has one. */
export type WithheldMembership = Membership & { lack: MissingProof; ownFactor?: "present" | "missing" };

/** The limits of a token; an absent part does not limit it. */
export interface TokenLimits {
  scopes?: PermissionMap;
  allowedFolderIds?: string[];
  /** Only for CI tokens. */
  skillIds?: string[];
}

/** Origin of a request, for audit entries, commit trailers and download counts. */
export interface Origin {
  /** HMAC-SHA256 of the address. */
  ipHash: string | undefined;
  /** The address is in a network whose callers have no limits per address. */
  isExempt?: boolean;
  source: VersionSource;
  client: DownloadSource;
}

export interface AnonymousActor {
  kind: "anonymous";
  origin: Origin;
}

/** `verifiedAt`: last verification of a second factor, or of the password of an account without one. */
export interface UserActor {
  kind: "user";
  userId: string;
  username: string;
  name: string;
  isAdministrator: boolean;
  memberships: readonly Membership[];
  via:
    | {
        kind: "session";
        sessionId: string;
        verifiedAt?: Date;
        /** Proofs that the sign-in and later verifications gave. */
        methods?: readonly SignInMethod[];
        /** Sign-ins through identity providers. Undefined if the caller is loaded without a session. */
        sso?: readonly SsoProof[];
        /** Uses of a second factor by an owner instead of a required sign-in through a provider. */
        breakGlass?: readonly BreakGlass[];
      }
    | {
        kind: "token";
        tokenId: string;
        verifiedAt?: Date;
        limits: TokenLimits;
        /** Address of the only resource at which an access token of an OAuth client is valid. */
        audience?: string;
        /** Time from which the token's age counts. */
        ageFrom?: Date;
        /** Memberships that the token is too old for; they are not in `memberships`. */
        tooOldFor?: readonly Membership[];
      };
  /** Memberships in organizations that require a proof which the caller lacks. */
  withheld?: readonly WithheldMembership[];
  /**
   * The account's epochs when the caller was authenticated. A token or device approval that the caller makes has them,
   * so that a write which ends everything also ends what a concurrent request is about to make. Absent is 0.
   */
  epochs?: { session: number; token: number };
  /** The account as the authentication read it. */
  account?: Account;
  origin: Origin;
}

/** An organization's own token: it acts as the organization and outlives the membership of its creator. */
export interface OrganizationActor {
  kind: "organization";
  tokenId: string;
  tokenName: string;
  /** The person who created the token; of a CI token, those who decided what its trust policy permits. */
  creatorIds?: readonly string[];
  /** The token's organization, with the permissions of an admin. */
  memberships: readonly [Membership];
  limits: TokenLimits;
  /** The run of a CI pipeline that exchanged its identity for this token. */
  run?: CiOrigin;
  /** Why the service trusts that run. */
  trust?: CiTrust;
  origin: Origin;
}

/** A caller without an account who has proved to have a registered key. The identity is a tenant of its own. */
export interface AnonymousKeyActor {
  kind: "anonymous-key";
  identityId: string;
  username: string;
  /** The tenant of the identity, which contains only its shares. */
  memberships: readonly [Membership];
  origin: Origin;
}

/**
 * The sync of a connected repository. Folder restrictions do not apply to it, since write access to the repository is
 * write access to every skill of the organization. The author of its versions is the member who connected the
 * repository.
 */
export interface SyncActor {
  kind: "sync";
  connectionId: string;
  member: { userId: string; username: string; name: string };
  memberships: readonly [Membership];
  origin: Origin;
}

export type Actor = AnonymousActor | AnonymousKeyActor | UserActor | OrganizationActor | SyncActor;

/** A stable name of the actor, for rate limits, idempotency keys and upload ownership. */
export function actorKey(actor: Actor): string {
  if (actor.kind === "user") return `user:${actor.userId}`;
  if (actor.kind === "organization") return `token:${actor.tokenId}`;
  if (actor.kind === "anonymous-key") return `key:${actor.identityId}`;
  if (actor.kind === "sync") return `sync:${actor.connectionId}`;
  return `address:${actor.origin.ipHash ?? "unknown"}`;
}

/** A name of the actor with its credential: a token may do less than its holder, and a session less than another. */
export function credentialKey(actor: Actor): string {
  if (actor.kind !== "user") return actorKey(actor);
  return `${actorKey(actor)} ${actor.via.kind === "token" ? actor.via.tokenId : actor.via.sessionId}`;
}

/** Id of the actor for records that store the id of their creator. */
export function actorId(actor: Actor): string {
  if (actor.kind === "user") return actor.userId;
  if (actor.kind === "sync") return actor.member.userId;
  if (actor.kind === "anonymous-key") return actor.identityId;
  return actor.kind === "organization" ? actor.tokenId : "anonymous";
}
