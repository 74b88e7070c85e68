/** Accounts as actors: who a session, a token or an approved device acts as. */
import type { CiOrigin } from "../../contract/payloads/accounts/ci.ts";
import type { CiTrust } from "../../storage/ci/trust.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import type { NamedFacts } from "../../storage/lookups/callers.ts";
import { hasReviewRules, type MembershipDoc } from "../../storage/memberships/memberships.ts";
import type { Account } from "../../storage/users/users.ts";
import type {
  Actor,
  Membership,
  OrganizationActor,
  Origin,
  PermissionMap,
  TokenLimits,
  UserActor,
} from "../access/actor.ts";
import { limitsOf } from "../access/decide.ts";
import type { PermissionSource } from "../access/explain.ts";
import {
  isPermitted,
  organizationTokenPermissions,
  permissionsOfRole,
  unionOf,
} from "../access/permissions.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, unauthenticated } from "../errors.ts";
import { isConfined, splitByRequirements } from "./requirements.ts";

/** The user with what they may do now. Undefined when the account is gone or suspended. */
export async function loadUserActor(
  app: App,
  userId: string,
  via: UserActor["via"],
  origin: Origin,
): Promise<UserActor | undefined> {
  const [user, memberships] = await Promise.all([
    app.storage.users.find(userId),
    loadMemberships(app, userId),
  ]);
  return user && !user.suspended ? userActor(app, user, memberships, via, origin) : undefined;
}

/** Memberships of a user with their current permissions, by slug of the organization. */
export async function loadMemberships(app: App, userId: string): Promise<Membership[]> {
  return effectiveMemberships(app, await app.storage.memberships.listOfUser(userId));
}

/** The fields of an actual or possible membership. */
type MembershipFacts = Pick<
  MembershipDoc,
  | "tenantId"
  | "tenantSlug"
  | "tenantName"
  | "tenantDeletionAt"
  | "tenantMaxTokenDays"
  | "tenantReviews"
  | "tenantFactorFrom"
  | "tenantSsoProviderIds"
  | "sso"
  | "role"
  | "teamIds"
>;

/** Memberships with the permissions of their role and of their teams' roles (`explainMemberships`). */
export async function effectiveMemberships(
  app: App,
  rows: readonly MembershipFacts[],
  named?: NamedFacts,
): Promise<Membership[]> {
  return (await explainMemberships(app, rows, named)).map(({ membership }) => membership);
}

/** A membership with the role and teams that its permissions come from. */
export interface ExplainedMembership<Row> {
  row: Row;
  membership: Membership;
  sources: PermissionSource[];
}

/**
 * Memberships with the permissions of their role and of their teams' roles. Rows with a built-in role and no team need
 * no query; the teams and custom roles of all others are read by two concurrent queries, unless the caller has read
 * them (`named`). A deleted role or team, or one of another organization, gives no permissions. In an organization that
 * is to be erased, only members who may cancel the deletion keep their membership, with that permission only.
 */
export async function explainMemberships<Row extends MembershipFacts>(
  app: App,
  rows: readonly Row[],
  named?: NamedFacts,
): Promise<ExplainedMembership<Row>[]> {
  const { teams, roles } = named ?? (await loadNamed(app, rows));
  return rows.flatMap((row): ExplainedMembership<Row>[] => {
    const { tenantId, tenantSlug, tenantName, role, tenantDeletionAt } = row;
    const known = { tenantId, tenantSlug, tenantName, role, ...requirementsOf(row) };
    const ofRole = permissionsOf(role, tenantId, roles);
    if (tenantDeletionAt) {
      if (!isPermitted(ofRole, "organization:delete")) return [];
      const permissions = { organization: ["delete"] };
      const membership = { ...known, teamIds: [], permissions, deletionAt: tenantDeletionAt };
      return [{ row, membership, sources: [{ kind: "role", id: role, permissions }] }];
    }
    const own = teams.filter((team) => team.tenantId === tenantId && row.teamIds.includes(team._id));
    const sources: PermissionSource[] = [
      { kind: "role", id: role, permissions: ofRole },
      ...own.map((team): PermissionSource => {
        const carried = team.roleIds.map((id) => permissionsOf(id, tenantId, roles));
        return { kind: "team", id: team._id, permissions: unionOf(carried) };
      }),
    ];
    const permissions = unionOf(sources.map((source) => source.permissions));
    return [{ row, membership: { ...known, teamIds: own.map((team) => team._id), permissions }, sources }];
  });
}

function requirementsOf({
  tenantMaxTokenDays,
  tenantReviews,
  tenantFactorFrom,
  tenantSsoProviderIds,
  sso,
}: MembershipFacts): Pick<Membership, "maxTokenDays" | "reviews" | "factorFrom" | "ssoProviderIds" | "sso"> {
  return {
    maxTokenDays: tenantMaxTokenDays,
    reviews: tenantReviews,
    factorFrom: tenantFactorFrom,
    ssoProviderIds: tenantSsoProviderIds,
    sso,
  };
}

/** The teams and custom roles of memberships. */
async function loadNamed(app: App, rows: readonly MembershipFacts[]): Promise<NamedFacts> {
  const teamIds = [...new Set(rows.flatMap((row) => row.teamIds))];
  const roleIds = [...new Set(rows.map((row) => row.role).filter(isId))];
  const [teams, roles] = await Promise.all([
    teamIds.length > 0 ? app.storage.teams.listWithRoles(teamIds) : [],
    roleIds.length > 0 ? app.storage.roles.listByIds(roleIds) : [],
  ]);
  return { teams, roles: [...roles, ...teams.flatMap((team) => team.roles)] };
}

/** The permissions of a built-in role, or of a custom one among those at hand. */
function permissionsOf(role: string, tenantId: string, custom: NamedFacts["roles"]): PermissionMap {
  if (!isId(role)) return permissionsOfRole(role);
  return custom.find((one) => one._id === role && one.tenantId === tenantId && one.active)?.permissions ?? {};
}

/**
 * An account as an actor. Here, for every surface, memberships in organizations that require a second factor or a
 * sign-in through their identity provider are withheld from a caller who lacks it.
 */
export function userActor(
  app: Pick<App, "now">,
  user: Account,
  memberships: readonly Membership[],
  via: UserActor["via"],
  origin: Origin,
): UserActor {
  return {
    kind: "user",
    userId: user._id,
    username: user.username,
    name: user.name,
    // The identity provider of one organization must not get the right over all of them.
    isAdministrator: user.isAdministrator && !isConfined(user, via),
    ...splitByRequirements(user, memberships, via, app.now()),
    via,
    account: user,
    epochs: { session: user.sessionEpoch ?? 0, token: user.tokenEpoch ?? 0 },
    origin,
  };
}

/** An organization as an actor, by one of its own tokens. */
export function organizationActor(
  tenant: { _id: string; slug: string; name: string; reviewRules?: object },
  token: {
    _id: string;
    name: string;
    createdBy?: string;
    changedBy?: readonly string[];
    run?: CiOrigin;
    trust?: CiTrust;
  },
  limits: TokenLimits,
  origin: Origin,
): OrganizationActor {
  const membership: Membership = {
    tenantId: tenant._id,
    tenantSlug: tenant.slug,
    tenantName: tenant.name,
    role: "token",
    teamIds: [],
    permissions: organizationTokenPermissions,
    reviews: hasReviewRules(tenant) || undefined,
  };
  return {
    kind: "organization",
    tokenId: token._id,
    tokenName: token.name,
    creatorIds: [token.createdBy ?? [], token.changedBy ?? []].flat(),
    memberships: [membership],
    limits,
    run: token.run,
    trust: token.trust,
    origin,
  };
}

/**
 * The caller as a user. Throws `unauthenticated` for an anonymous caller, and `forbidden` for an organization's token
 * or an anonymous key, which do not represent a person.
 */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === "anonymous") throw unauthenticated();
  if (actor.kind === "organization") {
    const { tenantSlug } = actor.memberships[0];
    throw forbidden(
      `This is a token of the organization "${tenantSlug}", and this needs a person: sign in, or use a personal token.`,
    );
  }
  if (actor.kind === "anonymous-key")
    throw forbidden("This call is signed by an anonymous key, and this needs a person: sign in.");
  if (actor.kind === "sync") throw forbidden("The sync of a repository does not act for a person.");
  return actor;
}

/**
 * The caller as a user whose token, if they came by one, is not narrowed in any way: what belongs to the account
 * itself is out of a restricted token's reach. Throws `forbidden` with the act in its sentence.
 */
export function requireUnrestricted(actor: Actor, act: string): UserActor {
  const user = requireUser(actor);
  const { scopes, allowedFolderIds } = limitsOf(user);
  if (scopes || allowedFolderIds) throw forbidden(`A restricted token can't ${act}.`);
  return user;
}

/** Tells a person what of theirs is taken; any other error is handed back as it is. */
export function nameTaken(error: unknown, names: { username?: string; email?: string }): unknown {
  for (const [index, field, word] of [
    ["user_username", "username", "user name"],
    ["user_email", "email", "e-mail address"],
  ] as const) {
    if (!isDuplicate(error, index)) continue;
    const message = `The ${word} "${names[field] ?? ""}" is taken: choose another, or sign in.`;
    return new ServiceError("already_exists", message, { field }, { cause: error });
  }
  return error;
}
